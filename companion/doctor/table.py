"""The table's own things: pins, speech, page and service; its camera, and whether the calibration is for it."""

import grp
import os
import re
import shutil
import socket
import time
from collections.abc import Callable

from companion.app.factories import calibration_file
from companion.config import Settings
from companion.devices.camera import Camera, Frame
from companion.devices.panel import Panel
from companion.doctor.finding import Finding, Machine
from companion.errors import DeviceError, TableError, UsageError
from companion.vision.calibration.calibration import read_calibration
from companion.web.server import bind

_DARK, _BRIGHT = 40.0, 220.0
_FILM_S = 1.5
_MOST_FRAMES = 40
_SLOW_FPS = 5.0
_GROUPS = {"video": "the camera", "gpio": "the pins", "audio": "the voice"}


def groups(machine: Machine, settings: Settings) -> Finding:
    """Whether this user may use the devices."""
    there = {name for name in _GROUPS if re.search(rf"^{name}:", machine.text("/etc/group"), re.M)}
    mine = {grp.getgrgid(number).gr_name for number in os.getgroups()}
    if os.geteuid() == 0 or there <= mine:
        return Finding("groups", "ok", "may use every device")
    lacking = sorted(there - mine)
    fix = f"sudo usermod -aG {','.join(lacking)} $USER, then log in anew"
    return Finding("groups", "warn", f"may not use {', '.join(_GROUPS[name] for name in lacking)}", fix)


def pins(panel: Panel) -> Finding:
    """Take the panel's pins and let them go again."""
    if panel.kind != "lgpio":
        return Finding("pins", "skipped", "pretend ones" if panel.kind == "mock" else "the settings name none")
    try:
        panel.open(lambda message: None)
        trouble = panel.health().get("error")
    except DeviceError as error:
        trouble = error.message
    finally:
        panel.close()
    if trouble:
        return Finding("pins", "fail", trouble, "end the running table first: sudo systemctl stop companion")
    return Finding("pins", "ok", "all can be taken")


def speech(machine: Machine, settings: Settings) -> Finding:
    """A voice, and something to hear it on."""
    if shutil.which("espeak-ng") is None:
        return Finding("speech", "skipped", "no espeak-ng; phones speak", "sudo apt install espeak-ng alsa-utils")
    cards = machine.run(["aplay", "-l"])
    if cards.status != 0 or "card " not in cards.output:
        return Finding("speech", "warn", "no loudspeaker", "connect one by USB or HDMI; a Pi 5 has no audio jack")
    return Finding("speech", "ok", next(line for line in cards.output.splitlines() if line.startswith("card ")))


def page(machine: Machine, settings: Settings) -> Finding:
    """Whether the page can be served, or already is."""
    host, port = settings.web.host, settings.web.port
    try:
        bind(host, port).close()
    except TableError as error:
        if is_answering(host, port):
            return Finding("page", "ok", f"something answers at port {port}: the table is running, or another program")
        return Finding("page", "fail", error.message, "choose another port: [web] port")
    return Finding("page", "ok", f"port {port} is free, on {socket.gethostname()}")


def service(machine: Machine, settings: Settings) -> Finding:
    """Whether the table starts by itself."""
    ran = machine.run(["systemctl", "is-active", "companion"])
    state = ran.output.splitlines()[-1] if ran.output else "unknown"
    if ran.status == 0:
        return Finding("service", "ok", state)
    if ran.status is None or not machine.exists("/etc/systemd/system/companion.service"):
        return Finding("service", "skipped", "not installed as a service", "sudo systemd/install.sh")
    return Finding("service", "fail", state, "journalctl -u companion says why")


def is_answering(host: str, port: int) -> bool:
    """Whether anybody takes a connection there."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as asking:
        asking.settimeout(1.0)
        return asking.connect_ex(("127.0.0.1" if host == "0.0.0.0" else host, port)) == 0


CameraFrom = Callable[[Settings], Camera | None]


def camera(settings: Settings, opened: CameraFrom, clock: Callable[[], float] = time.monotonic) -> tuple[Finding, ...]:
    """Open the camera of the settings, take some pictures, and hold its calibration against them."""
    device = None
    try:
        device = opened(settings)
        if device is None:
            nothing = Finding("camera", "skipped", "the settings name none: [camera] source")
            return nothing, calibration(settings, None)
        try:
            device.open()
            frame, per_s = _filmed(device, clock)
        finally:
            device.close()
    except DeviceError as error:
        fix = "end what else uses the camera, check its cable, try again"
        return Finding("camera", "fail", error.message, fix), calibration(settings, None)
    if frame is None:
        found = Finding("camera", "fail", f"{device.name} gave no picture", "name a folder that holds pictures")
        return found, calibration(settings, None)
    height, width = frame.picture.shape[:2]
    return _finding(device.name, frame, per_s), calibration(settings, (width, height))


def calibration(settings: Settings, size: tuple[int, int] | None) -> Finding:
    """Whether there is one, whether it can be read, and whether it is for pictures of this size."""
    named = settings.vision.calibration
    if named is None:
        return Finding("calibration", "skipped", "the settings name none; games with zones need one")
    again = 'companion calibrate, then [vision] calibration = "its venue"'
    try:
        known = read_calibration(calibration_file(named, settings.table.data))
        if size is not None:
            known.for_size(size)
    except UsageError as error:
        return Finding("calibration", "fail", error.message, again)
    residual = "" if known.residual_mm is None else f", {known.residual_mm:.2f} mm off"
    lens = "" if known.lens is None else ", lens measured"
    found = f"{known.venue} of {known.made}, by {known.by}{residual}{lens}, {len(known.zones)} zones"
    return Finding("calibration", "ok", found)


def _filmed(device: Camera, clock: Callable[[], float]) -> tuple[Frame | None, float | None]:
    """The last of some pictures, and how many came in a second; None where one alone came."""
    last = device.next(5.0)
    began_s, count = clock(), 0
    while last is not None and count < _MOST_FRAMES and clock() - began_s < _FILM_S:
        frame = device.next(5.0)
        if frame is None:
            break
        last, count = frame, count + 1
    took_s = clock() - began_s
    return last, count / took_s if count and took_s > 0 else None


def _finding(name: str, frame: Frame, per_s: float | None) -> Finding:
    height, width = frame.picture.shape[:2]
    light = float(frame.picture.mean())
    pace = "" if per_s is None else f", {per_s:.0f} pictures a second"
    found = f"{name}, {width} x {height}{pace}, brightness {light:.0f} of 255"
    if not _DARK <= light <= _BRIGHT:
        return Finding("camera", "warn", found, "more light" if light < _DARK else "less light, or another angle")
    if per_s is not None and per_s < _SLOW_FPS:
        return Finding("camera", "warn", found, "smaller pictures: [camera] width_px and height_px")
    return Finding("camera", "ok", found)
