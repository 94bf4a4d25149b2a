"""The command that tries the panel's wiring: every press is shown, every lamp blinks. Loaded only when asked for."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click

from companion.app.factories import panel_from
from companion.cli.paths import PATH
from companion.config import load
from companion.devices.panel import Panel

BLINK_S = 0.5


@click.command("panel")
@click.option("--settings", "file", type=PATH, help="Settings file [the usual companion.toml].")
@click.option("--pins", type=click.Choice(["auto", "lgpio", "mock"]), help="Where the buttons are.")
@click.option("--rounds", type=click.IntRange(min=1), help="How often each lamp blinks [until Ctrl-C].")
def panel_command(file: Path | None, pins: str | None, rounds: int | None) -> None:
    """Try the wiring: show every press as it comes, blink every lamp and sound the buzzer in turn."""
    settings = load(file).panel
    panel = panel_from(replace(settings, pins=pins) if pins else settings)
    try:
        try_wiring(panel, click.echo, threading.Event().wait, rounds)
    except KeyboardInterrupt:
        click.echo("done")


def try_wiring(panel: Panel, say: Callable[[str], None], wait: Callable[[float], object], rounds: int | None) -> None:
    """Open a panel, say what its buttons do and blink its lamps, so many rounds or until interrupted.

    Raises:
        DeviceError: pins were asked for that are not there.
    """
    panel.open(lambda message: None, lambda button, what: say(f"{button} {what}"))
    try:
        if note := panel.note():
            say(note)
        say(f"press the buttons: {', '.join(name for name in panel.pins if name not in panel.lights())}")
        say(f"watch the lamps: {', '.join(panel.lights())}")
        done = 0
        while rounds is None or done < rounds:
            _blink_all(panel, wait)
            done += 1
    finally:
        panel.close()


def _blink_all(panel: Panel, wait: Callable[[float], object]) -> None:
    for name in panel.lights():
        panel.light(name, True)
        wait(BLINK_S)
        panel.light(name, False)
    if not panel.lights():
        wait(BLINK_S)
