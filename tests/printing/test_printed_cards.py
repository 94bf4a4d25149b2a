"""From the printer back to the reader: sheets cut out, laid on a table and read by `companion read`."""

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.cli.main import main
from companion.games.comet import deck as comet
from companion.games.hexapod import deck as hexapod
from companion.games.hexdragon import deck as hexdragon
from companion.games.hexdragon.rules.tiles import START, Tile
from companion.games.hexel import deck as hexel
from companion.printing.material import sheets_of
from companion.printing.pdf import pdf
from companion.printing.sheets import Sheet
from companion.rules.hexgrid import cells_within, turned

DPI = 150
PX_PER_MM = DPI / 25.4
CAMERA_PX_PER_MM = 2.4
WIDE_MM, HIGH_MM = 640.0, 400.0
CLOTH = (72, 96, 60)
SHEETS = 2
"""So many of a deck's sheets are read, evenly picked."""

Lies = tuple[float, float, float]
"""Where a card's middle lies, from the table's, and its turn in degrees."""

rasterised = pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="pdftoppm (poppler-utils) is not installed")


def apart(apart_mm: float, turn_deg: float) -> list[Lies]:
    """Nine places in three rows, each turned a little more than the one before."""
    return [((n % 3 - 1) * apart_mm, (n // 3 - 1) * apart_mm, turn_deg * (n - 3)) for n in range(9)]


def edge_to_edge() -> list[Lies]:
    """The cells around a board's middle, as hands lay tiles there."""
    cells = [cell for cell in cells_within(2) if cell != (0, 0)]
    return [(1.03 * x, 1.03 * y, 2.0 * (-1) ** n) for n, (x, y) in enumerate(hexdragon.cell_centre(*c) for c in cells)]


def cut_out(page: np.ndarray, sheet: Sheet, k: int, lies: Lies, table: np.ndarray) -> None:
    """Lay one of a sheet's cards on a table."""
    x, y, angle = lies[0] + WIDE_MM / 2, lies[1] + HIGH_MM / 2, np.radians(lies[2])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shift = np.array([x, y]) * PX_PER_MM - turn @ (np.array(sheet.places[k]) * PX_PER_MM)
    cut = turn @ (np.array(sheet.clipped[k].window).T * PX_PER_MM) + shift[:, None]
    left, top = np.maximum(np.floor(cut.min(1)).astype(int), 0)
    right, bottom = np.ceil(cut.max(1)).astype(int) + 1
    around = table[top:bottom, left:right]
    size, corner = (around.shape[1], around.shape[0]), np.array([left, top])
    laid = cv2.warpAffine(page, np.hstack([turn, (shift - corner)[:, None]]), size, flags=cv2.INTER_AREA)
    mask = np.zeros(around.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(cut.T - corner).astype(np.int32)], 255)
    around[mask > 0] = laid[mask > 0]


def laid_out(folder: Path, deck: str, places: list[Lies], most: int = SHEETS, *, has_start: bool = False) -> list[Path]:
    """Pictures of tables with the cards of some of a deck's sheets; ``has_start`` lays the first amid all others."""
    fronts = picked(deck, most)
    (folder / "deck.pdf").write_bytes(pdf(fronts, deck))
    subprocess.run(["pdftoppm", "-r", str(DPI), str(folder / "deck.pdf"), str(folder / "page")], check=True)
    pages = [cv2.imread(str(page)) for page in sorted(folder.glob("page*.ppm"))]
    tables = []
    for number, (sheet, page) in enumerate(zip(fronts, pages, strict=True)):
        cards = list(range(has_start and number == 0, len(sheet.places)))
        for first in range(0, len(cards), len(places)):
            table = np.full((round(HIGH_MM * PX_PER_MM), round(WIDE_MM * PX_PER_MM), 3), CLOTH, np.uint8)
            for k, lies in zip(cards[first : first + len(places)], places, strict=False):
                cut_out(page, sheet, k, lies, table)
            if has_start:
                cut_out(pages[0], fronts[0], 0, (0.0, 0.0, 0.0), table)
            tables.append(folder / f"table{len(tables):02}.png")
            smaller = CAMERA_PX_PER_MM / PX_PER_MM
            cv2.imwrite(str(tables[-1]), cv2.resize(table, None, fx=smaller, fy=smaller, interpolation=cv2.INTER_AREA))
    return tables


def picked(deck: str, most: int) -> list[Sheet]:
    """So many of a deck's sheets, evenly picked."""
    fronts = [sheet for sheet in sheets_of(deck, "a4") if not sheet.is_back and sheet.clipped]
    return fronts[:: max(1, -(-len(fronts) // most))]


def printed(deck: str, faces: list[Any], most: int = SHEETS) -> Counter[Any]:
    """The faces on those sheets."""
    fronts = [sheet for sheet in sheets_of(deck, "a4") if not sheet.is_back and sheet.clipped]
    size = max(len(sheet.places) for sheet in fronts)
    numbers = range(0, len(fronts), max(1, -(-len(fronts) // most)))
    return Counter(face for k in numbers for face in faces[k * size : (k + 1) * size])


def read(game: str, tables: list[Path], capsys: pytest.CaptureFixture[str], *more: str) -> list[dict[str, Any]]:
    assert main(["read", "--game", game, *more, "--json", *map(str, tables)]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@rasterised
@pytest.mark.parametrize("deck, edition", [("hexel36", "36"), ("hexel46", "46")])
def test_printed_hexel_cards_are_read_back_without_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], deck: str, edition: str
) -> None:
    told = read("hexel", laid_out(tmp_path, deck, apart(88.0, 7.0)), capsys, "--deck", deck)
    seen = Counter(least(card["edges"]) for one in told for card in one["cards"] + one["loose"])
    assert seen == Counter(map(least, printed(deck, list(hexel.FACES[edition])).elements()))


def least(edges: Any) -> tuple[str, ...]:
    return min(turned(tuple(edges), turns) for turns in range(6))


@rasterised
@pytest.mark.parametrize("deck", ["comet", "comet-keyed"])
def test_printed_comet_cards_are_read_back_without_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], deck: str
) -> None:
    told = read("comet", laid_out(tmp_path, deck, apart(108.0, 5.0)), capsys)
    assert [one["warnings"] for one in told] == [[]] * len(told)
    seen = Counter(tuple(card["values"]) for one in told for card in one["cards"])
    assert seen == Counter(tuple(sorted(card)) for card in printed(deck, list(comet.deck())).elements())


@rasterised
def test_printed_hexapod_cards_are_read_back_without_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = read("hexapod", laid_out(tmp_path, "hexapod", apart(76.0, 3.0)), capsys)
    assert [one["warnings"] for one in told] == [[]] * len(told)
    seen = Counter(tuple(map(tuple, card["cells"])) for one in told for card in one["loose"])
    assert seen == printed("hexapod", [*hexapod.deck(), hexapod.SPIDER])


@rasterised
def test_printed_hexdragon_tiles_are_read_back_without_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = laid_out(tmp_path, "hexdragon4", edge_to_edge(), has_start=True)
    told = read("hexdragon", tables, capsys)
    assert not [warned for one in told for warned in one["warnings"] if warned["code"] == "unsure"]
    seen = Counter(shape(tile) for one in told for tile in one["tiles"] if tile["kind"] != "start")
    tiles = [(START, None), *((tile, None) for tile in hexdragon.BODY_SET * 2)]
    tiles += [(tile, colour) for colour in hexdragon.COLOURS for tile in hexdragon.HEADS]
    wanted = printed("hexdragon4", tiles)
    assert seen == Counter((tile.kind, tile.shape, colour) for tile, colour in wanted.elements() if tile != START)


def shape(told: dict[str, Any]) -> tuple[Any, ...]:
    paths = tuple((a, b) for a, b in told["paths"])
    return told["kind"], Tile(told["kind"], paths, told["head"], tuple(told["tails"])).shape, told["owner"]
