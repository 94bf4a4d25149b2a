"""From the printer back to the reader: a sheet cut out, laid on a table and read by `companion read`."""

import json
import shutil
import subprocess
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli import main
from companion.decks.hexel import FACES, outline, turned
from companion.decks.material import sheets_of
from companion.decks.printer import pdf
from companion.decks.sheets import Sheet

DPI = 150
PX_PER_MM = DPI / 25.4
APART_MM = 88.0
CLOTH = (72, 96, 60)


def cut_out_and_laid(page: np.ndarray, sheet: Sheet) -> np.ndarray:
    """The sheet's cards on a cloth, apart from each other and each turned a little."""
    rows = -(-len(sheet.places) // 3)
    table = np.full((round(rows * APART_MM * PX_PER_MM), round(3 * APART_MM * PX_PER_MM), 3), CLOTH, np.uint8)
    for k, place in enumerate(sheet.places):
        lies_at = (np.array([k % 3, k // 3]) + 0.5) * APART_MM * PX_PER_MM
        angle = np.radians(7 * k - 20)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        shift = lies_at - turn @ (np.array(place) * PX_PER_MM)
        cut = turn @ (np.array(outline()).T * PX_PER_MM) + lies_at[:, None]
        size = (table.shape[1], table.shape[0])
        laid = cv2.warpAffine(page, np.hstack([turn, shift[:, None]]), size, flags=cv2.INTER_AREA)
        mask = np.zeros(table.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.round(cut.T).astype(np.int32)], 255)
        table[mask > 0] = laid[mask > 0]
    return table


@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="pdftoppm (poppler-utils) is not installed")
@pytest.mark.parametrize("deck, edition", [("hexel36", "36"), ("hexel46", "46")])
def test_a_printed_sheet_is_read_back_without_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], deck: str, edition: str
) -> None:
    fronts = sheets_of(deck, "a4")[::2]
    (tmp_path / "deck.pdf").write_bytes(pdf(fronts, deck))
    subprocess.run(["pdftoppm", "-r", str(DPI), str(tmp_path / "deck.pdf"), str(tmp_path / "page")], check=True)
    pages = sorted(tmp_path.glob("page*.ppm"))
    for number, (sheet, page) in enumerate(zip(fronts, pages, strict=True)):
        cv2.imwrite(str(tmp_path / f"table{number}.png"), cut_out_and_laid(cv2.imread(str(page)), sheet))
    tables = sorted(tmp_path.glob("table*.png"))
    assert main(["read", "--game", "hexel", "--deck", deck, "--json", *map(str, tables)]) == 0
    read = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [told["warnings"] for told in read] == [[]] * len(fronts)
    seen = [least(card["edges"]) for told in read for card in told["cards"] + told["loose"]]
    assert sorted(seen) == sorted(least(face) for face in FACES[edition])


def least(edges: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return min(turned(tuple(edges), turns) for turns in range(6))
