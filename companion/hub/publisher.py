"""Publishes a table's journal lines and snapshot to its hall, and answers the hub's requests.

It reads the disk and the feed from a thread of its own: the table never waits for it, and an error here does not end
the table. Where that is asked for, the table is announced to Home Assistant, too.
"""

import json
import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Full, Queue
from typing import Any

from paho.mqtt.client import MQTTMessage

from companion import __version__
from companion.app.table import Table
from companion.hub.answers import answer
from companion.hub.link import Broker, Link, broker_of
from companion.hub.messages import Address, Entry, Unreadable, address, encode
from companion.hub.sender import JournalOutbox, Sender, drain
from companion.hub.snapshot import payload, snapshot
from companion.referee.referee import Referee

PREFIX = "homeassistant"

_ENTITIES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("sensor", "turn", {"name": "Turn", "value_template": "{{ value_json.turn or 'nobody' }}"}),
    (
        "binary_sensor",
        "proposal",
        {"name": "Proposal waiting", "value_template": "{{ 'ON' if value_json.proposal else 'OFF' }}"},
    ),
    (
        "binary_sensor",
        "camera",
        {
            "name": "Camera fault",
            "device_class": "problem",
            "value_template": "{{ 'ON' if value_json.camera == 'failed' else 'OFF' }}",
        },
    ),
)
HEARTBEAT_S = 3.0
"""Longest time between two snapshots; the hall calls a table silent after three of these."""
_SNAPSHOT_GAP_S = 0.1
_CHECK_S = (0.2, 0.5)
"""How soon to look for acknowledgements while lines are under way, and otherwise."""
_AFTER_A_BUG_S = 5.0
_WAITING = 64
log = logging.getLogger(__name__)


def discoveries(address: Address) -> Iterator[tuple[str, bytes]]:
    """Topic and bytes of each entity's discovery message.

    >>> [topic for topic, _ in discoveries(Address("hall", "table-01"))][0]
    'homeassistant/sensor/hall_table-01/turn/config'
    """
    node = "_".join(address)
    for component, name, described in _ENTITIES:
        config = {
            **described,
            "unique_id": f"companion_{node}_{name}",
            "state_topic": address.topic("up", "snapshot"),
            "availability_topic": address.topic("up", "presence"),
            "availability_template": "{{ 'online' if value_json.state == 'here' else 'offline' }}",
            "device": {
                "identifiers": [f"companion_{node}"],
                "name": f"{address.table}, {address.hall}",
                "sw_version": __version__,
            },
        }
        yield f"{PREFIX}/{component}/{node}/{name}/config", json.dumps(config).encode()


@dataclass(frozen=True, slots=True)
class Place:
    """A table's place in the hall.

    Attributes:
        camera: returns the camera's state: ``ok``, ``absent``, ``off``, ``degraded`` or ``failed``.
        is_announced: whether the table is announced to Home Assistant.
    """

    broker: Broker
    address: Address
    camera: Callable[[], str] = lambda: "absent"
    is_announced: bool = False


class Publisher:
    """Publishes one table from `start` to `stop`."""

    def __init__(self, table: Referee, place: Place) -> None:
        self._table = table
        self._place = place
        self._birth = ""
        self._inbox: Queue[MQTTMessage | None] = Queue(_WAITING)
        self._workers = ThreadPoolExecutor(1, "hub-answers")
        self._subscription = table.feed.subscribe()
        address = place.address
        topics = {address.topic("down", kind): 1 for kind in ("position", "ask")}
        will = (address.topic("up", "presence"), self._presence("gone"))
        self._link = Link(place.broker, topics, self._receive, lambda: self._receive(None), will)
        self._outbox = JournalOutbox(table.games, self._written)
        self._sender = Sender(self._outbox, self._publish_entry, time.monotonic)
        self._published_s = float("-inf")
        self._is_changed = True
        self._is_stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hub-publisher", daemon=True)

    def start(self) -> None:
        """Start publishing as soon as the broker is reachable."""
        self._link.open()
        self._thread.start()

    def stop(self) -> None:
        """Publish that the table has closed, and stop."""
        self._is_stopping.set()
        self._subscription.close()
        self._thread.join()
        self._workers.shutdown(wait=False, cancel_futures=True)
        self._link.close((self._place.address.topic("up", "presence"), self._presence("closed")))

    def _run(self) -> None:
        while not self._is_stopping.is_set():
            try:
                self._publish_changes()
            except Exception:  # an error between table and hall must not end the table
                log.exception("publishing to the hall failed; trying again")
                self._is_stopping.wait(_AFTER_A_BUG_S)

    def _publish_changes(self) -> None:
        if self._subscription.next(self._wait_s()) is not None:
            self._is_changed = True
            self._sender.notice()
            while self._subscription.next(0) is not None:
                pass
        elif self._subscription.is_closed:
            self._is_stopping.wait(_CHECK_S[0])
        self._read_inbox()
        if not self._link.is_connected:
            self._sender.pause()
            return
        self._sender.send()
        now_s = time.monotonic()
        is_due = now_s - self._published_s >= (_SNAPSHOT_GAP_S if self._is_changed else HEARTBEAT_S)
        if is_due and self._publish("snapshot", self._snapshot(), retain=True):
            self._published_s, self._is_changed = now_s, False
            self._sender.notice()

    def _wait_s(self) -> float:
        if self._is_changed:
            return _SNAPSHOT_GAP_S
        return _CHECK_S[0] if self._sender.is_waiting else _CHECK_S[1]

    def _snapshot(self) -> bytes:
        fields = snapshot(self._table.latest(), self._sender.newest, self._place.camera())
        return payload({**fields, "sent": round(time.time(), 3)})

    def _receive(self, message: MQTTMessage | None) -> None:
        """Queue a message, None for a new connection; drop it when the queue is full. Runs on the link's thread."""
        try:
            self._inbox.put_nowait(message)
        except Full:
            log.warning("too much comes from the hall; a message is dropped")

    def _read_inbox(self) -> None:
        for message in drain(self._inbox):
            if message is None:
                self._greet()
            elif message.topic.endswith("/ask"):
                self._workers.submit(self._answer, message)
            else:
                self._take_position(bytes(message.payload))

    def _greet(self) -> None:
        """Publish that the table is here; the hub answers with the position up to which it has the table's events."""
        self._sender.pause()
        self._birth = secrets.token_hex(4)
        self._publish("presence", self._presence("here"), qos=1, retain=True)
        self._published_s = float("-inf")
        if self._place.is_announced:
            for topic, body in discoveries(self._place.address):
                self._link.publish(topic, body, 1, True)

    def _presence(self, state: str) -> bytes:
        return encode({"state": state, "birth": self._birth, "companion": __version__})

    def _take_position(self, data: bytes) -> None:
        try:
            self._sender.hear(data, self._birth)
        except Unreadable as error:
            log.warning("from the hub: %s", error.message)

    def _answer(self, request: MQTTMessage) -> None:
        """Answer a request, only under this table's own topic. Runs on a worker's thread."""
        topic = getattr(request.properties, "ResponseTopic", "")
        if not topic.startswith(self._place.address.topic("up", "answer", "")):
            log.warning("the hub asks for an answer to %r, which is not this table's", topic)
            return
        try:
            kind, data = answer(self._table, bytes(request.payload))
        except Exception:  # as in `_run`
            log.exception("what the hub asked failed")
            return
        correlation = getattr(request.properties, "CorrelationData", b"")
        self._link.publish(topic, data, 1, ContentType=kind, CorrelationData=correlation)

    def _publish_entry(self, entry: Entry) -> bool:
        return self._publish("event", entry.payload(), qos=1)

    def _publish(self, kind: str, data: bytes, qos: int = 0, retain: bool = False) -> bool:
        return self._link.publish(self._place.address.topic("up", kind), data, qos, retain)

    def _written(self) -> tuple[str, int]:
        journal = self._table.health()["journal"]
        return journal["file"], journal["lines"]


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
