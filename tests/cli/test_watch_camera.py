"""`companion watch camera`: which camera that is, and what is said of one that is lost and comes back."""

import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from companion.cli.main import main

WATCHED = """
import signal, sys, threading
from companion.cli.main import main
from tests.devices.pi_library import Rig

signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever started the tests may have it ignored
rig = Rig()
rig.install(sys.modules)

def obey():
    for line in sys.stdin:
        rig.state = line.strip()

threading.Thread(target=obey, daemon=True).start()
sys.exit(main(["watch", "--game", "hexel", "--json", "camera"]))
"""


def test_a_camera_that_is_lost_is_said_and_followed_again_once_it_is_back(tmp_path: Path) -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "XDG_CONFIG_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    with ExitStack() as ended:
        command = [sys.executable, "-c", WATCHED]
        watched = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=Path(__file__).parents[2],
        )
        ended.enter_context(watched)
        ended.callback(watched.kill)
        assert watched.stdin is not None and watched.stdout is not None

        def tell(state: str) -> None:
            print(state, file=watched.stdin, flush=True)

        def hear(code: str) -> dict[str, Any]:
            heard = (json.loads(line) for line in watched.stdout or ())
            return next(one for one in heard if code in (one.get("code"), one["event"]))

        first = hear("table")
        tell("broken")
        lost = hear("camera-lost")
        assert lost["event"] == "notice" and "cable" in lost["message"]
        tell("ok")
        back = json.loads(watched.stdout.readline())
        assert (back["event"], back["code"]) == ("notice", "camera-back")
        assert first["t"] < lost["t"] < back["t"] and first["frame"] < back["frame"]
        watched.send_signal(signal.SIGINT)
        assert hear("end")["frames"] > first["frame"]
        assert watched.wait(30) == 0


def test_the_camera_is_the_one_that_the_settings_name(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    settings = tmp_path / "companion/companion.toml"
    settings.parent.mkdir()
    settings.write_text('[camera]\nsource = "usb:63"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("CONFIGURATION_DIRECTORY", raising=False)
    assert main(["watch", "--game", "hexel", "camera"]) == 2
    assert "/dev/video63" in capsys.readouterr().err
