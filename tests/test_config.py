"""The settings file: what it may say, and what is said when it says something else."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.config import Settings, checked, default_data, documented, load, read
from companion.errors import BadSettings

FULL = """
[game]
name = "hexel"
players = ["Ana", "Bo"]
edition = "46"
options = {chips = 50}

[web]
host = "127.0.0.1"
port = 9000
https = true
https_port = 8444
names = ["table.club.example"]
join_code = "ROSE42"
operator_pin = "271828"

[camera]
source = "usb:1"
width_px = 1280
height_px = 720
frames_per_second = 12

[vision]
deck = "hexel46"
profile = "deck.profile"
calibration = "table.toml"

[panel]
pins = "mock"
confirm_pin = 5
reject_pin = 6
next_pin = 13
lamp_pin = 19
hold_s = 0.8
bounce_s = 0.03
seat_pins = [20, 21]
turn_pins = [16, 26]
buzzer_pin = 12

[sound]
speaker = "espeak-ng"

[table]
data = "games"
press_gap_s = 0.4
evidence_mb = 20
"""


def test_every_setting_can_be_said(tmp_path: Path) -> None:
    (tmp_path / "companion.toml").write_text(FULL)
    settings = load(tmp_path / "companion.toml")
    assert settings.game.players == ("Ana", "Bo")
    assert settings.game.options == {"chips": 50}
    assert settings.camera.frames_per_second == 12.0
    assert settings.vision.calibration == Path("table.toml")
    assert settings.table.data == Path("games")
    said = [name for section in ("web", "panel") for name in getattr(settings, section).__dataclass_fields__]
    assert all(f"{name} =" in FULL for name in said)


def test_what_is_not_said_has_its_default() -> None:
    assert read({"web": {"port": 9000}}).panel == Settings().panel


@pytest.mark.parametrize(
    "given, named",
    [
        ({"panel": {"confrim_pin": 17}}, "panel.confrim_pin"),
        ({"pannel": {}}, "pannel"),
        ({"web": {"port": "9000"}}, "web.port"),
        ({"web": {"port": True}}, "web.port"),
        ({"web": {"port": -1}}, "web.port"),
        ({"web": 9000}, "web"),
        ({"panel": {"hold_s": "long"}}, "panel.hold_s"),
        ({"panel": {"seat_pins": [5, True]}}, "panel.seat_pins"),
        ({"panel": {"turn_pins": 5}}, "panel.turn_pins"),
        ({"game": {"players": "Ana"}}, "game.players"),
        ({"game": {"players": [1]}}, "game.players"),
        ({"table": {"data": 3}}, "table.data"),
    ],
)
def test_an_impossible_setting_is_named(given: dict, named: str) -> None:
    with pytest.raises(BadSettings, match=named) as told:
        read(given)
    assert told.value.exit_status == 2


@pytest.mark.parametrize("text", ["[web", "[web]\nport = 1\nport = 2"])
def test_a_file_that_is_no_toml_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "companion.toml").write_text(text)
    with pytest.raises(BadSettings, match=r"companion\.toml:\d+: no TOML"):
        load(tmp_path / "companion.toml")


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="No such file"):
        load(tmp_path / "companion.toml")


def test_without_a_file_there_are_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONFIGURATION_DIRECTORY", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert load() == Settings()


def test_the_usual_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "companion.toml").write_text("[web]\nport = 9000")
    monkeypatch.setenv("CONFIGURATION_DIRECTORY", str(tmp_path))
    assert load().web.port == 9000


def test_a_service_keeps_its_games_where_the_system_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/companion:/other")
    assert default_data() == Path("/var/lib/companion")
    monkeypatch.delenv("STATE_DIRECTORY")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_data() == tmp_path / "companion"


WRONG = """
[web]
prot = 9000
port = 70000

[panel]
pins = "lgpoi"
confirm_pin = 27
seat_pins = [5, 99]

[camera]
width_px = 1280
source = "usb:x"

[game]
name = "hexl"

[vision]
deck = "hexel99"
calibration = "nowhere.toml"
"""
FOUND = [
    (3, "web.prot", "did you mean web.port?"),
    (4, "web.port", "it must be 0 to 65535"),
    (7, "panel.pins", "did you mean 'lgpio'?"),
    (8, "panel.reject_pin", "pin 27 is also panel.confirm_pin"),
    (9, "panel.seat_pins", "it is 99; it must be 0 to 27"),
    (12, "camera.width_px", "only together with camera.height_px"),
    (13, "camera.source", "there are pi, usb, usb:1"),
    (16, "game", "there are hexel, hexdragon, comet, hexapod"),
    (19, "vision.deck", "known: hexel36, hexel46"),
    (20, "vision.calibration", "cannot read nowhere.toml"),
]


def test_every_problem_is_told_with_its_line_and_what_would_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "companion.toml"
    file.write_text(WRONG)
    assert main(["config", "--check", "--settings", str(file)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(FOUND)
    for line, (number, name, would) in zip(lines, FOUND, strict=True):
        assert line.startswith(f"{file}:{number}: {name}: ")
        assert would in line


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[game]\noptions = {deck = 3}", "2: game.options: no such option: 'deck'"),
        ("[game]\noptions = {chips = 0}", "2: game.options: option chips is 0"),
        ("[table]\nwords = 'nowhere.toml'", "2: table.words: cannot read nowhere.toml"),
        ("[hub]\nbroker = 'hall'", "2: hub.broker: 'hall' is no broker"),
    ],
)
def test_what_a_run_would_refuse_is_told_by_the_check(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "companion.toml"
    file.write_text(text)
    assert main(["config", "--check", "--settings", str(file)]) == 1
    assert f"{file}:{said}" in capsys.readouterr().out


def test_a_run_names_the_first_problem_and_says_that_there_are_more(tmp_path: Path) -> None:
    (tmp_path / "companion.toml").write_text(WRONG)
    with pytest.raises(
        BadSettings, match=r"companion\.toml:3: web\.prot: .* \(and \d more: see companion config --check"
    ):
        load(tmp_path / "companion.toml")


def test_a_good_file_is_said_to_be_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "companion.toml"
    file.write_text("[web]\nport = 9000\n")
    assert main(["config", "--check", "--settings", str(file)]) == 0
    assert "all settings are good" in capsys.readouterr().out
    assert main(["config", "--check", "--json", "--settings", str(file)]) == 0
    assert json.loads(capsys.readouterr().out)["problems"] == []


def test_the_documented_file_says_nothing_and_every_line_of_it_can_be_said() -> None:
    text = documented()
    assert read(tomllib.loads(text)) == Settings()
    said = re.sub(r"^# (\w+ = )", r"\1", text, flags=re.M)
    settings, problems = checked(said)
    assert problems == ()
    assert settings.web == Settings().web.__class__(
        names=("table.club.example",), join_code="ROSE42", operator_pin="471108"
    )


def test_the_page_on_operation_documents_every_setting_as_the_program_does() -> None:
    page = (Path(__file__).parent.parent / "systemd/README.md").read_text()
    assert f"```toml\n{documented()}```" in page


def test_a_path_is_a_text() -> None:
    with pytest.raises(BadSettings, match=r"vision\.profile: it is 3; it must be a path"):
        read({"vision": {"profile": 3}})
    with pytest.raises(BadSettings, match=r"table\.data: it is empty"):
        read({"table": {"data": ""}})


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(BadSettings, match="nan"):
        read({"camera": {"frames_per_second": float("nan")}})


@pytest.mark.parametrize("name", ["join_code", "operator_pin"])
@pytest.mark.parametrize("short", ["", "1", "12345", "  12345  "])
def test_a_code_that_is_soon_guessed_is_refused(name: str, short: str) -> None:
    with pytest.raises(BadSettings, match="6 or more"):
        read({"web": {name: short}})
