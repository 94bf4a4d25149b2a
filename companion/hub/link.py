"""One connection to a broker, MQTT 5: made in the background, made anew whenever it is lost; nobody waits for it."""

import logging
import secrets
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from companion.config import HubSettings
from companion.errors import BadSettings

KEEPALIVE_S = 10
"""A table that has gone is known to the broker after one and a half of these."""
_RETRY_S = (1, 30)
_MAX_WAITING, _MAX_INFLIGHT = 2000, 256

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Broker:
    """Where a broker is, and who asks.

    Attributes:
        name: the user's name; also the start of the client's identifier.
        ca, certificate, key: files in PEM; without ``ca`` the system's own certificates are believed.
    """

    host: str
    port: int
    is_encrypted: bool
    name: str
    password: str | None = None
    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None


def broker_of(settings: HubSettings) -> Broker:
    """The broker that the settings name. Raises `BadSettings`."""
    return broker_at(
        str(settings.broker), settings.name, settings.password, settings.ca, settings.certificate, settings.key
    )


def broker_at(
    url: str,
    name: str,
    password: str | None = None,
    ca: Path | None = None,
    certificate: Path | None = None,
    key: Path | None = None,
) -> Broker:
    """The broker at an address. Raises `BadSettings`.

    >>> broker_at("mqtts://hall.local", "hub").port
    8883
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadSettings(f"hub.broker: {url!r}: {error}") from None
    if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname:
        raise BadSettings(f"hub.broker: {url!r} is no broker; write mqtt://host:1883 or mqtts://host:8883")
    is_encrypted = parts.scheme == "mqtts"
    for file in (ca, certificate, key):
        if file is not None and not file.is_file():
            raise BadSettings(f"hub: there is no file {file}")
    port = port or (8883 if is_encrypted else 1883)
    return Broker(parts.hostname, port, is_encrypted, name, password, ca, certificate, key)


Handler = Callable[[MQTTMessage], None]


class Link:
    """A client of one broker. `open` it, `publish`, `close` it; what comes is heard on the link's own thread."""

    def __init__(
        self,
        broker: Broker,
        topics: dict[str, int],
        heard: Handler,
        connected: Callable[[], None],
        will: tuple[str, bytes] | None = None,
    ) -> None:
        """A client, not yet connected.

        Args:
            topics: what to subscribe to, with the quality of service, whenever the connection is made.
            heard: called with each message.
            connected: called after each connection, once subscribed.
            will: what the broker publishes, retained, when this client goes without a word.
        """
        self._broker = broker
        self._topics = topics
        self._connected = connected
        self._is_open = False
        # by one identifier the broker ends the connection before, and says its will, ahead of what is said on the next
        identifier = f"{broker.name}-{secrets.token_hex(4)}"
        client = Client(CallbackAPIVersion.VERSION2, identifier, protocol=MQTTProtocolVersion.MQTTv5)
        client.username_pw_set(broker.name, broker.password)
        if broker.is_encrypted:
            client.tls_set_context(_context(broker))
        if will:
            client.will_set(*will, qos=1, retain=True)
        client.max_inflight_messages_set(_MAX_INFLIGHT)
        client.max_queued_messages_set(_MAX_WAITING)
        client.reconnect_delay_set(*_RETRY_S)
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_message = lambda _client, _data, message: heard(message)
        client.suppress_exceptions = False
        self._client = client

    @property
    def is_connected(self) -> bool:
        """Whether what is published now goes out now."""
        return self._client.is_connected()

    def open(self) -> None:
        """Begin to connect; returns at once, whether the broker is there or not."""
        self._is_open = True
        properties = _properties(PacketTypes.CONNECT, ReceiveMaximum=1000)
        self._client.connect_async(
            self._broker.host, self._broker.port, KEEPALIVE_S, clean_start=True, properties=properties
        )
        self._client.loop_start()

    def publish(self, topic: str, payload: bytes, qos: int = 0, retain: bool = False, **properties: Any) -> bool:
        """Hand a message over to be sent; False when it cannot be, now. Never waits.

        Args:
            properties: of MQTT 5, by the names of the protocol, such as ``ResponseTopic``.
        """
        sent = _properties(PacketTypes.PUBLISH, **properties) if properties else None
        return self._client.publish(topic, payload, qos, retain, sent).rc == MQTTErrorCode.MQTT_ERR_SUCCESS

    def close(self, last: tuple[str, bytes] | None = None) -> None:
        """Say a last thing, retained, as the will would have been; then disconnect. Twice is harmless."""
        if not self._is_open:
            return
        self._is_open = False
        if last and self.is_connected:
            self._client.publish(*last, qos=1, retain=True).wait_for_publish(1.0)
        self._client.disconnect()
        self._client.loop_stop()

    def _on_connect(self, client: Client, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if reason.is_failure:
            log.warning("the broker %s:%s turns %s away: %s", *self._at(), self._broker.name, reason)
            return
        if self._topics:
            client.subscribe([(topic, SubscribeOptions(qos=qos)) for topic, qos in self._topics.items()])
        self._connected()

    def _on_disconnect(self, _client: Client, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if self._is_open:
            log.warning("the connection to the broker %s:%s is lost: %s", *self._at(), reason)

    def _at(self) -> tuple[str, int]:
        return self._broker.host, self._broker.port


def _properties(kind: int, **values: Any) -> Properties:
    made = Properties(kind)  # type: ignore[no-untyped-call]  # paho does not say what it takes
    for name, value in values.items():
        setattr(made, name, value)
    return made


def _context(broker: Broker) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=broker.ca)
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # set from Python 3.13 on; a hall's older certificates fail it
        if broker.certificate:
            context.load_cert_chain(broker.certificate, broker.key)
    except OSError as error:  # an SSLError is one
        raise BadSettings(f"hub: the certificates cannot be used: {error}") from None
    return context
