"""The table's voice, spoken by a pretend program that writes down what it was given."""

import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.devices.speaker import Speaker


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Installs a program called pretend-voice; answers with the file that it writes into."""

    def install(body: str) -> Path:
        path, heard = tmp_path / "pretend-voice", tmp_path / "heard"
        path.write_text(f"#!/bin/sh\n{body.format(heard=heard)}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
        return heard

    return install


def within(seconds: float, is_so: Callable[[], bool]) -> bool:
    ends = time.monotonic() + seconds
    while not is_so() and time.monotonic() < ends:
        time.sleep(0.005)
    return is_so()


WRITES = 'echo "$@" >> {heard}; /bin/cat >> {heard}; echo >> {heard}'


def test_sentences_are_spoken_in_order_and_no_shell_reads_them(program: Callable[[str], Path]) -> None:
    heard = program(WRITES)
    speaker = Speaker("pretend-voice")
    dangerous = ["--version", "Ana; touch /tmp/x `id` $HOME", "Bo pays Ana 3."]
    speaker.say(dangerous)
    assert within(10, lambda: heard.exists() and heard.read_text().endswith("Bo pays Ana 3.\n"))
    speaker.close()
    assert heard.read_text().splitlines() == [line for said in dangerous for line in ("-v en --stdin", said)]
    assert speaker.note() == ""


def test_a_correction_breaks_off_and_forgets_what_waits(program: Callable[[str], Path]) -> None:
    heard = program("echo begun >> {heard}; exec /bin/sleep 30")
    speaker = Speaker("pretend-voice")
    speaker.say(["one", "two", "three"])
    assert within(10, lambda: heard.exists() and heard.read_text() != "")
    begun = time.monotonic()
    speaker.hush()
    speaker.close()
    assert time.monotonic() - begun < 10
    assert heard.read_text() == "begun\n"


def test_a_table_without_the_program_is_silent_and_says_so() -> None:
    speaker = Speaker("no-such-voice")
    speaker.say(["Ana passes."])
    speaker.hush()
    speaker.close()
    speaker.close()
    assert "no-such-voice is not installed" in speaker.note()


def test_a_program_that_cannot_be_started_is_missed_for_one_sentence_alone(
    program: Callable[[str], Path], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    heard = program(WRITES)
    speaker = Speaker("pretend-voice")
    (tmp_path / "pretend-voice").rename(tmp_path / "away")
    speaker.say(["Ana passes."])
    assert within(10, lambda: "Ana passes" in caplog.text)
    (tmp_path / "away").rename(tmp_path / "pretend-voice")
    speaker.say(["Bo passes."])
    assert within(10, lambda: heard.exists() and "Bo passes" in heard.read_text())
    speaker.close()


def test_of_too_much_the_oldest_is_left_out(program: Callable[[str], Path]) -> None:
    heard = program(WRITES)
    speaker = Speaker("pretend-voice")
    speaker.say([f"sentence {n}" for n in range(200)])
    assert within(10, lambda: heard.exists() and "sentence 199" in heard.read_text())
    speaker.close()
    assert heard.read_text().count("sentence") <= 7
