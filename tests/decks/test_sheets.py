"""Sheets to print: as a file, rasterised and measured."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli import main
from companion.decks.hexel import APOTHEM_MM, FACES, SIDE_MM, face_shapes
from companion.decks.printer import pdf
from companion.decks.shapes import Band, Polygon, bounds, moved
from companion.decks.sheets import PAPERS, RULER_MM, Sheet, deck_sheets, mark_sheets
from companion.errors import UsageError

DPI = 300
PX_PER_MM = DPI / 25.4
NEAR_ENOUGH_MM = 0.2

rasterised = pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="pdftoppm (poppler-utils) is not installed")


def pictures(folder: Path, sheets: tuple[Sheet, ...]) -> list[np.ndarray]:
    """What a printer would put on the paper, in grey."""
    (folder / "sheets.pdf").write_bytes(pdf(sheets, "test"))
    command = ["pdftoppm", "-r", str(DPI), "-gray", str(folder / "sheets.pdf"), str(folder / "page")]
    subprocess.run(command, check=True)
    return [cv2.imread(str(page), cv2.IMREAD_GRAYSCALE) for page in sorted(folder.glob("page*.pgm"))]


@pytest.mark.parametrize("paper", list(PAPERS))
@pytest.mark.parametrize("deck, edition", [("hexel36", "36"), ("hexel46", "46")])
def test_every_card_of_a_deck_is_printed_once(deck: str, edition: str, paper: str) -> None:
    fronts = deck_sheets(deck, paper)[::2]
    printed = Counter()
    for face, count in Counter(FACES[edition]).items():
        for sheet in fronts:
            shapes = set(sheet.shapes)
            printed[face] += sum(shapes >= set(moved(face_shapes(face, edition), place)) for place in sheet.places)
        assert printed[face] == count


@pytest.mark.parametrize("paper", list(PAPERS))
def test_a_back_lies_behind_each_front_when_the_paper_is_turned_over(paper: str) -> None:
    sheets = deck_sheets("hexel46", paper)
    for front, back in zip(sheets[::2], sheets[1::2], strict=True):
        behind = [(round(PAPERS[paper][0] - x, 6), round(y, 6)) for x, y in back.places]
        assert behind == [(round(x, 6), round(y, 6)) for x, y in front.places]


@pytest.mark.parametrize("paper", list(PAPERS))
def test_everything_lies_on_the_paper_and_cards_do_not_touch(paper: str) -> None:
    width, height = PAPERS[paper]
    for sheet in deck_sheets("hexel36", paper):
        box = bounds(sheet.shapes)
        assert min(box.left_mm, box.top_mm, width - box.right_mm, height - box.bottom_mm) > 5
        gaps = [np.hypot(a[0] - b[0], a[1] - b[1]) for a in sheet.places for b in sheet.places if a != b]
        assert min(gaps) > 2 * APOTHEM_MM + 3


def test_each_sheet_says_who_made_the_game_and_under_what_terms() -> None:
    for sheet in deck_sheets("hexel36", "a4"):
        words = " ".join(text.words for text in sheet.texts)
        assert all(part in words for part in ("Michael Corry", "gamesofthegalaxy.com/hexelqr", "CC BY-NC-ND", "100 %"))


@rasterised
@pytest.mark.parametrize("paper", list(PAPERS))
def test_printed_cards_and_the_ruler_have_their_size(tmp_path: Path, paper: str) -> None:
    sheets = deck_sheets("hexel36", paper)[:2]
    untouched = tuple(Sheet(s.paper_mm, without_ticks(s), (), s.places) for s in sheets)
    front, _ = pictures(tmp_path, untouched)
    assert (
        front.shape == tuple(round(mm * PX_PER_MM) for mm in PAPERS[paper][::-1])
        or abs(front.shape[1] / PX_PER_MM - PAPERS[paper][0]) < 0.1
    )
    _, _, stats, _ = cv2.connectedComponentsWithStats((front < 250).astype(np.uint8))
    cards = [stat for stat in stats[1:] if stat[cv2.CC_STAT_HEIGHT] > 50 * PX_PER_MM]
    rulers = [stat for stat in stats[1:] if stat[cv2.CC_STAT_HEIGHT] < 10 * PX_PER_MM]
    assert (len(cards), len(rulers)) == (9, 1)
    for left, top, width, height, _ in cards:
        assert width / PX_PER_MM == pytest.approx(2 * APOTHEM_MM, abs=NEAR_ENOUGH_MM)
        assert height / PX_PER_MM == pytest.approx(2 * SIDE_MM, abs=NEAR_ENOUGH_MM)
        centre = ((left + width / 2) / PX_PER_MM, (top + height / 2) / PX_PER_MM)
        assert min(np.hypot(x - centre[0], y - centre[1]) for x, y in sheets[0].places) < 0.1
    assert rulers[0][cv2.CC_STAT_WIDTH] / PX_PER_MM == pytest.approx(RULER_MM + 0.2, abs=NEAR_ENOUGH_MM)


def without_ticks(sheet: Sheet) -> tuple:
    return tuple(shape for shape in sheet.shapes if not (isinstance(shape, Band) and shape.width_mm < 0.15))


@rasterised
def test_the_text_ends_before_the_paper_does(tmp_path: Path) -> None:
    front = pictures(tmp_path, deck_sheets("hexel46", "a4")[:1])[0]
    inked = np.flatnonzero((front < 250).any(axis=0)) / PX_PER_MM
    assert inked[0] > 5 and inked[-1] < PAPERS["a4"][0] - 5


def test_the_backs_colour_runs_on_beyond_the_cut() -> None:
    back = deck_sheets("hexel36", "a4")[1]
    widths = [bounds((shape,)).width_mm for shape in back.shapes if isinstance(shape, Polygon)]
    assert max(widths) > 2 * APOTHEM_MM + 2


def test_the_same_sheets_are_the_same_file() -> None:
    sheets = deck_sheets("hexel36", "a4")[:1]
    assert pdf(sheets, "deck") == pdf(sheets, "deck")


@rasterised
@pytest.mark.parametrize("paper", list(PAPERS))
def test_printed_marks_are_those_of_the_dictionary_and_have_their_size(tmp_path: Path, paper: str) -> None:
    sheet = mark_sheets(paper)[0]
    page = pictures(tmp_path, (sheet,))[0]
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    corners, ids, _ = detector.detectMarkers(page)
    assert sorted(ids.reshape(-1)) == [0, 1, 2, 3]
    for found, number in zip(corners, ids.reshape(-1), strict=True):
        sides = np.linalg.norm(found.reshape(-1, 2) - np.roll(found.reshape(-1, 2), 1, axis=0), axis=1)
        assert sides / PX_PER_MM == pytest.approx([30.0] * 4, abs=NEAR_ENOUGH_MM)
        assert found.reshape(-1, 2).mean(axis=0) / PX_PER_MM == pytest.approx(sheet.places[number], abs=NEAR_ENOUGH_MM)


def test_a_deck_or_a_paper_that_there_is_not_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"hexel99.*hexel36"):
        deck_sheets("hexel99", "a4")
    with pytest.raises(UsageError, match=r"a5.*letter"):
        deck_sheets("hexel36", "a5")


def test_the_command_writes_the_file_and_says_how_to_print_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["print", "hexel46", "--paper", "letter", "--out", str(tmp_path / "deck.pdf")]) == 0
    assert re.search(r"46 cards on 6 sheets.*long edge\nprint at 100 %", capsys.readouterr().out)
    assert (tmp_path / "deck.pdf").read_bytes().startswith(b"%PDF")
    assert main(["print", "hexel46", "--out", str(tmp_path)]) == 2
