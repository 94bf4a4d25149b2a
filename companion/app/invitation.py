"""How people join the table: its address and its certificate for https, its join code and PIN, the link's QR code."""

import fcntl
import importlib
import secrets
import socket
import ssl
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from urllib.parse import urlsplit

from companion.errors import TableError
from companion.referee.folder import storage_errors, write_whole
from companion.rules.limits import read_file

_CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # no I and no O: nobody takes them for digits
_CODE_LENGTH = 6
_PIN_LENGTH = 6
_REMOTE = ("192.0.2.1", 9)  # a documentation address (RFC 5737): connecting a UDP socket finds the route, sends nothing
_EVERYWHERE, _LOOPBACK = "0.0.0.0", "127.0.0.1"
_SIOCGIFADDR = 0x8915
_LOCAL_NAMES = "local", "localhost"
"""A phone that trusts a table's authority trusts it for these and the machine's name: for no site on the internet."""
_FOLDER, _NAME, _HOSTS = "https", "table", "hosts"


@dataclass(frozen=True, slots=True)
class Invitation:
    """The table's address and codes.

    Attributes:
        served_at: the scoreboard's address; that of no machine, 0.0.0.0, where it serves every network.
        operator_pin: never shown to everybody.
    """

    served_at: str
    join_code: str
    operator_pin: str

    @property
    def url(self) -> str:
        """The scoreboard's address, as other devices on the network reach it now.

        A Pi that boots is often sooner than its network, and a router may give it another address in an evening.
        """
        served = urlsplit(self.served_at)
        return self.served_at if served.hostname != _EVERYWHERE else f"http://{own_address()}:{served.port}/"

    @property
    def host(self) -> str:
        """The address alone."""
        return str(urlsplit(self.url).hostname)

    @property
    def link(self) -> str:
        """The address that joins."""
        return f"{self.url}?code={self.join_code}"

    def svg(self) -> str:
        """The link as a QR code in SVG."""
        return str(_qr().svg(self.link))

    def letters(self) -> str:
        """The link as a QR code for a terminal."""
        return str(_qr().letters(self.link))


def invitation(listening: socket.socket, data: Path, join_code: str | None, operator_pin: str | None) -> Invitation:
    """The invitation to the table at a socket; codes that are not given are generated once and stored in ``data``."""
    code = join_code or _stored_code(data / "join-code", _CODE_LETTERS, _CODE_LENGTH)
    pin = operator_pin or _stored_code(data / "operator-pin", "0123456789", _PIN_LENGTH)
    host, port = listening.getsockname()[:2]
    return Invitation(f"http://{host}:{port}/", code, pin)


def _qr() -> ModuleType:
    return importlib.import_module("companion.printing.qr")  # late: OpenCV is slow to load from an SD card


def _stored_code(path: Path, letters: str, length: int) -> str:
    """The code in a file that only its owner can read; generated once, so that phones stay joined after a restart.

    What nobody could type, as a damaged file holds it, is generated anew.
    """
    with storage_errors(f"cannot keep a code in {path}"):
        code = read_file(path).decode(errors="replace").strip() if path.exists() else ""
        if not (code and code.isascii() and code.isprintable()):
            code = "".join(secrets.choice(letters) for _ in range(length))
            write_whole(path, f"{code}\n".encode(), mode=0o600)
    return code


def own_address() -> str:
    """This machine's address in its own network; the loopback address without a network.

    A machine that is the network itself, as a hotspot is, has no route to elsewhere: there it is an interface's.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_REMOTE)
            return str(probe.getsockname()[0])
        except OSError:
            found = (_address_of(name, probe) for _, name in socket.if_nameindex())
            return next((address for address in found if address and not address.startswith("127.")), _LOOPBACK)


def _address_of(interface: str, probe: socket.socket) -> str | None:
    """The address of a network interface; None where it has none. Linux's netdevice(7)."""
    try:
        answer = fcntl.ioctl(probe, _SIOCGIFADDR, struct.pack("256s", interface.encode()))
    except OSError:
        return None
    return socket.inet_ntoa(answer[20:24])


@dataclass(frozen=True, slots=True)
class TableCertificate:
    """The files of a server certificate, and of the authority that a phone may be told to trust."""

    certificate: Path
    key: Path
    authority: Path


def table_certificate(data: Path, address: str) -> TableCertificate:
    """The certificate for this machine's names and ``address``; signed anew when they have changed, or before it ends.

    The authority stays, so that a phone that trusts it goes on trusting the table. What a damaged disk spoilt is made
    anew. A table that begins before its network is there keeps the certificate for the address that it had.
    """
    folder, hosts = data / _FOLDER, host_names(address)
    certificates = importlib.import_module("companion.hub.setup.certificates")
    authority = certificates.Authority
    with storage_errors(f"cannot keep the certificate in {folder}"):
        folder.mkdir(mode=0o700, exist_ok=True)
        made = TableCertificate(folder / f"{_NAME}.pem", folder / f"{_NAME}.key", folder / "ca.pem")
        signed_for = folder / _HOSTS
        if not made.authority.exists():  # another authority is about to be made
            signed_for.unlink(missing_ok=True)
        try:
            signs = authority(folder, f"table at {hosts[0]}", (hosts[0], *_LOCAL_NAMES))
        except TableError:
            signed_for.unlink(missing_ok=True)
            made.authority.unlink()
            signs = authority(folder, f"table at {hosts[0]}", (hosts[0], *_LOCAL_NAMES))
        signed = signed_for.read_bytes().decode(errors="replace").split() if signed_for.exists() else []
        is_signed = set(hosts) <= set(signed) if address == _LOOPBACK else signed == list(hosts)
        if not is_signed or not _is_pair(made) or not certificates.suits_phones(made.certificate):
            signs.sign_pages(folder, _NAME, hosts)
            write_whole(signed_for, " ".join(hosts).encode())
    return made


def _is_pair(made: TableCertificate) -> bool:
    """Whether a server can speak by the certificate and the key that are kept."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(made.certificate, made.key)
    except OSError:  # an SSLError is one
        return False
    return True


def host_names(address: str) -> Sequence[str]:
    """How this machine is reached: its name, its name in the local network, its address and itself."""
    name = socket.gethostname().split(".")[0] or "table"
    return tuple(dict.fromkeys((name, f"{name}.local", address, "localhost", _LOOPBACK)))
