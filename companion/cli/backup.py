"""The commands that keep a data folder elsewhere and bring it back. Loaded only when asked for."""

from pathlib import Path

import click

from companion.cli.paths import PATH
from companion.cli.terminal import counted
from companion.config import data_folder
from companion.referee.backup import back_up, restore

_DATA = click.option("--data", type=PATH, help="Folder that keeps the games [the usual one].")


@click.command("backup")
@click.argument("file", type=PATH)
@_DATA
def backup_command(file: Path, data: Path | None) -> None:
    """Keep everything of a table, its games, pictures, seats and calibrations, in one zip FILE; while it runs, too."""
    count = back_up(data_folder(data), file)
    click.echo(f"{file}: {counted(count, 'file')}, {file.stat().st_size / 1e6:.1f} MB")


@click.command("restore")
@click.argument("file", type=PATH)
@_DATA
def restore_command(file: Path, data: Path | None) -> None:
    """Bring a backup FILE back into a folder where nothing is yet."""
    where = data_folder(data)
    click.echo(f"{where}: {counted(restore(file, where), 'file')} brought back")
