import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.games import GAMES

RECORDS = Path(__file__).parents[3] / "shared" / "records"
HEADER = '{"record": 1, "game": "hexel", "players": ["Ana", "Bo"]}'
STAKE_TOO_EARLY = '{"cmd": "stake", "player": "Ana", "amount": 3}'


def write(tmp_path, *lines):
    record = tmp_path / "record.jsonl"
    record.write_bytes("\n".join(lines).encode())
    return str(record)


def test_a_whole_record_is_one_json_object_and_status_0(tmp_path, capsys):
    assert main(["replay", "--json", write(tmp_path, HEADER)]) == 0
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert (report["ok"], report["game"], report["phase"], report["log"]) == (True, "hexel", "line", [])
    assert err == ""


def test_a_refused_command_is_status_1_and_one_line_on_standard_error(tmp_path, capsys):
    assert main(["replay", write(tmp_path, HEADER, "", STAKE_TOO_EARLY), "--json"]) == 1
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert (report["ok"], report["line"], report["error"]["code"]) == (False, 3, "wrong-phase")
    assert err.count("\n") == 1
    assert "line 3" in err


def test_a_refused_command_is_told_to_people_too(tmp_path, capsys):
    assert main(["replay", write(tmp_path, HEADER, STAKE_TOO_EARLY)]) == 1
    out, err = capsys.readouterr()
    assert "phase line" in out
    assert "wrong-phase" in err


@pytest.mark.parametrize(
    "content", [b"", b"\x89PNG\r\n\x1a\n\x00\x00", b"{}", b"[1]", b'{"record": 1, "game": "chess"}']
)
def test_a_file_that_is_no_record_is_status_2_and_one_line(tmp_path, capsys, content):
    record = tmp_path / "it.jsonl"
    record.write_bytes(content)
    assert main(["replay", str(record), "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["error"]["code"] == "bad-header"
    assert json.loads(out)["ok"] is False
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["missing.jsonl", ".", "a/b"])
def test_a_path_that_cannot_be_read_is_status_2_and_one_line(tmp_path, capsys, name):
    assert main(["replay", f"{tmp_path}/{name}", "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out) == {"ok": False, "error": json.loads(out)["error"]}
    assert json.loads(out)["error"]["code"] == "unreadable-record"
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "words", [[], ["replay"], ["replay", "a", "b"], ["dance"], ["replay", "--fast", "a"], ["--fast"]]
)
@pytest.mark.parametrize("as_json", [False, True])
def test_wrong_usage_is_status_2_and_one_line(capsys, words, as_json):
    assert main([*words, "--json"] if as_json else words) == 2
    out, err = capsys.readouterr()
    assert err.count("\n") == 1
    assert err.startswith("companion: ")
    assert (json.loads(out)["ok"] is False) if as_json else out == ""


@pytest.mark.parametrize("words", [["--help"], ["replay", "--help"], ["--version"]])
def test_help_and_version_are_status_0(capsys, words):
    assert main(words) == 0
    assert capsys.readouterr().out


def test_the_module_runs_as_a_program_and_survives_a_reader_that_goes(tmp_path):
    command = [sys.executable, "-m", "companion", "replay", write(tmp_path, HEADER), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, json.loads(done.stdout)["ok"], done.stderr) == (0, True, "")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as gone:
        gone.stdout.close()
        assert gone.stderr.read() == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize(
    "words", [["replay", "--json", "RECORD"], ["replay", "RECORD"], ["replay", "--json", "none"], ["--help"]]
)
def test_an_output_that_cannot_be_written_is_status_2_and_one_line(tmp_path, words):
    record = write(tmp_path, HEADER)
    command = [sys.executable, "-m", "companion", *(record if word == "RECORD" else word for word in words)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("companion: cannot write the output: ") and done.stderr.count("\n") == 1
    with Path("/dev/full").open("w") as full:  # nor can the error be told: the status alone says so
        assert subprocess.run(command, stdout=full, stderr=full, timeout=60, check=False).returncode == 2


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
@pytest.mark.parametrize(("length", "code"), [(65536, "wrong-phase"), (65537, "malformed")])
def test_a_line_is_as_long_as_it_is_without_its_ending(tmp_path, capsys, ending, length, code):
    record = tmp_path / "record.jsonl"
    line = STAKE_TOO_EARLY.encode()[:-1] + b" " * (length - len(STAKE_TOO_EARLY)) + b"}"
    record.write_bytes(ending.join([HEADER.encode(), line, b""]))
    assert main(["replay", str(record), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code


def test_a_byte_order_mark_before_a_record_is_no_part_of_its_first_line(tmp_path, capsys):
    record = tmp_path / "record.jsonl"
    for before, after, line in (("", "", 2), ("\n", "", 3), ("", " " * (65536 - len(HEADER)), 2)):
        record.write_bytes(f"\ufeff{before}{HEADER}{after}\n{STAKE_TOO_EARLY}".encode())
        assert main(["replay", str(record), "--json"]) == 1
        report = json.loads(capsys.readouterr().out)
        assert (report["line"], report["error"]["code"]) == (line, "wrong-phase")


def test_a_name_that_no_terminal_can_show_is_told_all_the_same(tmp_path):
    header = HEADER.replace("Ana", "\\u4e2d\\u6587")
    command = [sys.executable, "-m", "companion", "replay", write(tmp_path, header)]
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert r"\u4e2d\u6587: chips 100" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["watch", "--game", "hexel", "--settle", "nan", "."],
        ["watch", "--game", "hexel", "--fps", "nan", "."],
        ["demo", "--speed", "nan"],
        ["calibrate", "--card-side", "nan", "x.png"],
        ["hub", "--delay", "nan"],
    ],
)
def test_what_is_no_number_is_wrong_usage(capsys, words):
    assert main(words) == 2
    assert "nan is no number" in capsys.readouterr().err


def test_no_refusal_steers_the_terminal_or_fills_it(tmp_path, capsys):
    comet = HEADER.replace("hexel", "comet")
    laid = '{"cmd": "set", "player": "Ana", "pot": "\\u001b[2J%s", "cards": [[2, 2, 2]]}' % ("x" * 1000)
    assert main(["replay", write(tmp_path, comet, '{"cmd": "round", "player": "Ana"}', laid)]) == 1
    err = capsys.readouterr().err
    assert "unknown-pot" in err
    assert "\x1b" not in err
    assert len(err) < 300
    assert main(["replay", write(tmp_path, HEADER.replace("hexel", "x" * 50_000))]) == 2
    assert len(capsys.readouterr().err) < 300


def test_no_sentence_of_a_record_steers_the_terminal(tmp_path, capsys):
    pots = ["Desten", "Kinro", "Nivek", "Trinovat", "Vain", "\x1b[2J\nB\u202e"]
    header = json.dumps({"record": 1, "game": "comet", "players": ["Ana", "Bo"], "options": {"pots": pots}})
    laid = json.dumps({"cmd": "set", "player": "Ana", "pot": pots[-1], "cards": [[2, 2, 2]]})
    record = write(tmp_path, header, '{"cmd": "round", "player": "Ana"}', laid, '{"cmd": "reveal"}')
    assert main(["replay", record]) == 0
    told = capsys.readouterr().out
    assert r"Ana takes 50 chips from \x1b[2J B\u202e" in told
    assert all(line.isprintable() for line in told.splitlines())


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no device that never ends")
def test_a_record_without_end_is_not_read(capsys):
    assert main(["replay", "/dev/zero"]) == 2
    assert "unreadable-record" in capsys.readouterr().err


@pytest.mark.skipif(not RECORDS.is_dir(), reason="the shared example records are not beside this checkout")
@pytest.mark.parametrize("game", GAMES)
def test_the_example_records_end_as_expected(game, capsys):
    """Key facts only; `tools/check_records.py` beside the records compares every line."""
    for record in sorted((RECORDS / game).glob("*.jsonl")):
        expected = json.loads(record.with_suffix(".expected.json").read_text(encoding="utf-8"))
        status = main(["replay", str(record), "--json"])
        got = json.loads(capsys.readouterr().out)
        assert status == (0 if expected["ok"] else 1), record.name
        for key in ("ok", "phase", "turn", "line"):
            assert got.get(key) == expected.get(key), (record.name, key)
        assert [entry["line"] for entry in got["log"]] == [entry["line"] for entry in expected["log"]]
        assert got.get("error", {}).get("code") == expected.get("error", {}).get("code")


@pytest.mark.skipif(not RECORDS.is_dir(), reason="the shared example records are not beside this checkout")
@pytest.mark.parametrize("game", GAMES)
def test_every_example_record_can_be_told_to_people(game, capsys):
    for record in sorted((RECORDS / game).glob("*.jsonl")):
        main(["replay", str(record)])
        told = capsys.readouterr().out
        assert f"{game}: phase" in told
        assert "None" not in told
        assert "{" not in told
