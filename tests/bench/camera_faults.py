"""Breaks the Pi's camera in every way the stand-in knows, under the real watcher and referee; prints how soon it is
said and how soon the table sees again. Exit status 1 when a fault took longer than three seconds to be said.

    PYTHONPATH=. python tests/bench/camera_faults.py
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from companion.app.watching import Watching
from companion.devices.pi_camera import PiCamera
from companion.referee.referee import Referee, open_table
from companion.rules.engine import Header
from tests.devices.pi_library import Rig

SAID_WITHIN_S = 3.0
HEADER = Header("hexel", ("Ana", "Bo"))
FAULTS: dict[str, dict] = {
    "hangs": {"state": "hung"},
    "raises": {"state": "broken"},
    "films black": {"state": "black"},
    "is unplugged": {"state": "hung", "cameras": []},
    "hangs, then is busy": {"state": "hung", "refuses": RuntimeError("Camera __init__ sequence did not complete.")},
}
WELL = {"state": "ok", "cameras": [{"Model": "imx708", "Num": 0}], "refuses": None}


def seconds_until(holds: Callable[[], bool], most_s: float = 20.0) -> float:
    began_s = time.monotonic()
    while not holds():
        if time.monotonic() - began_s > most_s:
            return float("inf")
        time.sleep(0.005)
    return time.monotonic() - began_s


def change(rig: Rig, values: dict) -> None:
    for name, value in values.items():
        setattr(rig, name, value)


def is_said(referee: Referee) -> bool:
    return "camera-lost" in referee.latest().notices


def main() -> int:
    rig = Rig()
    rig.install(sys.modules)
    worst_s = 0.0
    with tempfile.TemporaryDirectory() as data:
        referee = open_table(Path(data), HEADER, HEADER)
        referee.start()
        watching = Watching(PiCamera(size_px=(640, 360), small_px=(320, 180)), referee, "hexel")
        watching.start()
        sees = lambda: watching.health()["state"] == "ok"  # noqa: E731
        seconds_until(sees)
        for name, values in FAULTS.items():
            change(rig, values)
            said_s = seconds_until(lambda: is_said(referee))
            text = referee.latest().notices["camera-lost"].text if is_said(referee) else "nothing"
            change(rig, WELL)
            again_s = seconds_until(lambda: sees() and not is_said(referee))
            worst_s = max(worst_s, said_s)
            print(f"{name:22} said after {said_s:.2f} s, sees again after {again_s:.2f} s: {text}", flush=True)
        watching.stop()
        referee.stop()
    print(f"worst: said after {worst_s:.2f} s, of {SAID_WITHIN_S:g} s")
    return int(worst_s > SAID_WITHIN_S)


if __name__ == "__main__":
    sys.exit(main())
