"""The command that teaches a printing with questions, from a camera or from pictures."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from companion import games
from companion.app.factories import camera_from
from companion.app.profiles import Profiles
from companion.cli.learn import chosen_deck
from companion.cli.paths import PATH
from companion.cli.pictures import hushed, pictures_in, read_picture, required_picture
from companion.cli.terminal import counted
from companion.config import CameraSettings, data_folder
from companion.devices.camera import Camera
from companion.devices.recorded import Recorded
from companion.errors import CompanionError, TeachingRefused, UsageError
from companion.printing.layout import Layout
from companion.vision.enrolment.layout_watch import LayoutWatch
from companion.vision.enrolment.learning import fit_profile, next_light, separation, take_samples
from companion.vision.enrolment.profile import Profile
from companion.vision.enrolment.sample import Sample
from companion.vision.enrolment.teaching import Teaching

_LOOK_EVERY_S = 0.5


@click.command("teach")
@click.option("--game", "game_name", required=True, help=f"Game whose deck is to be taught: {', '.join(games.GAMES)}.")
@click.option("--deck", help="Deck, such as hexel36; left out where a game has one.")
@click.option("--data", type=PATH, help="Folder that keeps the games and what was taught.")
@click.option("--camera", "source", help="pi, usb, usb:1, a folder of pictures or a video file.")
@click.option("--name", help="What the printing is called; else it is asked.")
@click.option("--yes", is_flag=True, help="Agree to all names without being asked.")
@click.argument("images", nargs=-1, type=click.Path())
def teach_command(
    game_name: str,
    deck: str | None,
    data: Path | None,
    source: str | None,
    name: str | None,
    yes: bool,
    images: tuple[str, ...],
) -> int:
    """Teach a printing step by step, from --camera or from IMAGES of the teaching layout, and keep it for `run`.

    Each picture is a light of its own; at least one is needed, two are better.
    """
    spec = games.game(game_name)
    recognizer = spec.recognizer()
    deck = chosen_deck(recognizer, deck)
    teaching = recognizer.teaching
    if teaching is None or deck not in teaching.decks:
        raise UsageError(f"{deck} is not taught with questions: see `companion learn`", code="nothing-to-learn")
    if (source is None) == (not images):
        raise UsageError("name pictures, or a --camera")
    cv2.setNumThreads(1)
    layouts = spec.layouts(deck)
    _say_layout(layouts[0])
    lesson = _Lesson(teaching, deck, asks=not yes)
    for given in pictures_in(images):
        lesson.learn(given.path.name, required_picture(given))
    if source is not None:
        _learn_before_camera(lesson, source, layouts)
    profile = lesson.profile
    assert profile is not None  # there was a picture
    for far, a, b in separation(teaching, teaching.features(lesson.samples)):
        if far < 1:
            click.echo(f"{a} and {b} look much alike: expect questions")
    called = name or (f"Our {deck}" if yes else click.prompt("What is this deck called?", default=f"Our {deck}"))
    profiles = Profiles(data_folder(data))
    key = profiles.keep(profile.described(name=called))
    profiles.use(deck, key)
    click.echo(f"kept {profile.summary()}: {profiles.path(key)}; `companion run` reads {deck} by it")
    return 0


def _say_layout(layout: Layout) -> None:
    click.echo(layout.words)
    for number, place in enumerate(layout.places, 1):
        click.echo(f"  {number}. {place.words}")


@dataclass(slots=True)
class _Lesson:
    """What is being taught.

    Attributes:
        asks: names are agreed to by a person.
        profile: what the samples teach; None before the first picture.
        trusts_names: names are right though inks look as if two were swapped, as somebody said.
    """

    teaching: Teaching
    deck: str
    asks: bool
    samples: list[Sample] = field(default_factory=list)
    profile: Profile | None = None
    trusts_names: bool = False

    def learn(self, label: str, picture: NDArray[np.uint8]) -> None:
        """Learn from a picture too; all stays as it is where nothing can be learnt from it. Raises `UsageError`."""
        fresh = take_samples(self.teaching, self.deck, label, picture, None, next_light(self.samples))
        if self.asks:
            fresh = _agreed(self.teaching, self.deck, fresh)
        samples = [*self.samples, *fresh]
        self.profile, self.trusts_names = _fitted(self.teaching, self.deck, samples, self.trusts_names, not self.asks)
        self.samples = samples
        click.echo(f"{label}: learnt {counted(len(fresh), 'sample')}")


def _learn_before_camera(lesson: _Lesson, source: str, layouts: Sequence[Layout]) -> None:
    """Learn from a camera's pictures of one light or two.

    Raises:
        CompanionError: nothing was learnt from the first one.
    """
    is_file = bool(source) and Path(source).exists()
    camera = (
        Recorded(Path(source), in_real_time=False, load=read_picture)
        if is_file
        else camera_from(CameraSettings(source=source))
    )
    if camera is None:
        raise UsageError("there is no camera none: name pictures instead")
    with hushed():
        camera.open()
    try:
        while not _has_learnt(lesson, "first light", camera, layouts):
            pass
        another = (
            "Once more in another light? Turn the lamp, or shade it, then answer; without it the first one will do"
        )
        while lesson.asks and click.confirm(another, default=True):
            if _has_learnt(lesson, "second light", camera, layouts):
                return
    finally:
        camera.close()


def _has_learnt(lesson: _Lesson, label: str, camera: Camera, layouts: Sequence[Layout]) -> bool:
    """Whether something was learnt from a light; says why not where it may be tried again. Raises `CompanionError`."""
    try:
        lesson.learn(label, _steady(camera, LayoutWatch(lesson.teaching, layouts), len(layouts[0].places)))
    except CompanionError as error:
        if not lesson.asks:
            raise
        click.echo(error.message)
        if not lesson.samples and not click.confirm("Try again?", default=True):
            raise
        return False
    return True


def _steady(camera: Camera, watch: LayoutWatch, wanted: int) -> NDArray[np.uint8]:
    """The camera's picture once the layout, usually of so many cards, lies there whole and still.

    Raises:
        UsageError: that never comes.
    """
    shown, looked_s = "", -_LOOK_EVERY_S
    while (frame := camera.next()) is not None:
        if frame.at_s - looked_s < _LOOK_EVERY_S:
            continue
        looked_s = frame.at_s
        seen = watch.look(frame.picture)
        if seen.is_ready:
            watch.note_taken()
            click.echo("all seen and still: taken")
            return frame.picture
        line = "all seen, hands away" if seen.is_whole else _what_is_seen(len(seen.outlines), wanted)
        if line != shown:
            click.echo(line)
            shown = line
    raise UsageError("the recording has come to its end before all cards lay still", code="no-layout")


def _what_is_seen(seen: int, wanted: int) -> str:
    """How many cards are seen, and why as many or more are not what is to be laid."""
    if seen == wanted > 1:
        return f"{seen} cards seen, but not in the rows that are drawn"
    return f"{counted(seen, 'card')} seen" + (f", {wanted} wanted: take the others away" if seen > wanted else "")


def _fitted(teaching: Teaching, deck: str, samples: Sequence[Sample], is_sure: bool, yes: bool) -> tuple[Profile, bool]:
    """What samples teach, and whether somebody said that names which look swapped are right; else `TeachingRefused`."""
    try:
        return fit_profile(teaching, deck, samples, trust_names=is_sure), is_sure
    except TeachingRefused as error:
        if error.code != "labels-swapped" or yes:
            raise
        click.echo(error.message)
        if not click.confirm("Are the names right all the same?", default=False):
            raise
        return fit_profile(teaching, deck, samples, trust_names=True), True


def _agreed(teaching: Teaching, deck: str, samples: list[Sample]) -> list[Sample]:
    """The samples once a person has agreed to their names, or changed them."""
    while True:
        cutouts = [
            (i, k, one.name) for i, sample in enumerate(samples) for k, one in enumerate(teaching.cutouts(sample))
        ]
        click.echo("I see, in the order in which they are read: ")
        for number, (_, _, called) in enumerate(cutouts, 1):
            click.echo(f"  {number}. {called}")
        answer = click.prompt("Right? Enter, or NUMBER NAME, or NUMBER none", default="", show_default=False).split()
        if not answer:
            return samples
        names = teaching.names(deck)
        if len(answer) != 2 or not answer[0].isdecimal() or not 1 <= int(answer[0]) <= len(cutouts):
            click.echo(f"such as 2 {names[0]}")
        elif answer[1] not in (*names, "none"):
            click.echo(f"there are {', '.join(names)}, none")
        else:
            sample, cutout, _ = cutouts[int(answer[0]) - 1]
            samples = _renamed(teaching, samples, sample, cutout, None if answer[1] == "none" else answer[1])


def _renamed(teaching: Teaching, samples: list[Sample], at: int, cutout: int, name: str | None) -> list[Sample]:
    label = teaching.relabelled(samples[at].label, cutout, name)
    changed = [] if label is None else [samples[at].relabelled(label)]
    return [*samples[:at], *changed, *samples[at + 1 :]]
