"""By which names a table is reached: addresses and the names of local networks, none of a site on the internet.

A page of another site can have its own name resolve to the table's address (DNS rebinding). Its scripts could then read
what lies on the table, as if they were the table's own.
"""

import socket
from collections.abc import Collection
from http import HTTPStatus
from ipaddress import ip_address

from flask import Request

from companion.web.access.access_guard import Unwelcome

_LOCAL = (
    "local",
    "localhost",
    "localdomain",
    "lan",
    "home",
    "home.arpa",
    "internal",
    "intranet",
    "private",
    "fritz.box",
)


def refuse_foreign_names(request: Request, own: Collection[str]) -> None:
    """Turn away a request by a name that is no local one and not among ``own``. Raises `Unwelcome`.

    From this machine any name will do: a proxy on it has its own.
    """
    name = host_of(request)
    if not (is_local(name) or name in own or is_loopback(request.remote_addr or "")):
        message = f"This table is not called {name[:80]}: open it by its address, or add the name to names in [web]."
        raise Unwelcome(HTTPStatus.MISDIRECTED_REQUEST, "other-name", message)


def host_of(request: Request) -> str:
    """The name or address that a request is sent to, without its port, in small letters."""
    host = request.host.lower()
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0].rstrip(".")


def is_local(name: str) -> bool:
    """Whether a name can only be one of this machine or of a local network, or is an address.

    >>> [is_local(name) for name in ("192.168.1.7", "::1", "raspberrypi", "pi.local", "table.evil.example", "")]
    [True, True, True, True, False, True]
    """
    if "." not in name or name == socket.gethostname().lower():
        return True
    return name.endswith(tuple(f".{last}" for last in _LOCAL)) or _is_address(name)


def is_loopback(text: str) -> bool:
    """Whether a name or an address is this machine's own, as only this machine reaches it."""
    return text == "localhost" or (_is_address(text) and ip_address(text).is_loopback)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
