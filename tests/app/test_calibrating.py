"""`companion calibrate` on drawn photographs: what it stores says where things lie."""

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.app.calibrating import CalibrationOptions, calibration_path
from companion.cli.main import main
from companion.errors import UsageError
from companion.games.comet.deck import pot_shapes
from companion.games.hexel.deck import FACES, face_shapes
from companion.printing.marks import MAT_MARK_INSET_MM, MAT_MM, mark_shapes, mat_mark_shapes
from companion.printing.shapes import Polygon, moved
from companion.vision.calibration.calibration import Calibration, read_calibration
from models.drawing.marked import Lying, marked_photograph
from models.drawing.pinhole import Pinhole

SIZE = (1280, 720)
SQUARE = ["--tap", "0,0", "--tap", "90,0", "--tap", "90,90", "--tap", "0,90"]
CORNERS = ((-390.0, -205.0), (385.0, -195.0), (395.0, 205.0), (-385.0, 200.0))
GRID = np.stack(np.meshgrid(np.linspace(-350, 350, 8), np.linspace(-180, 180, 5)), -1).reshape(-1, 2)


def camera(tilt_deg: float = 12.0) -> Pinhole:
    """A straight lens, leaning over the table."""
    t = np.radians(tilt_deg)
    lean = np.array([[1, 0, 0], [0, np.cos(t), -np.sin(t)], [0, np.sin(t), np.cos(t)]])
    lens = np.array([[1150.0, 0, 639.5], [0, 1150, 359.5], [0, 0, 1]])
    return Pinhole(lens @ np.column_stack([lean[:, 0], lean[:, 1], [0.0, 0.0, 1050.0]]), SIZE)


def off_mm(told: Calibration) -> np.ndarray:
    """How far points all over the table are told from where they are, once the two frames are laid over one another."""
    mm = told.table_mm(camera().project(GRID))
    a, b = GRID[:, 0] + 1j * GRID[:, 1], mm[:, 0] + 1j * mm[:, 1]
    turn = np.angle(np.sum((b - b.mean()) * np.conj(a - a.mean())))
    return np.abs((b - b.mean()) - (a - a.mean()) * np.exp(1j * turn))


Draw = Callable[[list[Lying]], Path]


@pytest.fixture(scope="module")
def draw(tmp_path_factory: pytest.TempPathFactory) -> Draw:
    """Photographs what lies on the table."""

    def one(things: list[Lying]) -> Path:
        rng = np.random.default_rng(7)
        picture = marked_photograph(rng, camera(), things, table="felt", mood="daylight", hardness=0.5)
        path = tmp_path_factory.mktemp("photographs") / "table.png"
        cv2.imwrite(str(path), picture)
        return path

    return one


@pytest.fixture(scope="module")
def bare(draw: Draw) -> Path:
    """A table with nothing on it."""
    return draw([])


def told(capsys: pytest.CaptureFixture[str]) -> dict:
    return json.loads(capsys.readouterr().out)


def test_marks_and_mats_tell_the_table_and_its_pots(draw: Draw, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    place = (MAT_MM[0] / 2 - MAT_MARK_INSET_MM, MAT_MARK_INSET_MM - MAT_MM[1] / 2)
    paper = Polygon(
        tuple((x * MAT_MM[0] / 2, y * MAT_MM[1] / 2) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))), "#F4F4F0"
    )
    mat = (paper, *pot_shapes(1, *MAT_MM), *moved(mat_mark_shapes(0), place))
    things = [Lying(mark_shapes(n), at, 5.0 * n) for n, at in enumerate(CORNERS)] + [Lying(mat, (-100.0, 20.0), 20.0)]
    picture = draw(things)
    assert main(["calibrate", "--venue", "Kitchen table", "--data", str(tmp_path), "--json", str(picture)]) == 0
    answer = told(capsys)
    assert answer["by"] == "marks"
    assert answer["residual_mm"] < 0.3
    made = read_calibration(tmp_path / "calibration" / "kitchen-table.toml")
    assert off_mm(made).max() < 3
    on_mat = camera().project(np.array([[-100.0, 20.0], [-100.0, 150.0], [200.0, 20.0]]))
    assert [made.zone_of((float(x), float(y))) for x, y in on_mat] == ["Desten", None, None]


def test_cards_of_known_size_tell_the_table(draw: Draw, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    places = ((-330, -150), (330, -150), (330, 160), (-330, 160), (0, 0), (150, 60))
    things = [Lying(face_shapes(FACES["36"][n], "36"), at, 13.0 * n) for n, at in enumerate(places)]
    assert main(["calibrate", "--data", str(tmp_path), "--json", str(draw(things))]) == 0
    answer = told(capsys)
    assert answer["by"] == "card"
    assert off_mm(read_calibration(Path(answer["file"]))).max() < 25


def test_four_taps_tell_the_table_and_name_a_zone(bare: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    sheet = camera().project(np.array([[-148.5, -105.0], [148.5, -105], [148.5, 105], [-148.5, 105]])).round(1)
    taps = [word for x, y in sheet for word in ("--tap", f"{x},{y}")]
    (x0, y0), (x1, y1) = sheet[0], sheet[2]
    zone = ["--zone", f"case 1={x0},{y0} {x1},{y1}"]
    out = tmp_path / "here.toml"
    assert main(["calibrate", *taps, *zone, "--out", str(out), str(bare)]) == 0
    assert "Four corners alone cannot tell" in capsys.readouterr().out
    made = read_calibration(out)
    assert made.residual_mm is None
    assert off_mm(made).max() < 2
    assert made.zone_of((float(sheet[:, 0].mean()), float(sheet[:, 1].mean()))) == "case 1"


def test_a_table_that_nothing_tells_is_refused_with_what_would(
    bare: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    assert main(["calibrate", "--data", str(tmp_path), str(bare)]) == 2
    assert "lay the printed marks" in capsys.readouterr().err
    assert not (tmp_path / "calibration").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--tap", "1,2"], "four corners are needed, not 1"),
        (["--tap", "1;2"], "'1;2' is no point"),
        (["--tap", "0,0", "--tap", "0,50", "--tap", "50,50", "--tap", "50,0"], "clockwise as seen"),
        (["--sheet", "297"], "is no size in mm"),
        ([*SQUARE, "--sheet", "1e300x1e300"], "a sheet or mat is 5 to 20000 mm"),
        ([*SQUARE, "--sheet", "1e-320x1"], "a sheet or mat is 5 to 20000 mm"),
        (["--tap", "1e308,1", *SQUARE[2:]], "must lie on the picture"),
        (["--tap", "0,0", "--tap", "90,0", "--tap", "90,1e-9", "--tap", "0,1e-9"], "clockwise as seen"),
        (["--zone", "Desten"], "is no zone"),
        (["--venue", "!!!"], "a venue needs a name"),
        (["--venue", "v\udcff"], "is no name"),
        (["--zone", "z\udcff=1,1 2,2"], "is no name"),
        (["--lens", "{picture}"], "the lens needs 4 pictures of the board or more"),
        (["--camera", "none"], None),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    arguments: list[str], complaint: str | None, bare: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    words = [word.format(picture=bare) for word in arguments] + ([] if complaint is None else [str(bare)])
    assert main(["calibrate", "--data", str(tmp_path), *words]) == 2
    assert (complaint or "no camera and no picture") in capsys.readouterr().err


def test_the_check_says_whether_a_picture_is_fit(draw: Draw, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    black = tmp_path / "black.png"
    cv2.imwrite(str(black), np.full((360, 640, 3), 4, np.uint8))
    assert main(["calibrate", "--check", "--json", str(black)]) == 1
    answer = told(capsys)
    assert not answer["ok"]
    assert "too dark" in answer["checks"][0]["fix"]
    cards = [Lying(face_shapes(FACES["36"][n], "36"), (120.0 * n - 120, 0.0)) for n in range(3)]
    assert main(["calibrate", "--check", str(draw(cards))]) == 0


def test_venues_get_files_that_any_system_can_keep(tmp_path: Path) -> None:
    assert calibration_path(tmp_path, "Ana's: kitchen / 2").name == "ana-s-kitchen-2.toml"
    for impossible in ("///", "k" * 300):
        with pytest.raises(UsageError):
            calibration_path(tmp_path, impossible)
    assert CalibrationOptions("here").sheet_mm == (297.0, 210.0)


def test_a_table_does_not_run_by_a_calibration_that_cannot_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    words = ["run", "--data", str(tmp_path), "--host", "127.0.0.1", "--port", "0", "--pins", "mock"]
    assert main([*words, "--calibration", "nowhere.toml"]) == 2
    assert "cannot read nowhere.toml" in capsys.readouterr().err
