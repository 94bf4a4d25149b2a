"""The folder that commands mean where none is named: the one of the settings, as the table itself has it."""

import json
from pathlib import Path

import pytest

from companion.app.profiles import Profiles
from companion.cli.main import main
from companion.games import GAMES
from tests.teaching.pictures import layout_picture


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that a settings file names."""
    settings = tmp_path / "config/companion/companion.toml"
    settings.parent.mkdir(parents=True)
    data = tmp_path / "games of ours"
    settings.write_text(f"[table]\ndata = {json.dumps(str(data))}\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    for variable in ("STATE_DIRECTORY", "CONFIGURATION_DIRECTORY"):
        monkeypatch.delenv(variable, raising=False)
    return data


def test_the_folder_of_the_settings_is_backed_up_and_brought_back(data: Path, tmp_path: Path) -> None:
    data.mkdir()
    (data / "seats.json").write_text("{}")
    assert main(["backup", str(tmp_path / "kept.zip")]) == 0
    (data / "seats.json").unlink()
    assert main(["restore", str(tmp_path / "kept.zip")]) == 0
    assert (data / "seats.json").read_text() == "{}"


def test_the_printings_of_the_folder_of_the_settings_are_shown(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = layout_picture(GAMES["hexel"].layouts("hexel36")[0], turn_deg=3)
    Profiles(data).keep(GAMES["hexel"].recognizer().learn("hexel36", [("a", picture)]).described(name="Ours"))
    assert main(["printings"]) == 0
    assert "Ours" in capsys.readouterr().out


def test_a_folder_that_is_named_needs_no_settings(data: Path, tmp_path: Path) -> None:
    (tmp_path / "config/companion/companion.toml").write_text("[tabel]\n")
    (tmp_path / "other").mkdir()
    assert main(["backup", str(tmp_path / "kept.zip"), "--data", str(tmp_path / "other")]) == 0
