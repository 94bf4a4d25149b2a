"""The command that looks at the machine and says what is wrong with it. Loaded only when asked for."""

from importlib import import_module
from pathlib import Path

import click

from companion.app.factories import camera_from, panel_from
from companion.cli.main import json_option, print_json
from companion.cli.paths import PATH
from companion.cli.terminal import progress, state_coloured
from companion.config import load
from companion.doctor import report
from companion.doctor.finding import Finding, Machine


@click.command("doctor")
@click.option("--settings", "file", type=PATH, help="Settings file [the usual companion.toml].")
@click.option("--bundle", type=PATH, help="Also write a support file, a zip without secrets.")
@click.option("--bench", "with_bench", is_flag=True, help="Also measure how fast this machine recognises cards.")
@json_option
def doctor_command(file: Path | None, bundle: Path | None, with_bench: bool, as_json: bool) -> int:
    """Look at the machine, its devices and the settings, and say what to do about each finding."""
    settings = load(file)
    speed = _bench() if with_bench else ()  # first, so that heat and power are looked at after some work
    findings = report.examine(
        Machine(),
        settings,
        lambda asked: camera_from(asked.camera),
        panel_from(settings.panel),
        progress(report.CHECKS, len(report.CHECKS), "looking"),
    )
    findings = (*findings, *speed)
    if bundle is not None:
        report.write_bundle(bundle, findings, settings)
    if as_json:
        print_json(report.as_json(findings))
    else:
        for finding in findings:
            state, *rest = report.lines([finding])
            click.echo("\n".join([state_coloured(finding.state, state[:8]) + state[8:], *rest]))
    return 0 if report.is_well(findings) else 1


def _bench() -> tuple[Finding, ...]:
    """Loaded only now: the doctor must be able to say that OpenCV does not load."""
    findings: tuple[Finding, ...] = import_module("companion.doctor.bench").bench()
    return findings
