"""The command that plays a game by itself. Loaded only when asked for: it needs OpenCV and the web server."""

import os
import sys
from importlib import import_module
from pathlib import Path

import click

from companion.app.demo import KEPT, DemoOptions, run_demo
from companion.cli.main import FiniteRange
from companion.cli.paths import PATH


@click.command("demo")
@click.option("--game", default="hexel", show_default=True, help="Game to play; all: the games in turn.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Another number is another game at another table.",
)
@click.option(
    "--speed",
    type=FiniteRange(min=0.1, max=100),
    default=1.0,
    show_default=True,
    help="1 is the pace of people, 20 twenty times that, as far as the machine keeps up.",
)
@click.option(
    "--tables", type=click.IntRange(1, 50), default=1, show_default=True, help="Several are a hall of all games."
)
@click.option("--host", default="0.0.0.0", show_default=True, help="Address to serve at; 0.0.0.0 is every network.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="Port to serve at.")
@click.option("--data", type=PATH, help="Folder that keeps the game, to go on with it later.")
def demo_command(game: str, seed: int, speed: float, tables: int, host: str, port: int, data: Path | None) -> None:
    """Play evening after evening on a simulated table, camera, mishaps and all, until Ctrl-C.

    With --tables a hall: that many tables, played by script without cameras, and the hall's display.
    """
    if tables > 1:
        import_module("companion.hub.demo").run_hall_demo(tables, seed, speed, host, port, data, click.echo)
        return
    run_demo(DemoOptions(game, seed, speed, host, port, data), click.echo, _restart if port else None)


def _restart(data: Path) -> None:
    """Begin this process anew as after a power cut: nothing is closed and nobody is told."""
    os.environ[KEPT] = str(data)
    if sys.stdout is not None:
        sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "companion", *sys.argv[1:]])
