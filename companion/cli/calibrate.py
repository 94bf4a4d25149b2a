"""The command that calibrates a table. Loaded only when asked for: it needs OpenCV."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from companion.app.calibrating import (
    METHODS,
    CalibrationOptions,
    CalibrationResult,
    calibrate,
    calibration_path,
    known_lens,
    store,
)
from companion.app.factories import camera_from
from companion.cli.main import FiniteRange, json_option, print_json
from companion.cli.paths import PATH
from companion.cli.pictures import PictureFile, required_picture
from companion.config import Settings, default_data, load
from companion.errors import UsageError
from companion.vision.calibration.image_quality import Check, checks
from companion.vision.calibration.lens import (
    BoardView,
    Lens,
    board_view,
    fit_lens,
)

FRAMES = 5
"""So many of a camera's pictures are taken together: their middle is steadier than one."""
WARM_FRAMES = 25
"""A camera's first pictures, while it finds its exposure, are left out."""
BOARD_VIEWS = 12
_MOST_PICTURES = 60


@click.command("calibrate")
@click.option("--settings", "file", type=PATH, help="Settings file [the usual companion.toml].")
@click.option("--venue", default="table", show_default=True, help="What this table is called; it names the file.")
@click.option("--camera", "source", help="pi, usb, usb:1 [as in the settings]; for a table without pictures given.")
@click.option(
    "--by", type=click.Choice(METHODS), help="What tells the table: marks, Hex'el cards, taps [what is there]."
)
@click.option(
    "--tap", "taps", multiple=True, metavar="X,Y", help="Four times: a sheet's corners, clockwise, in pixels."
)
@click.option("--sheet", metavar="WxH", default="297x210", show_default=True, help="How large that sheet is, in mm.")
@click.option("--mat", metavar="WxH", help="How far apart the marks' middles lie, in mm, where you measured it.")
@click.option("--card-side", type=FiniteRange(5, 200), help="The side of your Hex'el cards in mm [35].")
@click.option("--zone", "zones", multiple=True, metavar="NAME=X,Y X,Y ...", help="A place on the table, in pixels.")
@click.option(
    "--lens", "boards", multiple=True, help="Pictures of the printed lens board, or a folder of them, or `camera`."
)
@click.option("--check", "only_check", is_flag=True, help="Only say whether the picture is fit to recognise cards on.")
@click.option("--data", type=PATH, help="Folder that keeps the games and calibrations.")
@click.option("--out", type=PATH, help="File to write [in the data folder, named by the venue].")
@json_option
@click.argument("pictures", nargs=-1, type=click.Path())
def calibrate_command(
    file: Path | None,
    venue: str,
    source: str | None,
    by: str | None,
    taps: tuple[str, ...],
    sheet: str,
    mat: str | None,
    card_side: float | None,
    zones: tuple[str, ...],
    boards: tuple[str, ...],
    only_check: bool,
    data: Path | None,
    out: Path | None,
    as_json: bool,
    pictures: tuple[str, ...],
) -> int:
    """Say where the camera stands over a table: from PICTURES of it, or from what the camera sees now."""
    cv2.setNumThreads(1)
    settings = load(file)
    if source is not None:
        settings = replace(settings, camera=replace(settings.camera, source=source))
    wishes = CalibrationOptions(
        venue,
        "photographs" if pictures else settings.camera.source,
        by,
        tuple(_point(tap) for tap in taps),
        _size(sheet),
        None if mat is None else _size(mat),
        dict(_zone(zone) for zone in zones),
    )
    if card_side is not None:
        wishes = replace(wishes, card_mm=card_side)
    path = out or calibration_path(data or settings.table.data or default_data(), venue)
    seen = [required_picture(one) for one in _spread(pictures)] if pictures else _filmed(settings)
    if only_check:
        return _print_checks(checks(seen[-1]), as_json)
    size = (seen[-1].shape[1], seen[-1].shape[0])
    lens, advice = _lens(boards, settings, size) if boards else (known_lens(path, size), ())
    outcome = calibrate(seen, wishes, lens, date.today())
    outcome = replace(outcome, advice=(*advice, *outcome.advice))
    store(outcome.calibration, path)
    _print_line(outcome, path, as_json)
    return 0


def _print_checks(found: Sequence[Check], as_json: bool) -> int:
    is_fit = all(check.state != "fail" for check in found)
    if as_json:
        print_json({"ok": is_fit, "checks": [check.as_json() for check in found]})
    else:
        click.echo("\n".join(_lines(found)))
    return 0 if is_fit else 1


def _print_line(outcome: CalibrationResult, path: Path, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"ok": True, "file": str(path), **outcome.as_json()}))
        return
    made = outcome.calibration
    residual = "not known" if made.residual_mm is None else f"{made.residual_mm:.2f} mm"
    marks = f" {', '.join(map(str, made.marks))}" if made.marks else ""
    lens = "not measured" if made.lens is None else f"{made.lens.rms_px:.2f} px off, {made.lens.pictures} pictures"
    lines = [
        *_lines(outcome.checks),
        f"{'table':10} by {made.by}{marks}; residual {residual}, {made.mm_per_px():.2f} mm a pixel",
        f"{'lens':10} {lens}",
        f"{'zones':10} {', '.join(made.zones) or 'none'}",
        *(f"{'':10} {line}" for line in outcome.advice),
        f"stored     {path}",
        f"use it     companion run --calibration {path}, or [vision] calibration in companion.toml",
    ]
    click.echo("\n".join(lines))


def _lines(found: Sequence[Check]) -> list[str]:
    return [
        f"{check.name:10} {check.state:5} {check.found}{' -> ' + check.fix if check.fix else ''}" for check in found
    ]


def _lens(boards: Sequence[str], settings: Settings, size: tuple[int, int]) -> tuple[Lens, tuple[str, ...]]:
    """The lens from pictures of the board, and what is to be said of it."""
    if tuple(boards) == ("camera",):
        views = _filmed_boards(settings)
    else:
        shown = [required_picture(file) for file in _spread(boards)]
        if any((picture.shape[1], picture.shape[0]) != size for picture in shown):
            raise UsageError("the board's pictures must be of the size of the table's", code="calibration-size")
        views = [view for picture in shown if (view := board_view(picture)) is not None]
    fitted = fit_lens(views, size)
    return fitted.lens, fitted.advice


def _filmed(settings: Settings) -> list[NDArray[np.uint8]]:
    """The newest of some pictures that the camera takes."""
    camera = camera_from(settings.camera)
    if camera is None:
        raise UsageError("no camera and no picture: name pictures, or a camera with --camera", code="no-camera")
    camera.open()
    try:
        taken = [frame.picture for _ in range(WARM_FRAMES + FRAMES) if (frame := camera.next()) is not None]
    finally:
        camera.close()
    if not taken:
        raise UsageError(f"{camera.name} gave no picture", code="no-camera")
    return taken[-FRAMES:]


def _filmed_boards(settings: Settings) -> list[BoardView]:
    """The board as it is held before the camera, each time at another place, until there are enough views."""
    camera = camera_from(settings.camera)
    if camera is None:
        raise UsageError("no camera to show the board to: name one with --camera", code="no-camera")
    views: list[BoardView] = []
    camera.open()
    try:
        while len(views) < BOARD_VIEWS and (frame := camera.next()) is not None:
            view = board_view(frame.picture)
            if view is not None and all(_has_moved(view, other, frame.picture.shape[1]) for other in views):
                views.append(view)
                click.echo(f"board {len(views)} of {BOARD_VIEWS}: hold it elsewhere, and at another angle", err=True)
    except KeyboardInterrupt:
        click.echo("enough boards", err=True)
    finally:
        camera.close()
    return views


def _has_moved(view: BoardView, other: BoardView, width_px: int) -> bool:
    both = {tuple(at): k for k, at in enumerate(other.printed_mm.tolist())}
    pairs = [(k, both[tuple(at)]) for k, at in enumerate(view.printed_mm.tolist()) if tuple(at) in both]
    if not pairs:
        return True
    mine, theirs = (np.array(side) for side in zip(*pairs, strict=True))
    off = np.linalg.norm(view.seen_px[mine] - other.seen_px[theirs], axis=1)
    return float(off.mean()) > 0.08 * width_px


def _spread(paths: Sequence[str]) -> list[PictureFile]:
    """Pictures, and for each folder those in it."""
    spread: list[PictureFile] = []
    for file in map(PictureFile, paths):
        inside = file.inside() if file.is_folder() else [file]
        spread += inside[:: max(1, len(inside) // _MOST_PICTURES)]
    if not spread:
        raise UsageError(f"no pictures in {', '.join(paths)}", code="unreadable-image")
    return spread


def _point(text: str) -> tuple[float, float]:
    return _pair(text, ",", f"{text!r} is no point in pixels, as in 120,80")


def _size(text: str) -> tuple[float, float]:
    size = _pair(text.lower(), "x", f"{text!r} is no size in mm, as in 297x210")
    if min(size) <= 0:
        raise UsageError(f"{text!r}: a size is more than 0")
    return size


def _pair(text: str, between: str, complaint: str) -> tuple[float, float]:
    try:
        first, second = (float(part) for part in text.split(between))
    except ValueError:
        raise UsageError(complaint) from None
    if not np.isfinite([first, second]).all():
        raise UsageError(complaint)
    return first, second


def _zone(text: str) -> tuple[str, tuple[tuple[float, float], ...]]:
    name, _, points = text.partition("=")
    if not name.strip() or not points.split():
        raise UsageError(f"{text!r} is no zone, as in --zone 'Desten=120,80 300,320'")
    return name.strip(), tuple(_point(point) for point in points.split())
