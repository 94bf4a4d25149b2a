"""A table for Home Assistant: whose turn it is, whether a proposal waits, whether the camera has failed.

Discovery messages after https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery; the values are read off the
table's retained snapshot and presence, so that nothing else is published.
"""

import json
from collections.abc import Iterator
from typing import Any

from companion import __version__
from companion.hub.messages import Address

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
