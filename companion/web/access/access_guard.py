"""Who may act: the table's join code and the operator's PIN, compared in constant time, guessed only slowly.

Watching is free. Acting needs the code, typed or in the ``X-Join-Code`` header, or the key that joining leaves in the
phone's cookie. The key names the phone and cannot be guessed: whoever has it always passes, whatever others try. A
request that a browser sends for another site is turned away before any code is looked at.
"""

import hashlib
import hmac
import secrets
import socket
from collections import OrderedDict, deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from threading import Lock
from urllib.parse import urlsplit

from flask import Request

from companion.errors import CompanionError

_FREE_TRIES = 10
_FREE_TRIES_IN_A_FLOOD = 1
_FLOOD, _FLOOD_S = 100, 600.0
"""So many wrong tries within so many seconds, from all addresses together, are a flood."""
_FIRST_WAIT_S, _LONGEST_WAIT_S = 60.0, 3600.0
_FORGET_S = 2 * _LONGEST_WAIT_S
_ADDRESSES = 4096
COOKIE = "companion_join"
HEADER = "X-Join-Code"
_SEAL_LENGTH = 64
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


class Unwelcome(CompanionError):
    """The request may not act on this table."""

    def __init__(self, status: HTTPStatus, code: str, message: str, *, retry_after_s: int | None = None) -> None:
        super().__init__(message, code=code)
        self.status = status
        self.retry_after_s = retry_after_s


@dataclass(slots=True)
class _Guesser:
    wrong: int = 0
    last_s: float = 0.0


class GuessLimiter:
    """Counts the wrong tries of one code. Not for several threads at once."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._guessers: OrderedDict[str, _Guesser] = OrderedDict()
        self._recent: deque[float] = deque(maxlen=_FLOOD)

    def refuse_a_guesser(self, address: str) -> None:
        """Have an address that guessed wrong too often wait. Raises `Unwelcome`, 429."""
        guesser = self._guessers.get(address)
        if guesser is None:
            return
        now_s = self._clock()
        if now_s - guesser.last_s > _FORGET_S:
            del self._guessers[address]
            return
        wait_s = guesser.last_s + self._wait_s(guesser.wrong) - now_s
        if wait_s > 0:
            message = f"Too many wrong codes; try again in {int(wait_s) + 1} s."
            status = HTTPStatus.TOO_MANY_REQUESTS
            raise Unwelcome(status, "too-many-tries", message, retry_after_s=int(wait_s) + 1)

    def remember(self, address: str, is_right: bool) -> None:
        """Remember how a try ended."""
        if is_right:
            self._guessers.pop(address, None)
            return
        guesser = self._guessers.setdefault(address, _Guesser())
        guesser.wrong += 1
        guesser.last_s = self._clock()
        self._recent.append(guesser.last_s)
        self._guessers.move_to_end(address)
        while len(self._guessers) > _ADDRESSES:
            self._guessers.popitem(last=False)

    def _wait_s(self, wrong: int) -> float:
        is_flood = len(self._recent) == _FLOOD and self._clock() - self._recent[0] < _FLOOD_S
        beyond = wrong - (_FREE_TRIES_IN_A_FLOOD if is_flood else _FREE_TRIES)
        return 0.0 if beyond < 0 else min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0 ** min(beyond, 10))


class AccessGuard:
    """Lets in whoever knows the join code, and to the operator's place whoever knows the PIN."""

    def __init__(self, join_code: str, operator_pin: str | None, clock: Callable[[], float], secret: bytes) -> None:
        """A guard. An empty code would let everybody in and is an error; without a PIN nobody is an operator.

        Args:
            secret: what the phones' keys are made with; the same after a restart, so that they still open.
        """
        if not join_code or operator_pin == "":
            raise ValueError("a table needs a join code and a PIN that are not empty")
        self._join_code = join_code
        self._operator_pin = operator_pin
        self._secret = secret
        self._lock = Lock()
        self._joining, self._operating = GuessLimiter(clock), GuessLimiter(clock)

    def key(self) -> str:
        """A new key, for the cookie of a phone that has joined."""
        phone = secrets.token_urlsafe(9)
        return f"{phone}.{self._seal(phone)}"

    def phone(self, request: Request) -> str | None:
        """The phone that a request comes from, by the key in its cookie; None without one."""
        phone, _, seal = request.cookies.get(COOKIE, "").rpartition(".")
        return phone if phone and hmac.compare_digest(_bytes(seal), self._seal(phone).encode()) else None

    def is_open_to(self, request: Request) -> bool:
        """Whether the request's cookie is a valid key. A wrong one counts as a guess, or it would be a way to guess."""
        try:
            return self.phone(request) is not None or self._is_joining(_code_in(request), request)
        except Unwelcome:
            return False

    def admit(self, request: Request) -> None:
        """Let the request act. Raises `Unwelcome`: 401 without a code, 403 for a wrong one, 429 after ten of those."""
        if self.phone(request) is not None:
            refuse_other_sites(request)
            return
        given = request.headers.get(HEADER) or _code_in(request)
        if not given:
            raise Unwelcome(HTTPStatus.UNAUTHORIZED, "not-joined", "Enter the join code to play; watching is free.")
        self.check_code(given, request)

    def check_code(self, given: str, request: Request) -> None:
        """Try a code. Raises `Unwelcome`: 403 when it is wrong, 429 once its address has guessed too often."""
        refuse_other_sites(request)
        if not self._is_joining(given, request):
            raise Unwelcome(HTTPStatus.FORBIDDEN, "wrong-code", "That is not this table's join code.")

    def check_pin(self, given: str, request: Request) -> None:
        """Try the operator's PIN; it is guessed as slowly as the code. Raises `Unwelcome`."""
        refuse_other_sites(request)
        if not self._is_right(given, self._operator_pin, self._operating, request):
            raise Unwelcome(HTTPStatus.FORBIDDEN, "wrong-pin", "That is not the operator's PIN.")

    def _is_joining(self, given: str | None, request: Request) -> bool:
        return bool(given) and self._is_right(str(given), self._join_code, self._joining, request)

    def _is_right(self, given: str, wanted: str | None, guard: GuessLimiter, request: Request) -> bool:
        address = request.remote_addr or ""
        with self._lock:
            guard.refuse_a_guesser(address)
            is_right = wanted is not None and _matches(given, wanted)
            guard.remember(address, is_right)
        return is_right

    def _seal(self, phone: str) -> str:
        message = f"{phone} {self._join_code}".encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, message, hashlib.sha256).hexdigest()


def refuse_other_sites(request: Request) -> None:
    """Turn away what another site's page makes a browser send. Raises `Unwelcome`.

    Browsers name the page that sends a POST in ``Origin`` and its kinship in ``Sec-Fetch-Site``; older ones name it in
    ``Referer``. Programs that are no browsers send none of them.
    """
    is_foreign = request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")
    try:
        origin, referrer = request.headers.get("Origin"), urlsplit(request.headers.get("Referer", ""))
        is_foreign |= origin is not None and urlsplit(origin).netloc != _sent_to(request)
        is_foreign |= referrer.scheme in ("http", "https") and referrer.netloc != _sent_to(request)  # an app's is none
    except ValueError:  # no address at all, such as http://[
        is_foreign = True
    if is_foreign:
        message = "This request comes from another site: open the table's own page, and enter the code there."
        raise Unwelcome(HTTPStatus.FORBIDDEN, "other-site", message)


def _code_in(request: Request) -> str | None:
    """The code that a cookie of an earlier version holds; a key that is not valid any more is no guess."""
    cookie = request.cookies.get(COOKIE, "")
    return None if len(cookie.rpartition(".")[2]) == _SEAL_LENGTH else cookie


def _matches(given: str, wanted: str) -> bool:
    return hmac.compare_digest(_bytes(given.strip().upper()), wanted.strip().upper().encode())


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


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
    host = _sent_to(request).lower()
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0].rstrip(".")


def _sent_to(request: Request) -> str:
    """The ``Host`` header; Werkzeug leaves one with an underscore empty, which browsers resolve as any other name."""
    return request.host or request.headers.get("Host", "")


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
