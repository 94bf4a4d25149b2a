"""The command that finds every card on pictures, whatever is printed on it."""

import json
from time import perf_counter
from typing import Any

import click
import cv2

from companion.cli.pictures import pictures_in, read_picture
from companion.cli.terminal import progress, say
from companion.cli.vision import report_unreadable
from companion.vision.detection.outlines import detect_outlines
from companion.vision.detection.sizes import parse_size_mm

SIDES = {"rect": 4, "hex": 6}


@click.command("outline")
@click.option("--shape", type=click.Choice(sorted(SIDES)), required=True, help="Shape of the cards.")
@click.option("--size-mm", help="Size of the cards as WxH, such as 63x88; of a hexagon, of its box.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON Lines, for programs.")
@click.argument("images", nargs=-1, required=True, type=click.Path(readable=False))
def outline_command(shape: str, size_mm: str | None, as_json: bool, images: tuple[str, ...]) -> int:
    """Find the corners of every card of a shape, whatever is printed on it, face up or face down."""
    size = None if size_mm is None else parse_size_mm(size_mm)
    cv2.setNumThreads(1)
    status = 0
    files = pictures_in(images)
    for file in progress(files, len(files), "looking"):
        picture = read_picture(file.path)
        if picture is None:
            status = 1
            report_unreadable(file, as_json)
            continue
        begun = perf_counter()
        found = detect_outlines(picture, SIDES[shape], size)
        took = round((perf_counter() - begun) * 1000, 1)
        cards: list[dict[str, Any]] = [
            {"corners": outline.corners.round(2).tolist(), "confidence": round(outline.confidence, 3)}
            for outline in found
        ]
        if as_json:
            pixels = [picture.shape[1], picture.shape[0]]
            line = {"image": file.given, "ok": True, "size": pixels, "ms": took, "cards": cards, "warnings": []}
            say(json.dumps(line))
        else:
            say(f"{file.given}: {len(cards)} {'card' if len(cards) == 1 else 'cards'}, {took} ms")
            for card in cards:
                corners = "  ".join(f"{x:.1f},{y:.1f}" for x, y in card["corners"])
                say(f"  {corners}  confidence {card['confidence']:.2f}")
    return status
