"""Learning from evenings: what players confirmed or put right becomes samples of a printing, if that does no harm.

Only moves whose reading was not certain, or was put right, teach: what was certain brings nothing new. What they show
is kept apart from what was taught, weighs less, and is capped a name and an evening. The printing is written anew only
if the taught samples and those of earlier evenings are read no worse by it; the version before stays, to go back to.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from companion import games
from companion.app.profiles import Profiles
from companion.errors import JournalError, TeachingRefused
from companion.referee.folder import journals, kept_picture
from companion.referee.moves import KeptPicture
from companion.referee.past import PastGame, past_game
from companion.vision.enrolment.learning import fit_profile, next_light
from companion.vision.enrolment.profile import Profile
from companion.vision.enrolment.sample import CONFIRMED, Sample, jpeg_of, rectify_card
from companion.vision.enrolment.teaching import Teaching
from companion.vision.evidence import marks_of
from companion.vision.image.codec import decode_picture
from companion.vision.image.pyramid import Pyramid

CERTAIN = 0.97
"""A reading as sure as this teaches nothing."""
MOST_OF_A_NAME = 3
"""Samples of one name that one evening brings."""
MOST_CONFIRMED = 24
"""Samples of evenings that a printing keeps, the newest."""
MOST_CONFIRMED_BYTES = 300_000
"""Of their crops: what was taught has to find room beside them."""

FARTHEST = 3.0
"""What lies further from its name than so many times what makes names alike, squared, is an outlier."""


@dataclass(frozen=True, slots=True)
class LearningReport:
    """What one game taught.

    Attributes:
        game: the number of its journal.
        samples: how many were new and agreed with their names.
        names: how many names there are on the samples that were kept before.
        before: how many of them the old version reads right.
        after: and the new one.
        is_promoted: whether the new version is kept.
    """

    game: int
    samples: int
    names: int
    before: int
    after: int
    is_promoted: bool


def learn_from_evenings(data: Path) -> list[LearningReport]:
    """Learn from every game of a data folder that has ended and was not learnt from, for the printings in use."""
    profiles = Profiles(data)
    reports = []
    for path in journals(data / "games"):
        try:
            game = past_game(path)
        except JournalError:
            continue  # the page of past games tells of it
        teaching = games.game(game.header.game).recognizer().teaching if game.header.game in games.GAMES else None
        is_over = game.session is not None and game.session.game.view(game.session.state)["result"] is not None
        if teaching is None or not is_over:
            continue
        deck = teaching.deck_of(games.game(game.header.game).deck_edition(game.header))
        printing = profiles.in_use(deck)
        if printing is not None and profiles.note_evening(printing.stem, game.number):
            reports.append(learn_game(profiles, teaching, printing, game))
            profiles.write_evening(printing.stem, game.number, asdict(reports[-1]))
    return reports


def learn_game(profiles: Profiles, teaching: Teaching, printing: Path, game: PastGame) -> LearningReport:
    """Learn from one game for the printing in a file. Raises `UsageError` where the file is no profile."""
    profile = teaching.read(printing)
    fresh = confirmed_samples(teaching, profile, game)
    kept = [sample for sample in profile.samples if sample.source == CONFIRMED]
    taught = [sample for sample in profile.samples if sample.source != CONFIRMED]
    known = list(profile.samples)
    before, names = _read_right(teaching, profile, known)
    if not fresh:
        return LearningReport(game.number, 0, names, before, before, False)
    try:
        better = fit_profile(teaching, profile.deck, [*taught, *newest([*kept, *fresh])], trust_names=True)
    except TeachingRefused:
        return LearningReport(game.number, len(fresh), names, before, 0, False)
    after, _ = _read_right(teaching, better, known)
    if after >= before:
        profiles.keep(better.described(name=profile.name, licence=profile.licence, made=profile.made), printing.stem)
    return LearningReport(game.number, len(fresh), names, before, after, after >= before)


def confirmed_samples(teaching: Teaching, profile: Profile, game: PastGame) -> list[Sample]:
    """What a game's confirmed and corrected moves show, without what contradicts the printing."""
    light, names, found = next_light(profile.samples), Counter[str](), list[Sample]()
    for move in game.moves:
        kept = move.evidence
        jpeg = None if kept is None else _picture(game.path, kept)
        if jpeg is None or kept is None:
            continue
        marks = marks_of(jpeg) or ()
        is_certain = (kept.confidence or 0.0) >= CERTAIN
        cards = [
            card for card in teaching.confirmed(profile, move.command, marks) if not (is_certain and card.was_read)
        ]
        picture = decode_picture(jpeg) if cards else None
        if picture is None:
            continue
        pyramid = Pyramid.of(picture)
        for card in cards:
            crop = rectify_card(pyramid, card.corners, teaching.frame(card.card))
            sample = Sample(card.card, jpeg_of(crop), light, CONFIRMED)
            own = {one.name for one in teaching.cutouts(sample)}
            if all(names[name] < MOST_OF_A_NAME for name in own):
                names.update(own)
                found.append(sample)
    return _without_outliers(teaching, profile, found)


def newest(confirmed: Sequence[Sample]) -> list[Sample]:
    """Of samples in order of their evenings as many of the last as a printing keeps."""
    room, kept = MOST_CONFIRMED_BYTES, list[Sample]()
    for sample in reversed(confirmed[-MOST_CONFIRMED:]):
        room -= len(sample.jpeg)
        if room < 0:
            break
        kept.append(sample)
    return kept[::-1]


def _without_outliers(teaching: Teaching, profile: Profile, fresh: Sequence[Sample]) -> list[Sample]:
    """The samples all of whose names are seen, near what the printing knows by them and nearer than to other names."""
    if not fresh:
        return []
    features = teaching.features([*profile.samples, *fresh])
    known = [feature for feature in features if feature.sample < len(profile.samples)]
    means = {name: np.mean([f.vector for f in known if f.name == name], axis=0) for name in {f.name for f in known}}
    seen = {feature.sample for feature in features}
    odd = {number for number in range(len(profile.samples), len(profile.samples) + len(fresh)) if number not in seen}
    for feature in features[len(known) :]:
        off = {name: float(((feature.vector - mean) ** 2).sum()) for name, mean in means.items()}
        own = off.get(feature.name, np.inf)
        if own > min(off.values()) or own > FARTHEST * teaching.alike:
            odd.add(feature.sample)
    return [sample for number, sample in enumerate(fresh, len(profile.samples)) if number not in odd]


def _read_right(teaching: Teaching, profile: Profile, samples: Sequence[Sample]) -> tuple[int, int]:
    """How many names on samples a profile reads as they are labelled, and of how many."""
    pairs = teaching.reread(profile, samples)
    return sum(name == read for name, read in pairs), len(pairs)


def _picture(path: Path, kept: KeptPicture) -> bytes | None:
    """A move's picture; None where it made room, or was changed since."""
    try:
        return kept_picture(path, kept)
    except JournalError:
        return None
