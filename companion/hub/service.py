"""The hub: connection, store, consumer and hall in one hand, and the questions it asks the tables."""

import secrets
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoAnswer
from itertools import count
from typing import Any

from paho.mqtt.client import MQTTMessage

from companion.errors import CompanionError, TableError
from companion.hub.answers import JSON, PICTURE
from companion.hub.consumer import Consumer
from companion.hub.hall import Hall
from companion.hub.link import Broker, Link
from companion.hub.messages import Address, decode, encode, read_topic
from companion.hub.store import Store

ANSWER_WITHIN_S = 5.0
MAX_ANSWER_BYTES = 8_000_000
GROUP = "hub"
"""Hubs behind one broker share the tables' lines by this name."""


class Hub:
    """One hub, from `start` to `stop`.

    Attributes:
        store: what is kept.
        hall: the tables as they are now.
        display: the tables as they are shown to everybody, perhaps later.
    """

    def __init__(
        self, broker: Broker, store: Store, delay_s: float = 0.0, answer_within_s: float = ANSWER_WITHIN_S
    ) -> None:
        """A hub, not yet connected.

        Args:
            broker: where tables and hub meet.
            store: what is kept.
            delay_s: how much later the tables are shown to everybody.
            answer_within_s: a table that takes longer does not answer.
        """
        self._answer_within_s = answer_within_s
        self.store = store
        self.hall = Hall()
        self.display = Hall(delay_s) if delay_s else self.hall
        halls = (self.hall,) if self.display is self.hall else (self.hall, self.display)
        self.consumer = Consumer(store, halls, self._publish)
        self._id = secrets.token_hex(4)
        self._numbers = count()
        self._asked: dict[bytes, Future[tuple[str, bytes]]] = {}
        self._lock = threading.Lock()
        topics = {
            f"$share/{GROUP}/companion/+/+/up/event": 1,
            "companion/+/+/up/snapshot": 0,
            "companion/+/+/up/presence": 1,
            f"companion/+/+/up/answer/{self._id}": 1,
        }
        self._link = Link(broker, topics, self._hear, lambda: None)

    @property
    def is_connected(self) -> bool:
        """Whether the broker is there."""
        return self._link.is_connected

    def start(self) -> None:
        """Begin to take in, as soon as the broker is there."""
        self.consumer.start()
        self._link.open()

    def stop(self) -> None:
        """Take in what has come, and end."""
        self._link.close()
        self.consumer.stop()
        self.hall.close()
        self.display.close()

    def ask(self, address: Address, body: Mapping[str, Any]) -> dict[str, Any]:
        """Ask a table and wait for its answer.

        Raises:
            CompanionError: what the table refused with, by its code, or `no-answer`.
        """
        kind, data = self._answer(address, body)
        reply = _read_answer(kind, data)
        if type(reply.get("version")) is not int:
            raise TableError(f"{address.table} says neither yes nor no", code="no-answer")
        return reply

    def picture(self, address: Address, move: int | None) -> bytes:
        """The JPEG that a move of a table was read from; None for what waits. Raises `CompanionError` as `ask`."""
        kind, data = self._answer(address, {"ask": "evidence", "move": move})
        if kind != PICTURE:
            _read_answer(kind, data)
            raise TableError("the table gave no picture", code="no-evidence")
        return data

    def _answer(self, address: Address, body: Mapping[str, Any]) -> tuple[str, bytes]:
        correlation = f"{next(self._numbers)}-{secrets.token_hex(4)}".encode()
        answer: Future[tuple[str, bytes]] = Future()
        with self._lock:
            self._asked[correlation] = answer
        try:
            self._link.publish(
                address.topic("down", "ask"),
                encode(body),
                1,
                ResponseTopic=address.topic("up", "answer", self._id),
                CorrelationData=correlation,
            )
            return answer.result(self._answer_within_s)
        except NoAnswer:
            raise TableError(f"{address.table} does not answer", code="no-answer") from None
        finally:
            with self._lock:
                del self._asked[correlation]

    def _hear(self, message: MQTTMessage) -> None:
        """On the connection's thread."""
        found = read_topic(message.topic)
        if found is None:
            return
        address, (kind, *_) = found
        if kind != "answer":
            self.consumer.hear(address, kind, bytes(message.payload))
            return
        with self._lock:
            waiting = self._asked.get(getattr(message.properties, "CorrelationData", b""))
        if waiting is not None and not waiting.done() and len(message.payload) <= MAX_ANSWER_BYTES:
            waiting.set_result((getattr(message.properties, "ContentType", JSON), bytes(message.payload)))

    def _publish(self, address: Address, payload: bytes) -> None:
        self._link.publish(address.topic("down", "position"), payload, 1)


def _read_answer(kind: str, data: bytes) -> dict[str, Any]:
    """Raises `CompanionError` with what the table refused."""
    reply = decode(data) if kind == JSON else {}
    error = reply.get("error")
    if isinstance(error, dict):
        raise CompanionError(str(error.get("message", "")), code=str(error.get("code", "refused")))
    return reply
