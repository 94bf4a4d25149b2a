"""The commands that run a table. Loaded only when asked for: the web server and the devices are slow to import."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from companion.app.bootstrap import run_table
from companion.cli.paths import PATH
from companion.config import load


@click.command("run")
@click.option("--settings", "file", type=PATH, help="Settings file [the usual companion.toml].")
@click.option("--game", "name", help="Game to play; left out, the newest game goes on.")
@click.option("--players", help="Names in the order of their seats, as in Ana,Bo.")
@click.option("--edition", help="Edition of the game.")
@click.option("--chips", type=int, help="Chips that each player begins with, where the game has chips.")
@click.option("--host", help="Address to serve at [0.0.0.0: every network].")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to serve at [8080].")
@click.option("--data", type=PATH, help="Folder that keeps the games.")
@click.option("--camera", "source", help="pi, usb, usb:1, a folder of pictures, a video file, or none.")
@click.option("--pins", type=click.Choice(["auto", "lgpio", "mock", "none"]), help="Where the buttons are.")
@click.option("--deck", help="Deck on the table, such as hexel36; without it what is seen decides.")
@click.option("--profile", type=PATH, help="What was learnt of a deck's printing.")
@click.option("--calibration", type=PATH, help="Where the camera stands.")
def run_command(
    file: Path | None, name: str | None, players: str | None, edition: str | None, chips: int | None, **flags: Any
) -> None:
    """Run the table: camera, referee, buttons and the scoreboard, until Ctrl-C."""
    settings = load(file)
    options = settings.game.options if chips is None else {**settings.game.options, "chips": chips}
    seats = None if players is None else tuple(seat.strip() for seat in players.split(","))
    settings = replace(
        settings,
        game=_with(settings.game, name=name, players=seats, edition=edition, options=options),
        web=_with(settings.web, **_these(flags, "host", "port")),
        camera=_with(settings.camera, **_these(flags, "source")),
        vision=_with(settings.vision, **_these(flags, "deck", "profile", "calibration")),
        panel=_with(settings.panel, **_these(flags, "pins")),
        table=_with(settings.table, **_these(flags, "data")),
    )
    run_table(settings, say=click.echo)


def _with(section: Any, **changes: Any) -> Any:
    return replace(section, **{name: value for name, value in changes.items() if value is not None})


def _these(flags: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: flags[name] for name in names}
