"""A running table's place in its hall, from its settings."""

from collections.abc import Iterator
from contextlib import contextmanager

from companion.app.table import Table
from companion.hub.link import broker_of
from companion.hub.messages import address
from companion.hub.publisher import Place, Publisher


@contextmanager
def in_its_hall(table: Table) -> Iterator[None]:
    """Publish a table to the end of the block. Raises `BadSettings`."""
    settings = table.settings.hub
    place = Place(
        broker_of(settings),
        address(settings.hall, settings.name),
        lambda: str(table.health()["camera"]["state"]),
        settings.home_assistant,
    )
    publisher = Publisher(table.referee, place)
    publisher.start()
    try:
        yield
    finally:
        publisher.stop()
