"""A hub as a whole: the PIN that its desk asks for is kept over a restart."""

from pathlib import Path

import pytest

from companion.hub.broker import free_port
from companion.hub.link import broker_at
from companion.hub.running import running_hub


def pin_of(data: Path) -> str:
    """The PIN of a hub started over a folder, whose broker is not there."""
    broker = broker_at(f"mqtt://127.0.0.1:{free_port()}", "hub")
    with running_hub(broker, f"sqlite:///{data / 'hub.db'}", host="127.0.0.1", port=0, data=data) as hub:
        return hub.pin


def test_the_pin_is_kept_over_a_restart_for_the_hub_alone_to_read(tmp_path: Path) -> None:
    first = pin_of(tmp_path)
    assert first == pin_of(tmp_path)
    assert (tmp_path / "hub-pin").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("left", [b"", bytes(7), b"\xff\xfe\n"])
def test_a_pin_that_a_power_cut_spoilt_is_made_anew(tmp_path: Path, left: bytes) -> None:
    (tmp_path / "hub-pin").write_bytes(left)
    pin = pin_of(tmp_path)
    assert len(pin) == 6 and pin.isdecimal()
    assert pin == pin_of(tmp_path)
