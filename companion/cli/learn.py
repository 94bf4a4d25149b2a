"""The command that teaches a printing from photographs; `companion teach` does the same with questions."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from companion import games
from companion.cli.main import print_json
from companion.cli.paths import PATH
from companion.cli.pictures import pictures_in, required_picture
from companion.cli.terminal import progress
from companion.errors import UsageError
from companion.printing.layout import Layout
from companion.rules.limits import FILE, read_file, read_json
from companion.vision.enrolment.profile import Profile, read_profile_object
from companion.vision.enrolment.sample import Sample, samples_of
from companion.vision.recognizer import Recognizer


@click.command("learn")
@click.option("--game", "game_name", required=True, help=f"Game whose deck is to be learnt: {', '.join(games.GAMES)}.")
@click.option("--deck", help="Deck, such as hexel36; left out where a game has one.")
@click.option("--what", is_flag=True, help="Say what to lay where no labels are given, and learn nothing.")
@click.option("--labels", type=PATH, help="What lies on the pictures, as `read` prints.")
@click.option("--update", type=PATH, help="Profile to which the pictures are added.")
@click.option("--out", type=PATH, help="File to write; left out, the one that is updated.")
@click.option("--name", help="What the printing is called, for people.")
@click.option("--licence", help="On what terms the pictures may be passed on.")
@click.option("--trust-names", is_flag=True, help="The names are right, though inks look as if two were swapped.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@click.argument("images", nargs=-1, type=click.Path())
def learn_command(
    game_name: str,
    deck: str | None,
    what: bool,
    labels: Path | None,
    update: Path | None,
    out: Path | None,
    name: str | None,
    licence: str | None,
    trust_names: bool,
    as_json: bool,
    images: tuple[str, ...],
) -> int:
    """Teach a printing that was never seen, from photographs of a few of its cards.

    Without --labels each picture shows the game's teaching layout: see --what, and `companion print teaching-GAME`.
    """
    spec = games.game(game_name)
    recognizer = spec.recognizer()
    if what:
        asked = recognizer.decks if deck is None and _has_several(recognizer) else (chosen_deck(recognizer, deck),)
        for each in asked:
            _require_layout(recognizer, each, spec.layouts(each))
            _print_layout(game_name, each, spec.layouts(each), as_json)
        return 0
    deck = chosen_deck(recognizer, deck)
    file = out or update
    if file is None:
        raise UsageError("say with --out where the profile is to be written")
    if not images and update is None:
        raise UsageError("name at least one picture to learn from")
    cv2.setNumThreads(1)
    files = pictures_in(images)
    pictures = [(file.path.name, required_picture(file)) for file in progress(files, len(files), "loading")]
    labelled = None if labels is None else _read_labels(labels)
    profile = _learn(recognizer, spec.layouts(deck), deck, pictures, labelled, update, trust_names)
    profile = profile.described(name=name, licence=licence)
    profile.write(file)
    if as_json:
        counted = {"samples": len(profile.samples), "bytes": file.stat().st_size}
        print_json({"ok": True, "game": game_name, "deck": deck, "profile": str(file), **counted, "made": profile.made})
    else:
        click.echo(f"learnt {profile.summary()}: {file}")
    return 0


def chosen_deck(recognizer: Recognizer, deck: str | None) -> str:
    """The deck that is meant. Raises `UsageError` for an unknown one, or none where a game has several."""
    recognizer.edition(deck)
    if deck is not None:
        return deck
    if _has_several(recognizer):
        raise UsageError(f"{recognizer.name} has several decks: say --deck {' or --deck '.join(recognizer.decks)}")
    return recognizer.decks[0]


def _has_several(recognizer: Recognizer) -> bool:
    return recognizer.decks[0] != recognizer.name


def _learn(
    recognizer: Recognizer,
    layouts: Sequence[Layout],
    deck: str,
    pictures: Sequence[tuple[str, NDArray[np.uint8]]],
    labels: list[dict[str, Any]] | None,
    update: Path | None,
    trust_names: bool,
) -> Profile:
    if recognizer.teaching is None:  # then the game learns in a way of its own
        return recognizer.learn(deck, pictures, labels or [layouts[0].as_json() for _ in pictures])
    before = () if update is None else read_samples(update, recognizer.name)
    if update is not None:
        recognizer.teaching.require_samples(update, deck, before)
    learnt = recognizer.learn(deck, pictures, labels, before, trust_names=trust_names)
    return learnt if update is None else learnt.described(**_words_of(update, recognizer.name))


def _words_of(path: Path, game: str) -> dict[str, str]:
    """What people call the printing in a profile's file, and on what terms it may be passed on."""
    held = read_profile_object(path, game)
    return {key: word for key in ("name", "licence") if isinstance(word := held.get(key), str)}


def read_samples(path: Path, game: str) -> tuple[Sample, ...]:
    """The samples of a profile's file, whatever networks they were learnt with. Raises `UsageError`."""
    held = read_profile_object(path, game)
    try:
        return samples_of(held.get("samples"))
    except ValueError as error:
        raise UsageError(f"{path} is no profile with samples: {error}", code="unreadable-profile") from None


def _require_layout(recognizer: Recognizer, deck: str, layouts: Sequence[Layout]) -> None:
    """Raises `UsageError` where the game's teaching layout is of another deck, such as another size of cases."""
    teaching = recognizer.teaching
    for place in (place for layout in layouts for place in layout.places):
        if teaching is not None:
            teaching.check_card(deck, place.label)


def _print_layout(game: str, deck: str, layouts: Sequence[Layout], as_json: bool) -> None:
    first, *others = layouts
    if as_json:
        more = {"others": [layout.as_json() for layout in others]} if others else {}
        print_json({"ok": True, "game": game, "deck": deck, **first.as_json(), **more})
        return
    click.echo(f"{deck}: {first.words}")
    for number, place in enumerate(first.places, 1):
        click.echo(f"  {number}. {place.words}")
    for other in others:
        click.echo(f"or, {len(other.places)} cards: {other.words}")
    click.echo(f"Lay them apart on a plain ground, in even light. Drawn: companion print teaching-{game}")


def _read_labels(path: Path) -> list[dict[str, Any]]:
    try:
        lines = read_file(path, FILE).splitlines()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", code="unreadable-labels") from None
    labels = [_label(f"{path}: line {number}", line) for number, line in enumerate(lines, 1) if line.strip()]
    if not labels or not all(isinstance(label, dict) for label in labels):
        raise UsageError(f"{path} holds no labels", code="unreadable-labels")
    return labels


def _label(where: str, line: bytes) -> Any:
    try:
        return read_json(line, FILE)
    except ValueError as error:
        raise UsageError(f"{where} is no JSON: {error}", code="unreadable-labels") from None
