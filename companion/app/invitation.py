"""How people get to the table: its address, its join code and PIN, and the code that a phone's camera reads."""

import importlib
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from companion.referee.folder import storage_errors, write_whole

_CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # no I and no O: nobody takes them for digits
_CODE_LENGTH = 6
_PIN_LENGTH = 6
_ELSEWHERE = ("192.0.2.1", 9)  # an address for documentation, RFC 5737: asked for the way there, nothing is sent


@dataclass(frozen=True, slots=True)
class Invitation:
    """What a phone must know.

    Attributes:
        url: of the scoreboard, as other devices on the network reach it.
        operator_pin: never part of what is shown to everybody.
    """

    url: str
    join_code: str
    operator_pin: str

    @property
    def link(self) -> str:
        """The address that joins."""
        return f"{self.url}?code={self.join_code}"

    def svg(self) -> str:
        """The link as a QR code, a picture."""
        return str(_qr().svg(self.link))

    def letters(self) -> str:
        """The link as a QR code for a terminal."""
        return str(_qr().letters(self.link))


def invitation(listening: socket.socket, data: Path, join_code: str | None, operator_pin: str | None) -> Invitation:
    """The invitation to the table at a socket; codes that are not given are made up once and kept in ``data``."""
    code = join_code or _kept(data / "join-code", _CODE_LETTERS, _CODE_LENGTH)
    pin = operator_pin or _kept(data / "operator-pin", "0123456789", _PIN_LENGTH)
    return Invitation(_url(listening), code, pin)


def _qr() -> ModuleType:
    return importlib.import_module("companion.printing.qr")  # late: OpenCV takes its time on an SD card


def _kept(path: Path, letters: str, length: int) -> str:
    """A code made up once, then the same after every restart, so that phones stay joined; nobody else may read it."""
    with storage_errors(f"cannot keep a code in {path}"):
        kept = path.read_text().strip() if path.exists() else ""
        if not kept:
            kept = "".join(secrets.choice(letters) for _ in range(length))
            write_whole(path, f"{kept}\n".encode(), mode=0o600)
    return kept


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{_address() if host == '0.0.0.0' else host}:{port}/"


def _address() -> str:
    """This machine's address in its own network; the loopback's where there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(_ELSEWHERE)
            return str(asking.getsockname()[0])
        except OSError:
            return "127.0.0.1"
