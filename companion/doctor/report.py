"""The doctor's page: all findings in order, for people, for programs, and as a support file without secrets."""

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from companion import __version__
from companion.config import Settings
from companion.devices.panel import Panel
from companion.doctor import games, modules, system, table
from companion.doctor.finding import Check, Finding, Machine
from companion.doctor.table import CameraFrom, camera
from companion.errors import UsageError

CHECKS: tuple[Check, ...] = (
    system.system,
    modules.modules,
    modules.models,
    table.groups,
    table.speech,
    table.page,
    table.service,
    system.memory,
    system.disk,
    games.games,
    system.clock,
    system.heat,
    system.power,
)

_SECRET = "(left out)"
_SECRETS = (("web", "join_code"), ("web", "operator_pin"), ("hub", "password"))
_OF_SOMEBODY = re.compile(r"//.*@")
"""An address's user and password."""


def examine(
    machine: Machine, settings: Settings, opened: CameraFrom, panel: Panel, checks: Iterable[Check] = CHECKS
) -> tuple[Finding, ...]:
    """Look at everything, the devices last."""
    findings: list[Finding] = []
    for check in checks:
        found = check(machine, settings)
        findings += found if isinstance(found, tuple) else (found,)
    return (*findings, table.pins(panel), *camera(settings, opened))


def is_well(findings: Sequence[Finding]) -> bool:
    """Whether the table can run as it is set up."""
    return all(finding.state != "fail" for finding in findings)


def lines(findings: Sequence[Finding]) -> tuple[str, ...]:
    """One line a finding, and below it what to do.

    >>> print("\\n".join(lines((Finding("clock", "warn", "not synchronised", "connect once"),))))
    warn     clock           not synchronised
                             -> connect once
    """
    lines: list[str] = []
    for finding in findings:
        lines.append(f"{finding.state:8} {finding.name:15} {finding.found}")
        if finding.fix:
            lines.append(f"{'':24} -> {finding.fix}")
    return tuple(lines)


def as_json(findings: Sequence[Finding]) -> dict[str, Any]:
    """The page for programs."""
    return {"ok": is_well(findings), "version": __version__, "findings": [finding.as_json() for finding in findings]}


def without_secrets(settings: Settings) -> dict[str, Any]:
    """The settings, for whoever helps: no codes, no PIN, no password, no names of players."""
    payload = asdict(settings)
    for part, name in _SECRETS:
        if payload[part][name] is not None:
            payload[part][name] = _SECRET
    if settings.hub.broker is not None:
        payload["hub"]["broker"] = _OF_SOMEBODY.sub(f"//{_SECRET}@", settings.hub.broker)
    called = {player: f"player {number}" for number, player in enumerate(settings.game.players, 1)}
    payload["game"] |= {"players": [*called.values()], "options": _renamed(payload["game"]["options"], called)}
    return payload


def _renamed(value: Any, called: Mapping[str, str]) -> Any:
    """Options with other names for the players, who may stand in them, as with their colours."""
    if isinstance(value, Mapping):
        return {_renamed(key, called): _renamed(inner, called) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_renamed(inner, called) for inner in value]
    return called.get(value, value) if isinstance(value, str) else value


def write_bundle(path: Path, findings: Sequence[Finding], settings: Settings) -> None:
    """Write the support file: the page, the settings without secrets, what is installed. Raises `UsageError`."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("doctor.txt", "\n".join(lines(findings)) + "\n")
        bundle.writestr("doctor.json", _dumped(as_json(findings)))
        bundle.writestr("settings.json", _dumped(without_secrets(settings)))
        bundle.writestr("packages.txt", "\n".join(_packages()) + "\n")
    try:
        path.write_bytes(packed.getvalue())
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None


def _packages() -> list[str]:
    return sorted({f"{distribution.metadata['Name']}=={distribution.version}" for distribution in distributions()})


def _dumped(value: Any) -> str:
    plain: Callable[[Any], str] = str
    return json.dumps(value, indent=2, default=plain) + "\n"
