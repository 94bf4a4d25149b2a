"""The machine itself: what it is, its memory, disk, clock, temperature and power."""

import os
import platform
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

from companion.config import Settings, default_data
from companion.doctor.finding import Finding, Machine

_LEAST_MEMORY_MB = 400
_LEAST_CMA_MB = 60
_LEAST_DISK_MB = 500
_SLOW_WRITE_S = 0.5
_WARM_C, _HOT_C = 70.0, 80.0
_POWER = {0: "under-voltage", 1: "frequency capped", 2: "throttled", 3: "soft temperature limit"}
_SINCE_START = 16
_SUPPLY = "use the official power supply and a short cable"


def system(machine: Machine, settings: Settings) -> tuple[Finding, ...]:
    """What this is, and whether the program can run on it."""
    name = re.search(r'^PRETTY_NAME="?([^"\n]+)', machine.text("/etc/os-release"), re.M)
    found = f"{machine.model or platform.machine()}, {name[1] if name else platform.system()}"
    is_64 = sys.maxsize > 2**32
    fix = "" if is_64 else "use the 64-bit image: there are no OpenCV wheels for 32 bits"
    return Finding("system", "ok" if is_64 else "fail", found, fix), _python(machine)


def memory(machine: Machine, settings: Settings) -> tuple[Finding, ...]:
    """Memory, and the part of it that a Pi 4's camera needs in one piece."""
    kb = {name: int(value) for name, value in re.findall(r"^(\w+):\s+(\d+) kB", machine.text("/proc/meminfo"), re.M)}
    if "MemAvailable" not in kb:
        return (Finding("memory", "skipped", "the system does not say"),)
    free, total = kb["MemAvailable"] // 1024, kb["MemTotal"] // 1024
    finding = Finding("memory", "ok", f"{free} of {total} MB free")
    if free < _LEAST_MEMORY_MB:
        finding = Finding("memory", "warn", finding.found, "end other programs, or boot without the desktop")
    return (finding, *_camera_memory(machine, kb))


def disk(machine: Machine, settings: Settings) -> tuple[Finding, ...]:
    """Room and pace where the games are kept, and whether what is written there stays."""
    data = settings.table.data or default_data()
    there = next(folder for folder in (data, *data.parents) if folder.exists())
    overlay = Finding("overlay", "ok", "what is written stays")
    if "overlayroot=tmpfs" in machine.text("/proc/cmdline"):
        overlay = Finding("overlay", "warn", "the system forgets all at power-off", "raspi-config: overlay off")
    return _room(there), _writing(there), overlay


def clock(machine: Machine, settings: Settings) -> Finding:
    """Whether the games will carry the right date; a Pi 4 has no clock of its own."""
    ran = machine.run(["timedatectl", "show", "-p", "NTPSynchronized", "--value"])
    if ran.status != 0:
        return Finding("clock", "skipped", ran.complaint or "nobody to ask")
    if ran.output == "yes":
        return Finding("clock", "ok", "synchronised")
    return Finding("clock", "warn", "not synchronised", "connect to the Internet once, or fit a clock battery")


def heat(machine: Machine, settings: Settings) -> Finding:
    """How warm the processor is."""
    text = machine.text("/sys/class/thermal/thermal_zone0/temp")
    if not text.isdecimal():
        return Finding("temperature", "skipped", "no thermometer here")
    degrees = int(text) / 1000
    found = f"{degrees:.0f} °C"
    if degrees < _WARM_C:
        return Finding("temperature", "ok", found)
    return Finding("temperature", "warn" if degrees < _HOT_C else "fail", found, "fit a heat sink or a fan")


def power(machine: Machine, settings: Settings) -> Finding:
    """Under-voltage and throttling, now and since the start."""
    ran = machine.run(["vcgencmd", "get_throttled"])
    bits = re.search(r"throttled=0x([0-9a-f]+)", ran.output, re.I)
    if ran.status != 0 or bits is None:
        return Finding(
            "power",
            "skipped" if not machine.model else "warn",
            ran.complaint or "nobody to ask",
            "join the group video: sudo usermod -aG video $USER" if machine.model else "",
        )
    return power_finding(int(bits[1], 16))


def power_finding(bits: int) -> Finding:
    """What the firmware's bits say; the same four stand again sixteen higher for what has happened since the start.

    >>> power_finding(0x50000).found
    'since the start: under-voltage, throttled'
    """
    now = [name for bit, name in _POWER.items() if bits >> bit & 1]
    before = [name for bit, name in _POWER.items() if bits >> bit + _SINCE_START & 1]
    if now:
        return Finding("power", "fail", f"now: {', '.join(now)}", _SUPPLY)
    if before:
        return Finding("power", "warn", f"since the start: {', '.join(before)}", _SUPPLY)
    return Finding("power", "ok", "steady since the start")


def _python(machine: Machine) -> Finding:
    found = f"{platform.python_version()} from {sys.executable}"
    config = Path(sys.prefix) / "pyvenv.cfg"
    sees_system = "include-system-site-packages = true" in (config.read_text().lower() if config.exists() else "")
    if machine.model and sys.prefix != sys.base_prefix and not sees_system:
        return Finding("python", "warn", found, "make the venv with --system-site-packages, for camera and pins")
    return Finding("python", "ok", found)


def _camera_memory(machine: Machine, kb: dict[str, int]) -> tuple[Finding, ...]:
    if "Pi 4" not in machine.model or "CmaFree" not in kb:
        return ()
    free, total = kb["CmaFree"] // 1024, kb["CmaTotal"] // 1024
    if free >= _LEAST_CMA_MB:
        return (Finding("camera memory", "ok", f"{free} of {total} MB free"),)
    return (Finding("camera memory", "warn", f"{free} of {total} MB free", "end what else uses the camera; restart"),)


def _room(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free // 2**20
    if free >= _LEAST_DISK_MB:
        return Finding("disk", "ok", f"{free} MB free at {folder}")
    return Finding("disk", "warn", f"{free} MB free at {folder}", "make room: games and pictures need some")


def _writing(folder: Path) -> Finding:
    began_s = time.monotonic()
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"companion")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return Finding("writing", "fail", f"{folder}: {error.strerror}", "choose another folder with --data")
    took_s = time.monotonic() - began_s
    found = f"{1000 * took_s:.0f} ms until it is on the disk"
    return Finding(
        "writing",
        "warn" if took_s > _SLOW_WRITE_S else "ok",
        found,
        "a faster SD card" if took_s > _SLOW_WRITE_S else "",
    )
