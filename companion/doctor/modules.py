"""The modules and the trained networks, each tried in a process of its own, since some crash."""

import json
import sys
from collections.abc import Mapping
from importlib.metadata import distributions
from typing import Any

from companion.config import Settings
from companion.doctor.finding import Finding, Machine, State

NEEDED = ("numpy", "cv2", "flask", "uvicorn", "gpiozero")
ON_A_PI = ("lgpio", "simplejpeg", "libcamera", "picamera2")

_SCRIPT = """
import importlib, importlib.metadata as metadata, json, sys
name = sys.argv[1]
module = importlib.import_module(name)
owners = metadata.packages_distributions().get(name, [])
version = metadata.version(owners[0]) if owners else getattr(module, "__version__", "")
if name == "cv2":
    version = module.__version__  # of the copy that is loaded, which another build may have replaced
facts = {"version": str(version), "file": str(getattr(module, "__file__", "")), "names": dir(module)}
facts["aruco"] = hasattr(getattr(module, "aruco", None), "ArucoDetector")
print("\\n" + json.dumps(facts))
"""
_INSTALLED_BY = {"lgpio": "python3-lgpio", "libcamera": "python3-picamera2", "picamera2": "python3-picamera2"}
_ANOTHER_NUMPY = (
    "numpy is of another binary form than the camera's libraries: "
    "pip install with -c systemd/constraints-bookworm.txt, or run systemd/install.sh again"
)
_NETWORKS_SCRIPT = """
import json
from companion.games import network_files
from companion.vision.networks import engine, troubles
print("\\n" + json.dumps([len(network_files()), engine().engine, troubles(network_files())]))
"""
_NETWORKS_FIX = (
    "install the program again: sudo systemd/install.sh from a whole clone, or pip install --force-reinstall"
)


def modules(machine: Machine, settings: Settings) -> tuple[Finding, ...]:
    """Every module that the table may need."""
    wanted = NEEDED + (ON_A_PI if machine.model or settings.camera.source == "pi" else ())
    found = tuple(_module(machine, name) for name in wanted)
    skipped = tuple(Finding(name, "skipped", "not a Raspberry Pi") for name in ON_A_PI if name not in wanted)
    return (*found, *skipped, _one_opencv())


def _module(machine: Machine, name: str) -> Finding:
    ran = machine.run([sys.executable, "-c", _SCRIPT, name])
    if ran.status != 0:
        return Finding(name, "fail", ran.complaint or f"ended with status {ran.status}", _fix(name, ran.complaint))
    facts = json.loads(ran.output.splitlines()[-1])
    trouble = _trouble(machine, name, facts)
    found = f"{facts['version'] or 'no version'} from {facts['file'] or 'nowhere'}"
    return Finding(name, "warn", found, trouble) if trouble else Finding(name, "ok", found)


def _fix(name: str, complaint: str) -> str:
    if "dtype size changed" in complaint:
        return _ANOTHER_NUMPY
    if name in _INSTALLED_BY:
        return f"sudo apt install {_INSTALLED_BY[name]}, and a venv made with --system-site-packages"
    return "pip install the program again, in the same environment"


def _trouble(machine: Machine, name: str, facts: Mapping[str, Any]) -> str:
    if name == "cv2" and not facts["version"].startswith("4."):
        return "OpenCV 5 is not supported yet: pip install 'opencv-python-headless<5'"
    if name == "cv2" and not facts["aruco"]:
        return "this OpenCV is too old for table marks: pip install 'opencv-python-headless>=4.10,<5'"
    if name == "lgpio" and not {"SET_PULL_NONE", "SET_BIAS_DISABLE"} & set(facts["names"]):
        return "this lgpio is an ancient one from PyPI: pip uninstall lgpio; sudo apt install python3-lgpio"
    if name == "gpiozero" and facts["version"] == "2.0.1" and "Pi 5" in machine.model:
        return "gpiozero 2.0.1 cannot open a Pi 5's pins: pip install 'gpiozero>=2.0.1.post3'"
    return ""


def _one_opencv() -> Finding:
    names = {str(distribution.metadata["Name"]).lower() for distribution in distributions()}
    builds = sorted(name for name in names if name.startswith("opencv-"))
    if len(builds) > 1:
        fix = f"pip uninstall {' '.join(builds)}; pip install 'opencv-python-headless>=4.10,<5'"
        return Finding("one OpenCV", "warn", f"several builds share one place: {', '.join(builds)}", fix)
    return Finding("one OpenCV", "ok", builds[0] if builds else "the system's own")


def models(machine: Machine, settings: Settings) -> Finding:
    """Try them all. Without them the camera is not used, and moves are entered by hand."""
    state: State = "warn" if settings.camera.source == "none" else "fail"
    ran = machine.run([sys.executable, "-c", _NETWORKS_SCRIPT])
    if ran.status != 0:
        return Finding("models", state, ran.complaint or f"ended with status {ran.status}", _NETWORKS_FIX)
    number, engine, found = json.loads(ran.output.splitlines()[-1])
    if found:
        return Finding("models", state, "; ".join(text.partition(": ")[0] for text in found), _NETWORKS_FIX)
    return Finding("models", "ok", f"{number} networks, all load into {engine}")
