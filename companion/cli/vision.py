"""The commands that look at pictures, `read` and `watch`; imported only when asked for: OpenCV is slow to load."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Any, TypeVar

import click
import cv2

from companion import games
from companion.app.factories import calibration_file, camera_from
from companion.cli.main import FiniteRange, echo_error, one_line
from companion.cli.paths import PATH, write_file
from companion.cli.pictures import PictureFile, hushed, numbered, pictures_in, read_picture
from companion.cli.terminal import progress, say, state_coloured
from companion.config import load
from companion.devices.camera import RETRY_S, Camera, Frame
from companion.devices.pi_camera import PiCamera
from companion.devices.recorded import Recorded
from companion.errors import DeviceError, UsageError
from companion.vision.calibration.calibration import read_calibration
from companion.vision.calibration.drift import DriftMonitor, check_drift, zoned
from companion.vision.evidence import draw_labels
from companion.vision.recognizer import Recognizer
from companion.vision.results import ReadingWarning
from companion.vision.tracking.tracks import SettleTimes

GAMES = ", ".join(games.GAMES)
ANCHOR_FRAMES = 20
"""Once in so many frames the marks are looked for: cameras are seldom moved, and a search costs more than a glance."""

Command = TypeVar("Command", bound=Callable[..., Any])


def game_options(command: Command) -> Command:
    """The options that say which game and which deck."""
    command = click.option("--json", "as_json", is_flag=True, help="Print JSON Lines, for programs.")(command)
    command = click.option(
        "--deck", help="Deck on the table, such as hexel36 or hexel46; without it what is seen decides."
    )(command)
    command = click.option("--profile", type=PATH, help="What `companion learn` learnt of the deck's printing.")(
        command
    )
    command = click.option(
        "--calibration",
        "calibrated",
        type=PATH,
        help="Where the camera stands, from `companion calibrate`: says in which zone of the table a card lies.",
    )(command)
    return click.option("--game", "game_name", required=True, help=f"Game on the table: {GAMES}.")(command)


def recognizer_and_classifier(game_name: str, deck: str | None, profile: Path | None) -> tuple[Recognizer, Any]:
    """The game's reader and what names its symbols.

    Raises `UsageError` for a name unknown, a broken profile, or one of another deck.
    """
    recognizer = games.game(game_name).recognizer()
    edition = recognizer.edition(deck)
    recognizer.require_deck(deck, profile)
    return recognizer, recognizer.classifier(edition, profile)


def report_unreadable(file: PictureFile, as_json: bool) -> None:
    """Say why a file is no picture: one line on standard error and, for programs, the contract's `unreadable-image`."""
    error = file.trouble()
    echo_error(one_line(error))
    if as_json:
        say(json.dumps({"image": file.given, "ok": False, "error": error.as_json()}))


@click.command("read")
@game_options
@click.option("--draw", type=PATH, help="Folder for each picture with the outlines and names of its cards.")
@click.argument("images", nargs=-1, required=True, type=click.Path(readable=False))
def read_command(
    game_name: str,
    deck: str | None,
    profile: Path | None,
    calibrated: Path | None,
    draw: Path | None,
    as_json: bool,
    images: tuple[str, ...],
) -> int:
    """Recognise the cards on photographs, each on its own; a folder stands for the pictures in it."""
    reader, classifier = recognizer_and_classifier(game_name, deck, profile)
    calibration = None if calibrated is None else read_calibration(calibration_file(calibrated))
    cv2.setNumThreads(1)
    status = 0
    files = pictures_in(images)
    names = numbered(file.path for file in files)
    if draw is not None:
        _require_other_files(files, [draw / f"{name}.jpg" for name in names])
    for file, name in progress(zip(files, names, strict=True), len(files), "reading"):
        picture = read_picture(file.path)
        if picture is None:
            status = 1
            report_unreadable(file, as_json)
            continue
        begun = perf_counter()
        reading = reader.read(picture, classifier)
        stands = None if calibration is None else check_drift(calibration, picture)
        took = round((perf_counter() - begun) * 1000, 1)
        more = [] if stands is None or not stands.code else [ReadingWarning(stands.code, stands.message)]
        cards = (*reading.cards, *reading.loose)
        if draw is not None:
            write_file(draw / f"{name}.jpg", draw_labels(picture, cards))
        if as_json:
            size = [picture.shape[1], picture.shape[0]]
            head = {"image": file.given, "ok": True, "game": game_name, "size": size, "ms": took}
            fields = reading.as_json() if stands is None else zoned(reading.as_json(), stands.zone_of)
            fields["warnings"] = [*fields["warnings"], *(warning.as_json() for warning in more)]
            say(json.dumps({**head, **fields}))
        else:
            say(f"{file.given}: {reading.summary()}, {took} ms")
            for card in cards:
                say(f"  {card.line()}")
            for warning in (*reading.warnings, *more):
                say(f"  {state_coloured('warn', warning.code)}: {warning.message}")
    return status


def _require_other_files(given: Sequence[PictureFile], written: Sequence[Path]) -> None:
    """Raises `UsageError` where a picture that is to be written would take the place of one that was given."""
    own = {os.path.realpath(file.path) for file in given}
    for path in written:
        if os.path.realpath(path) in own:
            message = f"--draw would write over {path}: name another folder"
            raise UsageError(message, code="unwritable-file")


@click.command("watch")
@game_options
@click.option(
    "--fps", type=FiniteRange(0.5, 120), help="Frames a second of SOURCE; a video knows its own, a folder has 10."
)
@click.option(
    "--settle",
    type=FiniteRange(0.05, 3),
    default=SettleTimes().card_s,
    show_default=True,
    help="Seconds a card lies still before it is read.",
)
@click.argument("source")
def watch_command(
    game_name: str,
    deck: str | None,
    profile: Path | None,
    calibrated: Path | None,
    as_json: bool,
    fps: float | None,
    settle: float,
    source: str,
) -> int:
    """Follow a table: SOURCE is a video, a folder of pictures, or `camera`. Prints what has changed and settled.

    The camera is that of the settings, or else the Pi's; one that is lost is opened anew until Ctrl-C.
    """
    if not source:
        raise UsageError("SOURCE is empty: name a video, a folder of pictures, or `camera`")
    reader, classifier = recognizer_and_classifier(game_name, deck, profile)
    cv2.setNumThreads(1)
    recorded = Recorded(Path(source), frames_per_second=fps, in_real_time=False, load=read_picture)
    is_live = source == "camera"
    camera = camera_from(load().camera) or PiCamera() if is_live else recorded
    tracker = reader.tracker(classifier, replace(SettleTimes(), card_s=settle))
    anchor = None if calibrated is None else DriftMonitor(read_calibration(calibration_file(calibrated)))
    count, busy_s, code = 0, 0.0, ""

    def note(at: dict[str, Any], code: str, message: str) -> None:
        _print_line({**at, "event": "notice", "code": code, "message": message}, as_json, reader)

    try:
        for frame in _frames(camera, is_live, note):
            begun = perf_counter()
            before = tracker.cards or ()
            events = tracker.step(frame.picture, frame.at_s)
            if anchor is not None:
                if any(one.get("code") == "camera-moved" for one in events):
                    anchor.follow(*([c.corners for c in cards] for cards in (before, tracker.cards or ())))
                now = anchor.check(frame.picture) if count % ANCHOR_FRAMES == 0 else anchor.now
                events = [zoned(one, anchor.zone_of) for one in events]
                if now.code not in ("", code):
                    events.append({"event": "notice", "code": now.code, "message": now.message})
                code = now.code
            busy_s += perf_counter() - begun
            count += 1
            for one in events:
                _print_line({"frame": frame.number, "t": round(frame.at_s, 3), **one}, as_json, reader)
        if not count:
            raise DeviceError(f"{camera.name} shows no picture that can be read")
    except KeyboardInterrupt:
        pass  # a live camera is watched until Ctrl-C: then comes the end line
    finally:
        camera.close()
    rate = round(count / busy_s, 1) if busy_s else 0.0
    _print_line(
        {"event": "end", "frames": count, "seconds": round(busy_s, 3), "frames_per_second": rate}, as_json, reader
    )
    return 0


def _frames(camera: Camera, is_live: bool, note: Callable[[dict[str, Any], str, str], None]) -> Iterator[Frame]:
    """The camera's frames, numbers and times going on where a live one is lost and opened anew, which is noted."""
    number, at_s, seen_s, is_lost = -1, 0.0, None, False
    while True:
        try:
            with hushed():
                camera.open()
            first, began_s = number + 1, 0.0 if seen_s is None else at_s + monotonic() - seen_s
            while (frame := camera.next()) is not None:
                number, at_s, seen_s = first + frame.number, began_s + frame.at_s, monotonic()
                if is_lost:
                    note({"frame": number, "t": round(at_s, 3)}, "camera-back", "The camera is back.")
                    is_lost = False
                yield replace(frame, number=number, at_s=at_s)
            return
        except DeviceError as error:
            if not is_live or seen_s is None:
                raise
            if not is_lost:
                now_s = at_s + monotonic() - seen_s
                note({"frame": number, "t": round(now_s, 3)}, "camera-lost", f"The camera is lost: {error.message}")
                is_lost = True
            camera.close()
            sleep(RETRY_S)


def _print_line(line: dict[str, Any], as_json: bool, reader: Recognizer) -> None:
    if as_json:
        click.echo(json.dumps(line))
        return
    when = f"{line['t']:8.1f} s  " if "t" in line else ""
    match line["event"]:
        case "notice":
            click.echo(f"{when}{line['message']}")
        case "end":
            click.echo(f"{line['frames']} frames in {line['seconds']} s: {line['frames_per_second']} a second")
        case _:
            click.echo(f"{when}{reader.in_words(line)}")
