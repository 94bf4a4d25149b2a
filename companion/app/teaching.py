"""Teaching a deck at the table: one lesson at a time, from the camera or from photographs, until it is kept by a name.

The page asks step by step: what to lay, whether it lies still and is seen whole, the cut-outs under their names, a
second light, a try on a handful of cards. The work is done on a thread of its own, one at a time: networks belong to
the thread that loaded them, and go with it.
"""

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from companion import games
from companion.app.lesson_view import called, card_as_json, layout_words, place_words, sample_as_json
from companion.app.profiles import Profiles
from companion.app.table import Table
from companion.errors import Refusal, TeachingRefused, UsageError
from companion.printing.layout import Layout
from companion.printing.raster import raster
from companion.views.words import capitalize
from companion.vision.enrolment.layout_watch import LayoutWatch, ghost_box
from companion.vision.enrolment.learning import fit_profile, next_light, separation, take_samples
from companion.vision.enrolment.profile import Profile
from companion.vision.enrolment.sample import TAUGHT, Sample
from companion.vision.enrolment.teaching import Teaching
from companion.vision.image.codec import decode_picture, encode_picture, encode_png
from companion.vision.recognizer import Recognizer

_MOST_SAMPLES = 60
_LONGEST_NAME = 60
_JOINER = "\u200d"
"""Joins pictures that people write names with, such as those of a family, to one."""
_LAYOUT_PX_PER_MM = 3.0
_FIRST_VERSIONS = 10**8
"""So many versions there are to begin with: a page that was open before the table started again knows none of these."""
Result = TypeVar("Result")


@dataclass(slots=True)
class _Lesson:
    """What is being taught.

    Attributes:
        layouts: what is to be laid, with the cards that lie there as far as they are others than those drawn.
        samples: what was agreed to.
        fresh: what the newest photograph gave, not yet agreed to.
        key: the printing that is added to; None for a new one.
        licence: of the printing that is added to.
        trusts_names: names are right though inks look as if two were swapped, as somebody said.
        watch: what looks for the layout.
        begun_with: the samples of the printing that is added to, as it is kept.
        photo: the picture that gave what is fresh.
        tried: the picture that was read last by what was learnt so far, a JPEG.
    """

    game: str
    deck: str
    layouts: tuple[Layout, ...]
    samples: list[Sample] = field(default_factory=list)
    fresh: list[Sample] = field(default_factory=list)
    key: str | None = None
    name: str = ""
    licence: str | None = None
    trusts_names: bool = False
    watch: LayoutWatch | None = None
    begun_with: tuple[Sample, ...] = ()
    parts: list[bytes] = field(default_factory=list)
    photo: NDArray[np.uint8] | None = None
    tried: bytes | None = None


class Lessons:
    """What the page asks about teaching one running table."""

    def __init__(self, table: Table, data: Path) -> None:
        """Lessons at a table whose printings are kept in a data folder."""
        self._table = table
        self._profiles = Profiles(data)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="teaching")
        self._lock = threading.RLock()
        self._lesson: _Lesson | None = None
        self._version = secrets.randbelow(_FIRST_VERSIONS)

    @contextmanager
    def at(self, version: int | None) -> Iterator[None]:
        """Within the block nobody else changes the lesson, which is of that version; None is any.

        Raises:
            Refusal: `stale`, somebody else has changed it since.
        """
        with self._lock:
            if self._lesson is not None and version not in (None, self._version):
                raise Refusal("stale", "The table has changed since; look again.")
            yield

    # ------------------------------------------------------------ what there is

    def state(self) -> dict[str, Any]:
        """The lesson as far as it has come, the decks that can be taught, and the printings that are kept."""
        with self._lock:
            playing = self._table.referee.latest().header
            spec = games.game(playing.game)
            teaching = spec.recognizer().teaching
            return {
                "version": self._version,
                "game": playing.game,
                "deck": None if teaching is None else teaching.deck_of(spec.deck_edition(playing)),
                "decks": _decks(),
                "lesson": None if self._lesson is None else self._lesson_as_json(self._lesson),
                "profiles": [one.as_json() for one in self._profiles.kept()],
            }

    def layout_picture(self, deck: str) -> bytes:
        """A deck's teaching layout drawn, a PNG. Raises `Refusal`."""
        layout = games.game(_game_of(deck)).layouts(deck)[0]
        drawn = raster(layout.shapes, _LAYOUT_PX_PER_MM)
        return encode_png(drawn)

    # ------------------------------------------------------------ the lesson

    def begin(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Begin to teach ``deck``, or to add to the printing ``key``; what was begun before is forgotten."""
        with self._lock:
            key = asked.get("key")
            if key is None:
                deck = str(asked.get("deck"))
                game = _game_of(deck)
                self._lesson = _Lesson(game, deck, games.game(game).layouts(deck))
            else:
                profile = self._profile(str(key))
                layouts = games.game(profile.GAME).layouts(profile.deck)
                self._lesson = _Lesson(
                    profile.GAME,
                    profile.deck,
                    _as_laid_before(_teaching(profile.GAME), layouts, profile.samples),
                    list(profile.samples),
                    key=str(key),
                    name=profile.name,
                    licence=profile.licence,
                    trusts_names=True,
                    begun_with=tuple(profile.samples),
                )
            return self._changed()

    def look(self) -> dict[str, Any]:
        """The outlines on the camera's picture now, and whether all that is to be laid is there and lies still."""
        with self._lock:
            lesson, picture = self._present(), self._camera_picture()
            if lesson.watch is None:
                lesson.watch = LayoutWatch(_teaching(lesson.game), lesson.layouts)
            watch, layout = lesson.watch, lesson.layouts[0]
            seen = self._work(lambda: watch.look(picture))
            size = (picture.shape[1], picture.shape[0])
            return {
                "size": list(size),
                "outlines": np.round(seen.outlines.astype(float), 1).tolist(),
                "ghost": [round(at, 1) for at in ghost_box(layout, size, seen.outlines)],
                "wanted": len(layout.places),
                "whole": seen.is_whole,
                "still": seen.is_still,
                "ready": seen.is_ready,
            }

    def replace_name(self, place: int, number: int, name: str) -> dict[str, Any]:
        """Another card than the one drawn lies at a place: what it shows instead of one of that one's names."""
        with self._lock:
            lesson = self._present()
            teaching, places = _teaching(lesson.game), lesson.layouts[0].places
            shown = teaching.replaceable_names(places[place].label) if 0 <= place < len(places) else ()
            if not 0 <= number < len(shown) or name not in teaching.names(lesson.deck):
                raise Refusal("malformed", f"{lesson.deck} has no {name} there.")
            label = teaching.replace_name(places[place].label, number, name)
            lesson.layouts = tuple(layout.relabelled(place, label) for layout in lesson.layouts)
            return self._changed()

    def take(self, photo: bytes | None) -> dict[str, Any]:
        """Learn from the camera's picture, or from a photograph's bytes: the cut-outs under their names.

        Raises:
            Refusal: `no-picture` or `not-a-picture`.
            UsageError: why nothing can be learnt from it.
        """
        with self._lock:
            lesson = self._present()
            picture = self._camera_picture() if photo is None else decode_picture(photo)
            if picture is None:
                raise Refusal("not-a-picture", "That file is no picture that can be read.")
            if lesson.watch is not None:
                lesson.watch.note_taken()
            if len(lesson.samples) > _MOST_SAMPLES:
                raise Refusal("too-many-samples", "This printing has enough samples: remove some first.")
            self._take(lesson, picture, (0,) if photo is None else (0, 1, 3))
            return self._changed()

    def upload(self, part: int, parts: int, data: bytes) -> dict[str, Any] | None:
        """One part of a photograph in order; with the last what `take` says of it, before that None.

        Raises:
            Refusal: `photo-mixed` for a part that does not follow, or as `take` does.
        """
        with self._lock:
            lesson = self._present()
            before, lesson.parts = lesson.parts if part else [], []
            if len(before) != part:
                raise Refusal("photo-mixed", "Another photograph came in between: send yours once more.")
            lesson.parts = [*before, data]
            if len(lesson.parts) < parts:
                return None
            photo, lesson.parts = b"".join(lesson.parts), []
            return self.take(photo)

    def crop(self, number: int) -> bytes:
        """The crop of one of the lesson's samples, a JPEG. Raises `Refusal`."""
        with self._lock:
            return self._all()[self._index(number)].jpeg

    def rename(self, number: int, cutout: int, name: str | None) -> dict[str, Any]:
        """Call a cut-out otherwise, or leave it out for None."""
        with self._lock:
            lesson, index = self._present(), self._index(number)
            samples, teaching = self._all(), _teaching(lesson.game)
            sample = samples[index]
            cutouts, names = teaching.cutouts(sample), teaching.names(lesson.deck)
            if not 0 <= cutout < len(cutouts):
                raise Refusal("malformed", "There is no such cut-out.")
            if name is not None and (name not in names or cutouts[cutout].name not in names):
                raise Refusal("malformed", f"{lesson.deck} has no {name} there.")
            label = teaching.relabelled(sample.label, cutout, name)
            taught = len(lesson.samples)
            some, at = (lesson.samples, index) if index < taught else (lesson.fresh, index - taught)
            some[at : at + 1] = [] if label is None else [replace(sample, label=label)]
            return self._changed()

    def agree(self, *, trust_names: bool = False) -> dict[str, Any]:
        """The newest photograph's cut-outs are right, with ``trust_names`` though two names look swapped.

        Raises:
            UsageError: all samples together teach too little.
        """
        with self._lock:
            lesson = self._present()
            samples = [*lesson.samples, *lesson.fresh]
            is_sure = lesson.trusts_names or trust_names
            self._teach(lesson, lambda: _fitted(lesson, samples, is_sure))
            lesson.samples, lesson.fresh, lesson.trusts_names = samples, [], is_sure
            lesson.layouts = _as_laid_before(_teaching(lesson.game), lesson.layouts, samples)
            return self._changed()

    def stop(self) -> dict[str, Any]:
        """Forget the lesson; what was kept stays."""
        with self._lock:
            self._lesson = None
            return self._changed()

    def drop(self) -> dict[str, Any]:
        """Forget the newest photograph."""
        with self._lock:
            self._present().fresh = []
            return self._changed()

    def turn(self) -> dict[str, Any]:
        """The newest photograph is upside down: learn from it the other way round. Raises as `take` does."""
        with self._lock:
            lesson = self._present()
            if lesson.photo is None or not lesson.fresh:
                raise Refusal("no-picture", "There is no photograph to turn.")
            self._take(lesson, lesson.photo, (2,))
            return self._changed()

    def leave_out(self, light: int) -> dict[str, Any]:
        """Forget a photograph that was agreed to, or what one game taught. Raises `Refusal`."""
        with self._lock:
            lesson = self._present()
            left = [sample for sample in lesson.samples if sample.light != light]
            if len(left) == len(lesson.samples):
                raise Refusal("malformed", "There is no such photograph.")
            lesson.samples = left
            return self._changed()

    def attempt(self) -> dict[str, Any]:
        """The cards on the camera's picture as they are read by what was learnt so far. Raises `CompanionError`."""
        with self._lock:
            lesson, picture = self._present(), self._camera_picture()
            teaching, recognizer = _teaching(lesson.game), games.game(lesson.game).recognizer()

            def read() -> tuple[Any, ...]:
                profile = _fitted(lesson, lesson.samples, lesson.trusts_names)
                reading = recognizer.read(picture, teaching.classifier(profile))
                return (*reading.cards, *reading.loose)

            cards = [card_as_json(teaching, card) for card in self._teach(lesson, read)]
            lesson.tried = encode_picture(picture)
            return {"size": [picture.shape[1], picture.shape[0]], "cards": cards}

    def tried_picture(self) -> bytes:
        """The picture of the last attempt, a JPEG. Raises `Refusal`."""
        with self._lock:
            tried = self._present().tried
            if tried is None:
                raise Refusal("no-picture", "Nothing was tried yet.")
            return tried

    def keep(self, name: str) -> dict[str, Any]:
        """Keep what was learnt by a name, and read the deck by it from now on. Raises `CompanionError`."""
        with self._lock:
            lesson = self._present()
            name = self._free_name(name, lesson.key)
            profile = self._teach(lesson, lambda: _fitted(lesson, lesson.samples, lesson.trusts_names))
            described = profile.described(name=name, licence=lesson.licence)
            key = self._profiles.keep(described, lesson.key)
            self._profiles.use(lesson.deck, key)
            self._lesson = None
            self._table.restart_watching()
            return self._changed()

    # ------------------------------------------------------------ the printings

    def use(self, deck: str, key: str | None) -> dict[str, Any]:
        """Read a deck by a printing, or by the reference one."""
        self._profiles.use(deck, key)
        self._table.restart_watching()
        return self._changed()

    def go_back(self, key: str) -> dict[str, Any]:
        """Make a printing's earlier version the present one."""
        self._profiles.go_back(key)
        self._table.restart_watching()
        return self._changed()

    def forget(self, key: str) -> dict[str, Any]:
        """Take a printing away."""
        self._profiles.forget(key)
        self._table.restart_watching()
        return self._changed()

    # ------------------------------------------------------------ parts

    def _take(self, lesson: _Lesson, picture: NDArray[np.uint8], quarters: tuple[int, ...]) -> None:
        """Learn from a picture turned so many quarters, the first way in which it shows what is to be laid.

        Phones do not always say how they were held.

        Raises:
            UsageError: why nothing can be learnt from it as it is turned first.
        """
        teaching, light = _teaching(lesson.game), next_light(lesson.samples)

        def take() -> tuple[NDArray[np.uint8], list[Sample]]:
            refusals: list[UsageError] = []
            for quarter in quarters:
                seen = np.ascontiguousarray(np.rot90(picture, quarter))
                try:
                    return seen, take_samples(
                        teaching, lesson.deck, f"Photograph {light}", seen, None, light, lesson.layouts
                    )
                except UsageError as refused:
                    refusals.append(refused)
                if refusals[0].code != "no-layout":
                    break
            raise refusals[0]

        lesson.photo, lesson.fresh = self._teach(lesson, take)

    def _free_name(self, name: str, key: str | None) -> str:
        """The name without blanks around it. Raises `Refusal` where a printing, the one of a key or a new one, cannot
        be called so.
        """
        if not name.strip() or len(name) > _LONGEST_NAME or not name.replace(_JOINER, "").isprintable():
            raise Refusal("bad-name", f"A name has 1 to {_LONGEST_NAME} letters.", most=_LONGEST_NAME)
        name = name.strip()
        if name.casefold() in {one.name.casefold() for one in self._profiles.kept() if one.key != key}:
            raise Refusal("deck-named", f"A deck is called {name} already: call this one otherwise.", name=name)
        return name

    def _changed(self) -> dict[str, Any]:
        """The state, of another version than before."""
        self._version += 1
        return self.state()

    def _lesson_as_json(self, lesson: _Lesson) -> dict[str, Any]:
        layout, teaching = lesson.layouts[0], _teaching(lesson.game)
        numbered = list(enumerate([*lesson.samples, *lesson.fresh]))
        entries = [sample_as_json(teaching, number, sample) for number, sample in numbered]
        shown = {*teaching.names(lesson.deck), *(cutout["name"] for entry in entries for cutout in entry["cutouts"])}
        features = self._work(lambda: teaching.features(lesson.samples)) if lesson.samples else []
        alike = [[a, b, round(far, 2)] for far, a, b in separation(teaching, features) if far < 1]
        return {
            "game": lesson.game,
            "deck": lesson.deck,
            "key": lesson.key,
            "name": lesson.name,
            "words": layout_words(teaching, layout),
            "places": [place_words(teaching, place) for place in layout.places],
            "is_as_drawn": layout.places == games.game(lesson.game).layouts(lesson.deck)[0].places,
            "replaceable": [list(teaching.replaceable_names(place.label)) for place in layout.places],
            "names": list(teaching.names(lesson.deck)),
            "called": {name: called(teaching, name) for name in shown},
            "lights": len({sample.light for sample in lesson.samples}),
            "samples": entries[: len(lesson.samples)],
            "fresh": entries[len(lesson.samples) :],
            "alike": alike,
            "unsaved": (*lesson.samples, *lesson.fresh) != lesson.begun_with,
        }

    def _present(self) -> _Lesson:
        if self._lesson is None:
            raise Refusal("no-lesson", "Nothing is being taught: choose a deck first.")
        return self._lesson

    def _all(self) -> list[Sample]:
        lesson = self._present()
        return [*lesson.samples, *lesson.fresh]

    def _index(self, number: int) -> int:
        if not 0 <= number < len(self._all()):
            raise Refusal("malformed", "There is no such sample.")
        return number

    def _profile(self, key: str) -> Profile:
        path = self._profiles.path(key)
        held = [one for one in self._profiles.kept() if one.key == key]
        if not held:
            raise Refusal("no-profile", "There is no such printing.")
        return _teaching(held[0].game).read(path)

    def _camera_picture(self) -> NDArray[np.uint8]:
        frame = None if self._table.camera is None else self._table.camera.newest()
        if frame is None:
            raise Refusal("no-picture", "The camera shows nothing just now: switch it on, or send photographs.")
        return np.asarray(frame.picture, np.uint8)

    def _teach(self, lesson: _Lesson, task: Callable[[], Result]) -> Result:
        """As `_work`; a refusal is a sentence, and calls the classes as the person who teaches does."""
        try:
            return self._work(task)
        except TeachingRefused as refused:
            refused.message = f"{capitalize(refused.message).rstrip('.')}."
            if names := refused.fields.get("names"):
                refused.fields["names"] = [called(_teaching(lesson.game), name) for name in names]
            raise

    def _work(self, task: Callable[[], Result]) -> Result:
        return self._worker.submit(task).result()


def _fitted(lesson: _Lesson, samples: Sequence[Sample], trusts_names: bool) -> Profile:
    return fit_profile(_teaching(lesson.game), lesson.deck, samples, trust_names=trusts_names)


def _as_laid_before(teaching: Teaching, layouts: tuple[Layout, ...], samples: Sequence[Sample]) -> tuple[Layout, ...]:
    """The layouts with the cards that the newest photograph of one of them shows, where others may lie there."""
    wanted = [[len(teaching.replaceable_names(place.label)) for place in layout.places] for layout in layouts]
    for light in sorted({sample.light for sample in samples}, reverse=True):
        shown = [
            [cutout.name for cutout in teaching.cutouts(sample)]
            for sample in samples
            if sample.light == light and sample.source == TAUGHT
        ]
        if [len(names) for names in shown] in [[number or 1 for number in numbers] for numbers in wanted]:
            for place, names in enumerate(shown):
                label = layouts[0].places[place].label
                for number in range(wanted[0][place]):
                    label = teaching.replace_name(label, number, names[number])
                layouts = tuple(layout.relabelled(place, label) for layout in layouts)
            break
    return layouts


def _decks() -> list[dict[str, str]]:
    """The decks that can be taught."""
    found = []
    for name, spec in games.GAMES.items():
        recognizer: Recognizer = spec.recognizer()
        found += [{"game": name, "deck": deck} for deck in (recognizer.teaching.decks if recognizer.teaching else ())]
    return found


def _game_of(deck: str) -> str:
    for one in _decks():
        if one["deck"] == deck:
            return one["game"]
    raise Refusal("unknown-deck", f"There is no deck {deck} to teach.")


def _teaching(game: str) -> Teaching:
    teaching = games.game(game).recognizer().teaching
    if teaching is None:
        raise UsageError(f"{game} needs no teaching", code="nothing-to-learn")
    return teaching
