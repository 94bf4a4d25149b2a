"""A hall in its league: sends what the hub keeps on to a central hub, over the same topics and in the same way.

The central hub takes a hall's tables as it takes its own: it keeps each line once and says up to where, so that a hall
that was cut off for days sends what is missing. A game counts once, whatever arrives twice.
"""

import logging
import secrets
import threading
import time
from queue import SimpleQueue

from paho.mqtt.client import MQTTMessage

from companion.hub.link import Broker, Link
from companion.hub.messages import (
    Address,
    Entry,
    Position,
    Unreadable,
    encode,
    read_topic,
)
from companion.hub.sender import Sender, drain
from companion.hub.service import Hub
from companion.hub.snapshot import payload
from companion.hub.store import Store

_CHECK_S = 0.2
_SNAPSHOTS_EVERY_S = 1.0
"""How often a table's snapshot is sent on: a league watches from afar."""
_AFTER_A_BUG_S = 5.0

log = logging.getLogger(__name__)


class StoreOutbox:
    """What a store keeps of one table, as an outbox."""

    def __init__(self, store: Store, address: Address) -> None:
        self._store = store
        self._address = address
        self._position: Position | None = None

    def seek(self, position: Position | None) -> None:
        """Go on after a position; from the first line where there is none such."""
        self._position = position

    def read(self, limit: int) -> list[Entry]:
        """The next lines, ``limit`` at most."""
        entries = self._store.following(self._address, self._position, limit)
        if entries:
            self._position = entries[-1].position
        return entries


class League:
    """Sends one hall's tables on, from `start` to `stop`."""

    def __init__(self, hub: Hub, hall: str, central: Broker) -> None:
        """A sender, not yet connected; ``central`` is the league's broker and how the hall enters there."""
        self._hub = hub
        self._hall = hall
        self._senders: dict[Address, Sender] = {}
        self._sent: dict[Address, float] = {}
        self._snapshots_sent_s = 0.0
        self._birth = ""
        self._inbox: SimpleQueue[MQTTMessage | None] = SimpleQueue()
        topics = {f"companion/{hall}/+/down/position": 1}
        self._link = Link(central, topics, self._inbox.put, lambda: self._inbox.put(None))
        self._is_stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hub-league", daemon=True)

    def start(self) -> None:
        """Begin to send, as soon as the league's broker is there."""
        self._link.open()
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._is_stopping.set()
        self._thread.join()
        self._link.close()

    def _run(self) -> None:
        while not self._is_stopping.wait(_CHECK_S):
            try:
                self._go_round()
            except Exception:  # a hall plays on whatever goes wrong between it and its league
                log.exception("sending to the league failed; trying again")
                self._is_stopping.wait(_AFTER_A_BUG_S)

    def _go_round(self) -> None:
        self._read_inbox()
        if not self._link.is_connected:
            return
        for address in self._hub.store.tables():
            if address.hall == self._hall and address not in self._senders:
                self._meet(address)
        for sender in self._senders.values():
            sender.notice()
            sender.send()
        if time.monotonic() - self._snapshots_sent_s >= _SNAPSHOTS_EVERY_S:
            self._snapshots_sent_s = time.monotonic()
            self._send_snapshots()

    def _meet(self, address: Address) -> None:
        """Take a table on, and have the central hub say up to where it keeps it."""
        outbox = StoreOutbox(self._hub.store, address)
        self._senders[address] = Sender(outbox, lambda entry: self._publish(address, "event", entry), time.monotonic)
        self._greet(address)

    def _greet(self, address: Address) -> None:
        body = encode({"state": "here", "birth": self._birth})
        self._link.publish(address.topic("up", "presence"), body, 1, True)

    def _publish(self, address: Address, kind: str, entry: Entry) -> bool:
        return self._link.publish(address.topic("up", kind), entry.payload(), 1)

    def _send_snapshots(self) -> None:
        """Each table's newest, as it is; of a table that is silent nothing."""
        for address in self._senders:
            snapshot = self._hub.hall.latest(address)
            if snapshot is not None and snapshot["sent"] != self._sent.get(address):
                self._sent[address] = snapshot["sent"]
                self._link.publish(address.topic("up", "snapshot"), payload(snapshot), 0, True)

    def _read_inbox(self) -> None:
        for message in drain(self._inbox):
            if message is None:
                self._birth = secrets.token_hex(4)
                for address, sender in self._senders.items():
                    sender.pause()
                    self._greet(address)
            else:
                self._hear_position(message)

    def _hear_position(self, message: MQTTMessage) -> None:
        found = read_topic(message.topic)
        sender = self._senders.get(found[0]) if found else None
        if sender is None:
            return
        try:
            sender.hear(bytes(message.payload), self._birth)
        except Unreadable as error:
            log.warning("from the league: %s", error.message)
