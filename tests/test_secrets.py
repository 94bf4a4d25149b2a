"""What is told to whom: codes never to the system's log, folders never to guests, and files to nobody else."""

import json
import os
import re
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from companion.app.bootstrap import open_table_services
from companion.app.invitation import invitation
from companion.config import read
from companion.devices.service import is_logged
from companion.errors import JournalError, without_folders
from companion.referee.messages import Do, Notice
from companion.referee.referee import Referee, open_table
from companion.rules.engine import Header
from companion.web.app import create_app
from companion.web.app_context import TableParts
from companion.web.server import bind

ROOT = Path(__file__).parents[1]
PLACES = (".", "companion", "companion/web")
HEADER = Header("hexel", ("Ana", "Bo"), "36")


def test_only_what_goes_to_the_systems_log_is_logged(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as log:
        state = os.fstat(log.fileno())
        assert is_logged({"JOURNAL_STREAM": f"{state.st_dev}:{state.st_ino}"}, log.fileno())
        assert not is_logged({"JOURNAL_STREAM": f"{state.st_dev}:{state.st_ino + 1}"}, log.fileno())
        assert not is_logged({}, log.fileno())


def test_a_service_writes_no_code_to_its_log(tmp_path: Path) -> None:
    log, data = tmp_path / "log", tmp_path / "data"
    program = (
        "import os, sys; state = os.fstat(1); os.environ['JOURNAL_STREAM'] = f'{state.st_dev}:{state.st_ino}';"
        "from companion.app.bootstrap import open_table_services; from companion.config import read;"
        "settings = read({'web': {'host': '127.0.0.1', 'port': 0}, 'table': {'data': sys.argv[1]},"
        " 'panel': {'pins': 'none'}});\nwith open_table_services(settings): pass"
    )
    with log.open("wb") as written:
        subprocess.run([sys.executable, "-c", program, str(data)], stdout=written, stderr=written, check=True)
    told = log.read_text()
    assert "scoreboard" in told
    for name in ("join-code", "operator-pin"):
        assert (data / name).read_text().strip() not in told
    assert {stat.S_IMODE(path.stat().st_mode) for path in (data, data / "games")} == {0o750}
    secret = [data / name for name in ("join-code", "operator-pin", "seats.json")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in secret} == {0o600}
    assert all(not path.stat().st_mode & stat.S_IRWXO for path in data.rglob("*"))


@pytest.mark.parametrize("held", [b"\xff\xfe\0", b"", b"ROSE\x0042", b"\x80" * 6])
def test_a_damaged_code_is_made_anew_and_one_that_can_be_typed_stays(tmp_path: Path, held: bytes) -> None:
    with closing(bind("127.0.0.1", 0)) as listening:
        (tmp_path / "join-code").write_bytes(held)
        made = invitation(listening, tmp_path, None, None)
        assert re.fullmatch("[A-Z]{6}", made.join_code)
        (tmp_path / "operator-pin").write_text("our-pin\n")
        again = invitation(listening, tmp_path, None, None)
        assert (again.join_code, again.operator_pin) == (made.join_code, "our-pin")


@pytest.fixture
def referee(tmp_path: Path) -> Referee:
    referee = open_table(tmp_path / "kitchen" / "data", HEADER, HEADER, press_gap_s=0.0)
    referee.start()
    yield referee
    referee.stop()


def test_guests_are_told_no_folders(referee: Referee, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guest = create_app(
        referee,
        join_code="ROSE42",
        parts=TableParts(devices=lambda: {"camera": {"state": "failed", "camera": f"{tmp_path}/f.mp4"}}),
    ).test_client()
    referee.ask(Notice("camera-unused", f"The camera is not used: cannot read {tmp_path}/kitchen/deck.json: no such."))

    def full(descriptor: int) -> None:
        raise OSError(28, f"No space left on {tmp_path}/kitchen/data")

    monkeypatch.setattr("companion.referee.journal.os.fsync", full)
    command = json.loads(json.dumps(referee.latest().game.legal(referee.latest().state)[0]))
    refused = guest.post("/api/commands", json=command, headers={"X-Join-Code": "ROSE42"})
    with pytest.raises(JournalError, match="kitchen"):
        referee.ask(Do(command))
    told = [refused, guest.get("/healthz"), guest.get("/api/state"), guest.get("/past"), guest.get("/past/1")]
    assert refused.status_code == 503 and "0001.jsonl" in refused.text
    assert [answer.request.path for answer in told if str(tmp_path) in answer.text] == []


def test_guests_are_told_no_folders_of_a_data_folder_that_was_named_as_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = read(
        {"web": {"host": "127.0.0.1", "port": 0}, "table": {"data": "kitchen/data"}, "panel": {"pins": "none"}}
    )
    with open_table_services(settings) as table:
        game = table.referee.games
        assert game == tmp_path / "kitchen" / "data" / "games"


def test_what_the_page_on_security_names_is_there() -> None:
    page = (ROOT / "companion/web/README.md").read_text()
    named = re.findall(r"`([\w/.]+\.(?:py|sh))`", page)
    assert named and [name for name in named if not any((ROOT / at / name).exists() for at in PLACES)] == []


@pytest.mark.parametrize(
    "message, told",
    [
        (
            "cannot write in the data folder /var/lib/companion: Read-only",
            "cannot write in the data folder companion: Read-only",
        ),
        ("half /past, /api/state", "half /past, state"),
        ("the move is not written, tm/d/games/0001.jsonl: full", "the move is not written, 0001.jsonl: full"),
        ("cannot keep a picture in ../d/0001.evidence: full", "cannot keep a picture in 0001.evidence: full"),
        ("http://192.168.1.7/past/1.html and/or http://a/b.png", "http://192.168.1.7/past/1.html and/or http://a/b.png"),
        ("3/4 of http://table:8080/past", "3/4 of http://table:8080/past"),
    ],
)  # fmt: skip
def test_a_path_is_told_by_its_last_part(message: str, told: str) -> None:
    assert without_folders(message) == told
