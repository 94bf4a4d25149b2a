"""The trained networks: whether each is there and loads, tried in a process of its own, since some crash."""

import json
import sys

from companion.config import Settings
from companion.doctor.finding import Finding, Machine, State

_SCRIPT = """
import json
from companion.games import network_files
from companion.vision.networks import engine, troubles
print("\\n" + json.dumps([len(network_files()), engine().engine, troubles(network_files())]))
"""
_FIX = "install the program again: sudo systemd/install.sh from a whole clone, or pip install --force-reinstall"


def models(machine: Machine, settings: Settings) -> Finding:
    """Try them all. Without them the camera is not used, and moves are entered by hand."""
    state: State = "warn" if settings.camera.source == "none" else "fail"
    ran = machine.run([sys.executable, "-c", _SCRIPT])
    if ran.status != 0:
        return Finding("models", state, ran.complaint or f"ended with status {ran.status}", _FIX)
    number, engine, found = json.loads(ran.output.splitlines()[-1])
    if found:
        return Finding("models", state, "; ".join(text.partition(": ")[0] for text in found), _FIX)
    return Finding("models", "ok", f"{number} networks, all load into {engine}")
