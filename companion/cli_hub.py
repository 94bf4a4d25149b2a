"""The commands of a hall of many tables. Loaded only when asked for: they need ``companion[hub]``."""

from pathlib import Path

import click

from companion.config import default_data, load
from companion.errors import BadSettings
from companion.hub.link import broker_of
from companion.hub.running import running_hub


@click.group("hub", invoke_without_command=True)
@click.option("--settings", "file", type=click.Path(path_type=Path), help="Settings file; its [hub] names the broker.")
@click.option("--store", help="Database, such as postgresql://hub@league.example/hub [SQLite in the data folder].")
@click.option("--host", default="0.0.0.0", show_default=True, help="Address to serve at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8090, show_default=True, help="Port to serve at.")
@click.option("--data", type=click.Path(path_type=Path), help="Folder that keeps the database and the PIN.")
@click.option(
    "--delay", "delay_s", type=click.FloatRange(0, 3600), default=0.0, help="Seconds the display lags behind."
)
@click.pass_context
def hub_command(
    context: click.Context,
    file: Path | None,
    store: str | None,
    host: str,
    port: int,
    data: Path | None,
    delay_s: float,
) -> None:
    """Run the hub of a hall: all tables live, the referee's desk, tournaments."""
    if context.invoked_subcommand is not None:
        return
    settings = load(file)
    if settings.hub.broker is None:
        raise BadSettings("[hub] broker: the hub needs a broker; companion hub init writes its settings")
    folder = data or settings.table.data or default_data()
    folder.mkdir(parents=True, exist_ok=True)
    store = store or f"sqlite:///{folder / 'hub.db'}"
    broker = broker_of(settings.hub)
    with running_hub(broker, store, host=host, port=port, data=folder, delay_s=delay_s) as running:
        click.echo(f"The hall display is at {running.url}")
        click.echo(f"The referee's desk: {running.url}desk, PIN {running.pin}")
        running.wait()
