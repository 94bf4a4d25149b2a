"""Sheets to print: as a file, rasterised and measured."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli.main import main
from companion.errors import UsageError
from companion.games.comet import deck as comet
from companion.games.hexapod import deck as hexapod
from companion.games.hexdragon import deck as hexdragon
from companion.games.hexdragon.rules.tiles import START
from companion.games.hexel.deck import APOTHEM_MM, FACES, SIDE_MM, face_shapes
from companion.printing.material import materials, sheets_of
from companion.printing.pdf import pdf
from companion.printing.raster import raster
from companion.printing.shapes import Band, Polygon, bounds, moved
from companion.printing.sheets import FOOTER_MM, PAPERS, RULER_MM, Sheet

DPI = 300
PX_PER_MM = DPI / 25.4
NEAR_ENOUGH_MM = 0.2
SIZES = {
    "hexel36": (2 * APOTHEM_MM, 2 * SIDE_MM),
    "hexdragon4": (2 * hexdragon.APOTHEM_MM, 2 * hexdragon.SIDE_MM),
    "comet": (63.0, 88.0),
    "comet-keyed": (63.0, 88.0),
    "hexapod": (50.0, 50.0),
}
DESIGNERS = {
    "hexel": ("Michael Corry", "gamesofthegalaxy.com/hexelqr", "CC BY-NC-ND"),
    "hexdragon": ("Ondrej 'Nero' Sová", "nerogames.sk", "all rights reserved"),
    "comet": ("Yennefer von Groddeck", "gamesofthegalaxy.com/sevencardcomet", "CC BY-NC-ND"),
    "hexapod": ("Mike Kay", "beta rule book", "its author's"),
}

rasterised = pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="pdftoppm (poppler-utils) is not installed")


def pictures(folder: Path, sheets: tuple[Sheet, ...], dpi: int = DPI) -> list[np.ndarray]:
    """What a printer would put on the paper, in grey."""
    (folder / "sheets.pdf").write_bytes(pdf(sheets, "test"))
    command = ["pdftoppm", "-r", str(dpi), "-gray", str(folder / "sheets.pdf"), str(folder / "page")]
    subprocess.run(command, check=True)
    return [cv2.imread(str(page), cv2.IMREAD_GRAYSCALE) for page in sorted(folder.glob("page*.pgm"))]


def fronts_of(what: str, paper: str) -> list[Sheet]:
    return [sheet for sheet in sheets_of(what, paper) if not sheet.is_back]


def printed(what: str, faces: list) -> Counter:
    """How often each face stands on the fronts, as it is drawn."""
    found: Counter = Counter()
    for sheet in fronts_of(what, "a4"):
        drawn = [clipped.shapes for clipped in sheet.clipped]
        for place in sheet.places:
            found.update(face for face in set(faces) if moved(face, place) in drawn)
    return found


@pytest.mark.parametrize("deck, edition", [("hexel36", "36"), ("hexel46", "46")])
def test_every_hexel_card_of_a_deck_is_printed_once(deck: str, edition: str) -> None:
    faces = [face_shapes(face, edition) for face in FACES[edition]]
    assert printed(deck, faces) == Counter(faces)


@pytest.mark.parametrize("printing", ["mono", "keyed"])
def test_every_comet_card_is_printed_once(printing: comet.PrintingName) -> None:
    faces = [comet.face_shapes(card, printing) for card in comet.deck()]
    assert printed("comet" if printing == "mono" else "comet-keyed", faces) == Counter(faces)
    assert len(faces) == 123


def test_every_hexapod_card_is_printed_once_and_the_spider() -> None:
    faces = [hexapod.face_shapes(card) for card in (*hexapod.deck(), hexapod.SPIDER)]
    assert printed("hexapod", faces) == Counter(faces)
    assert len(faces) == 42


def test_hexdragon_for_four_is_two_supply_sets_all_heads_the_start_and_a_star_for_each() -> None:
    faces = [hexdragon.face_shapes(tile) for tile in (START, *hexdragon.BODY_SET * 2)]
    faces += [hexdragon.face_shapes(tile, colour) for colour in hexdragon.COLOURS for tile in hexdragon.HEADS]
    assert printed("hexdragon4", faces) == Counter(faces)
    stars = fronts_of("hexdragon4", "a4")[-1]
    inks = [shape.fill for shape in stars.shapes if isinstance(shape, Polygon)]
    assert inks == list(hexdragon.OWNER_INKS.values()) and len(stars.places) == 4


@pytest.mark.parametrize("paper", list(PAPERS))
@pytest.mark.parametrize("what", SIZES)
def test_a_back_lies_behind_each_front_when_the_paper_is_turned_over(what: str, paper: str) -> None:
    sheets = sheets_of(what, paper)
    backs = [k for k, sheet in enumerate(sheets) if sheet.is_back]
    assert backs
    for k in backs:
        behind = [(round(PAPERS[paper][0] - x, 6), round(y, 6)) for x, y in sheets[k].places]
        assert behind == [(round(x, 6), round(y, 6)) for x, y in sheets[k - 1].places]


@pytest.mark.parametrize("paper", list(PAPERS))
@pytest.mark.parametrize("what", materials())
def test_everything_lies_on_the_paper_and_above_the_foot(what: str, paper: str) -> None:
    width, height = PAPERS[paper]
    for sheet in sheets_of(what, paper):
        box = bounds(sheet.shapes)
        assert min(box.left_mm, box.top_mm, width - box.right_mm, height - box.bottom_mm) > 4
        for x, y in (corner for clipped in sheet.clipped for corner in clipped.window):
            assert 4 < x < width - 4 and 4 < y <= height - FOOTER_MM + 0.001


@pytest.mark.parametrize("what", SIZES)
def test_cards_do_not_cover_one_another(what: str) -> None:
    for sheet in fronts_of(what, "letter"):
        if sheet.clipped:
            gaps = [np.hypot(a[0] - b[0], a[1] - b[1]) for a in sheet.places for b in sheet.places if a != b]
            assert min(gaps) >= SIZES[what][0] - 0.001


@pytest.mark.parametrize("what", [what for what in materials() if what.split("-")[0].rstrip("0123456789") in DESIGNERS])
def test_each_sheet_says_who_made_the_game_and_under_what_terms(what: str) -> None:
    for sheet in sheets_of(what, "a4"):
        words = " ".join(text.words for text in sheet.texts)
        assert "100 %" in words
        assert all(part in words for part in DESIGNERS[what.split("-")[0].rstrip("0123456789")])


@rasterised
@pytest.mark.parametrize("paper", list(PAPERS))
@pytest.mark.parametrize("what", SIZES)
def test_printed_cards_and_the_ruler_have_their_size(tmp_path: Path, what: str, paper: str) -> None:
    sheet = fronts_of(what, paper)[0]
    page = pictures(tmp_path, (every_other(sheet),))[0]
    assert abs(page.shape[1] / PX_PER_MM - PAPERS[paper][0]) < 0.1
    _, _, stats, _ = cv2.connectedComponentsWithStats((page < 250).astype(np.uint8))
    cards = [stat for stat in stats[1:] if stat[cv2.CC_STAT_HEIGHT] > 40 * PX_PER_MM]
    rulers = [stat for stat in stats[1:] if stat[cv2.CC_STAT_HEIGHT] < 10 * PX_PER_MM]
    assert (len(cards), len(rulers)) == (-(-len(sheet.places) // 2), 1)
    for left, top, width, height, _ in cards:
        assert width / PX_PER_MM == pytest.approx(SIZES[what][0], abs=NEAR_ENOUGH_MM)
        assert height / PX_PER_MM == pytest.approx(SIZES[what][1], abs=NEAR_ENOUGH_MM)
        centre = ((left + width / 2) / PX_PER_MM, (top + height / 2) / PX_PER_MM)
        assert min(np.hypot(x - centre[0], y - centre[1]) for x, y in sheet.places) < 0.1
    assert rulers[0][cv2.CC_STAT_WIDTH] / PX_PER_MM == pytest.approx(RULER_MM + 0.2, abs=NEAR_ENOUGH_MM)


def every_other(sheet: Sheet) -> Sheet:
    """The sheet with its ruler, but without ticks and with a gap where every second card would be: cards may touch."""
    kept = tuple(shape for shape in sheet.shapes if not (isinstance(shape, Band) and shape.width_mm < 0.15))
    return Sheet(sheet.paper_mm, kept, (), sheet.places, clipped=sheet.clipped[::2])


@rasterised
@pytest.mark.parametrize("what, paper", [("hexdragon-board", "a4"), ("hexdragon-board4", "letter")])
def test_a_board_put_together_from_its_sheets_is_the_board(tmp_path: Path, what: str, paper: str) -> None:
    dpi = 60
    scale = dpi / 25.4
    sheets = fronts_of(what, paper)
    unmarked = tuple(Sheet(s.paper_mm, (), (), s.places, clipped=s.clipped) for s in sheets)
    pages = pictures(tmp_path, unmarked, dpi)
    board = hexdragon.board_shapes(3 if what.endswith("4") else 2)
    box = bounds(board)
    put = np.full((round(box.height_mm * scale) + 1, round(box.width_mm * scale) + 1), 255, np.uint8)
    for sheet, page in zip(sheets, pages, strict=True):
        (left, top), _, (right, bottom), _ = sheet.clipped[0].window
        whole = bounds(sheet.clipped[0].shapes)
        rows, columns = (
            slice(round(top * scale), round(bottom * scale)),
            slice(round(left * scale), round(right * scale)),
        )
        y, x = round((top - whole.top_mm) * scale), round((left - whole.left_mm) * scale)
        piece = page[rows, columns][: put.shape[0] - y, : put.shape[1] - x]
        put[y : y + piece.shape[0], x : x + piece.shape[1]] = piece
    drawn = raster(board, scale, box)
    wanted = cv2.cvtColor(drawn, cv2.COLOR_BGRA2GRAY).astype(float) * (drawn[:, :, 3] / 255) + 255 - drawn[:, :, 3]
    got = put[: wanted.shape[0], : wanted.shape[1]].astype(float)
    assert np.abs(cv2.GaussianBlur(got - wanted, (0, 0), 2)).max() < 40, "no cell's line is off by more than half a mm"


def test_sheets_of_a_board_share_the_marks_of_their_seams() -> None:
    seen: Counter = Counter()
    for sheet in fronts_of("hexdragon-board4", "a4"):
        origin = bounds(sheet.clipped[0].shapes)
        for shape in sheet.shapes:
            if type(shape).__name__ == "Ring":
                seen[round(shape.centre[0] - origin.left_mm, 3), round(shape.centre[1] - origin.top_mm, 3)] += 1
    assert seen and set(seen.values()) == {2}


@rasterised
def test_the_text_ends_before_the_paper_does(tmp_path: Path) -> None:
    words = tuple(
        fronts_of(what, "a4")[0] for what in ("hexel46", "hexdragon-board4", "comet-keyed", "hexapod", "marks")
    )
    for page in pictures(tmp_path, tuple(Sheet(s.paper_mm, (), s.texts, ()) for s in words), 100):
        inked = np.flatnonzero((page < 250).any(axis=0)) * 25.4 / 100
        assert inked[0] > 5 and inked[-1] < PAPERS["a4"][0] - 5


def test_the_backs_colour_runs_on_beyond_the_cut() -> None:
    back = sheets_of("hexel36", "a4")[1]
    widths = [bounds((shape,)).width_mm for shape in back.shapes if isinstance(shape, Polygon)]
    assert max(widths) > 2 * APOTHEM_MM + 2


def test_the_same_sheets_are_the_same_file() -> None:
    sheets = sheets_of("hexel36", "a4")[:1]
    assert pdf(sheets, "deck") == pdf(sheets, "deck")


@rasterised
@pytest.mark.parametrize("paper", list(PAPERS))
def test_printed_marks_are_those_of_the_dictionary_and_have_their_size(tmp_path: Path, paper: str) -> None:
    sheet = sheets_of("marks", paper)[0]
    page = pictures(tmp_path, (sheet,))[0]
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    corners, ids, _ = detector.detectMarkers(page)
    assert sorted(ids.reshape(-1)) == [0, 1, 2, 3]
    for found, number in zip(corners, ids.reshape(-1), strict=True):
        sides = np.linalg.norm(found.reshape(-1, 2) - np.roll(found.reshape(-1, 2), 1, axis=0), axis=1)
        assert sides / PX_PER_MM == pytest.approx([30.0] * 4, abs=NEAR_ENOUGH_MM)
        assert found.reshape(-1, 2).mean(axis=0) / PX_PER_MM == pytest.approx(sheet.places[number], abs=NEAR_ENOUGH_MM)


@rasterised
@pytest.mark.parametrize("paper", list(PAPERS))
def test_the_lens_board_is_printed_whole_and_has_its_size(tmp_path: Path, paper: str) -> None:
    page = pictures(tmp_path, sheets_of("lens-board", paper))[0]
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    corners, ids, _ = detector.detectMarkers(page)
    assert len(ids) == 31 and not {0, 1, 2, 3} & set(ids.reshape(-1).tolist())
    sides = [np.linalg.norm(c.reshape(-1, 2)[0] - c.reshape(-1, 2)[1]) / PX_PER_MM for c in corners]
    assert sides == pytest.approx([18.0] * 31, abs=NEAR_ENOUGH_MM)


def test_what_there_is_not_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"hexel99.*hexel36"):
        sheets_of("hexel99", "a4")
    with pytest.raises(UsageError, match=r"a5.*letter"):
        sheets_of("hexel36", "a5")


def test_the_command_writes_the_file_and_says_how_to_print_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["print", "hexel46", "--paper", "letter", "--out", str(tmp_path / "deck.pdf")]) == 0
    assert re.search(r"46 pieces; 6 sheets of two sides.*long edge\nprint at 100 %", capsys.readouterr().out)
    assert (tmp_path / "deck.pdf").read_bytes().startswith(b"%PDF")
    assert main(["print", "hexel46", "--out", str(tmp_path)]) == 2
