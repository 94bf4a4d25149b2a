"""The commands of a hall of many tables. Loaded only when asked for: they need ``companion[hub]``."""

from pathlib import Path

import click

from companion.cli.main import FiniteRange
from companion.cli.paths import PATH
from companion.config import default_data, load
from companion.errors import BadSettings
from companion.hub.link import broker_of
from companion.hub.running import running_hub
from companion.hub.setup.provision import Plan, provision


@click.group("hub", invoke_without_command=True)
@click.option("--settings", "file", type=PATH, help="Settings file; its [hub] names the broker.")
@click.option("--store", help="Database, such as postgresql://hub@league.example/hub [SQLite in the data folder].")
@click.option("--host", default="0.0.0.0", show_default=True, help="Address to serve at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8090, show_default=True, help="Port to serve at.")
@click.option("--data", type=PATH, help="Folder that keeps the database and the PIN.")
@click.option("--delay", "delay_s", type=FiniteRange(0, 3600), default=0.0, help="Seconds the display lags behind.")
@click.option("--league", type=PATH, help="Settings file; its [hub] names the league's broker.")
@click.pass_context
def hub_command(
    context: click.Context,
    file: Path | None,
    store: str | None,
    host: str,
    port: int,
    data: Path | None,
    delay_s: float,
    league: Path | None,
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
    above = None
    if league is not None:
        central = load(league).hub
        above = central.hall, broker_of(central)
    names = (*settings.web.names, broker.host)
    with running_hub(
        broker, store, host=host, port=port, data=folder, delay_s=delay_s, league=above, names=names
    ) as running:
        click.echo(f"The hall display is at {running.url}")
        click.echo(f"The referee's desk: {running.url}desk, PIN {running.pin}")
        running.wait()


@hub_command.command("init")
@click.argument("folder", type=PATH)
@click.option("--tables", type=click.IntRange(1, 999), default=12, show_default=True, help="How many tables.")
@click.option("--hall", default="hall", show_default=True, help="Name of the hall.")
@click.option("--broker-host", default="hall.local", show_default=True, help="The broker, as the tables reach it.")
@click.option("--broker-port", type=click.IntRange(1, 65535), default=8883, show_default=True)
@click.option("--certificates", is_flag=True, help="Tables show certificates of their own, too.")
@click.option("--halls", help="Halls of a league whose central hub this is, as in north,south.")
@click.option("--renew", multiple=True, help="Table whose password was stolen; it gets a new one. May be repeated.")
@click.option("--user", help="Whom the broker runs as, when root starts it [mosquitto].")
def init_command(
    folder: Path,
    tables: int,
    hall: str,
    broker_host: str,
    broker_port: int,
    certificates: bool,
    halls: str | None,
    renew: tuple[str, ...],
    user: str | None,
) -> None:
    """Write into FOLDER what a hall needs: broker, passwords, certificates, settings.

    Again with more --tables it adds those; passwords that are there stay.
    """
    names = [f"table-{number:02}" for number in range(1, tables + 1)]
    plan = Plan(
        folder, hall, names, broker_host, broker_port, renew, certificates, user, halls.split(",") if halls else ()
    )
    fresh = provision(plan)
    click.echo(
        f"{len(fresh)} tables got a password; take each its {folder / 'tables'}/NAME.toml and {folder / 'ca.pem'}"
    )
    click.echo(f"start the broker:  mosquitto -c {folder / 'mosquitto.conf'}")
    click.echo(f"start the hub:     companion hub --settings {folder / 'hub.toml'} --data {folder}")
