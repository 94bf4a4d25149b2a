"""The table's own things: pins, speech, page and service."""

import grp
import os
import re
import shutil
import socket

from companion.config import Settings
from companion.devices.panel import Panel
from companion.doctor.finding import Finding, Machine
from companion.errors import DeviceError, TableError
from companion.web.server import bind

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
