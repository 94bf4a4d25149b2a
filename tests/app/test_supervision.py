"""What keeps a table's process alive: signs of life from its referee and from its camera's loop."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from companion.app.supervision import _loop_trouble, _referee_trouble
from companion.devices.camera import MonitoredCamera
from companion.devices.recorded import Recorded
from companion.referee.referee import open_table
from companion.rules.engine import Header


class Eyes:
    """Stands in for the watching thread."""

    def __init__(self, state: str) -> None:
        self.state = state

    def start(self) -> None:
        """Nothing to begin."""

    def stop(self) -> None:
        """Nothing to end."""

    def health(self) -> dict[str, Any]:
        return {"state": self.state}


def test_a_referee_that_does_not_answer_is_no_sign_of_life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.app.supervision._REFEREE_ANSWERS_WITHIN_S", 0.01)
    header = Header("hexel", ("Ana", "Bo"))
    referee = open_table(tmp_path, header, header)
    assert "did not answer" in _referee_trouble(referee)
    referee.start()
    monkeypatch.setattr("companion.app.supervision._REFEREE_ANSWERS_WITHIN_S", 5.0)
    version = referee.latest().version
    assert _referee_trouble(referee) is None
    assert referee.latest().version == version
    referee.stop()


def test_a_camera_loop_that_does_not_come_round_is_no_sign_of_life() -> None:
    now_s = 0.0
    pulse = MonitoredCamera(Recorded(Path("frames")), lambda: now_s)
    now_s = 30.0
    assert _loop_trouble(None, pulse) is None  # nobody watches
    assert _loop_trouble(Eyes("ok"), pulse) == "no sign of life for 30 s"
    assert _loop_trouble(Eyes("ended"), pulse) is None
    pulse.begin()
    assert _loop_trouble(Eyes("ok"), pulse) is None


LEAVING = """
from companion.app.supervision import release_memory

def held_mb():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 1e6

blocks = [bytes(100_000) for _ in range(2000)]
blocks = blocks[::50]
before = held_mb()
release_memory()
print(before - held_mb())
"""


def test_memory_between_blocks_that_are_still_used_goes_back_to_the_system() -> None:
    done = subprocess.run((sys.executable, "-c", LEAVING), capture_output=True, text=True, check=True)
    assert float(done.stdout) > 100


DYING = """
import threading
from companion.app.supervision import ending_at_a_bug
from companion.errors import DeviceError
from companion.referee.referee import end_process

def die():
    raise {error}

def end():
    try:
        die()
    except Exception:
        end_process()

with ending_at_a_bug():
    thread = threading.Thread(target={dies})
    thread.start()
    thread.join()
print("it goes on without its thread")
"""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize(
    ("dies", "error", "status"),
    [("die", "ValueError", 70), ("die", "DeviceError('gone')", 2), ("end", "ValueError", 70)],
)
def test_a_dead_thread_ends_the_process_though_nobody_can_be_told(
    stderr: str, dies: str, error: str, status: int, tmp_path: Path
) -> None:
    program = tmp_path / "dying.py"
    program.write_text(DYING.format(dies=dies, error=error))
    command = ["sh", "-c", f"exec {sys.executable} {program} {stderr}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.returncode == status
    assert "goes on" not in done.stdout
