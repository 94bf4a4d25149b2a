"""Who may act: the table's join code and the operator's PIN, compared in constant time, guessed only slowly.

Watching is free. Acting needs the code: from the cookie that joining sets, or from the ``X-Join-Code`` header. A
request that a browser sends for another site is turned away before any code is looked at.
"""

import hmac
from collections import OrderedDict, deque
from collections.abc import Callable
from http import HTTPStatus
from threading import Lock
from urllib.parse import urlsplit

from flask import Request

from companion.errors import CompanionError

COOKIE = "companion_join"
HEADER = "X-Join-Code"

_TRIES = 10
_WINDOW_S = 60.0
_ADDRESSES = 1024


class Unwelcome(CompanionError):
    """The request may not act on this table."""

    def __init__(self, status: HTTPStatus, code: str, message: str, *, retry_after_s: int | None = None) -> None:
        super().__init__(message, code=code)
        self.status = status
        self.retry_after_s = retry_after_s


class Door:
    """Lets in whoever knows the join code, and to the operator's place whoever knows the PIN."""

    def __init__(self, join_code: str, operator_pin: str | None, clock: Callable[[], float]) -> None:
        """A door. An empty code would let everybody in and is an error; without a PIN there is nobody to be let in."""
        if not join_code or operator_pin == "":
            raise ValueError("a table needs a join code and a PIN that are not empty")
        self._join_code = join_code
        self._operator_pin = operator_pin
        self._clock = clock
        self._lock = Lock()
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def is_open_to(self, request: Request) -> bool:
        """Whether the request's cookie opens the door. A wrong one counts as a guess, or it would be a way to guess."""
        given = request.cookies.get(COOKIE)
        if not given:
            return False
        try:
            self._knock(given, request)
        except Unwelcome:
            return False
        return True

    def admit(self, request: Request) -> None:
        """Let the request act. Raises `Unwelcome`: 401 without a code, 403 for a wrong one, 429 after ten of those."""
        given = request.headers.get(HEADER) or request.cookies.get(COOKIE)
        if not given:
            raise Unwelcome(HTTPStatus.UNAUTHORIZED, "not-joined", "Enter the join code to play; watching is free.")
        self.knock(given, request)

    def knock(self, given: str, request: Request) -> None:
        """Try a code. Raises `Unwelcome`: 403 when it is wrong, 429 once its address has guessed too often."""
        refuse_other_sites(request)
        self._knock(given, request)

    def unlock(self, given: str, request: Request) -> None:
        """Try the operator's PIN; a wrong one is a guess like a wrong code. Raises `Unwelcome`."""
        refuse_other_sites(request)
        if not self._is_right(given, self._operator_pin, request):
            raise Unwelcome(HTTPStatus.FORBIDDEN, "wrong-pin", "That is not the operator's PIN.")

    def _knock(self, given: str, request: Request) -> None:
        if not self._is_right(given, self._join_code, request):
            raise Unwelcome(HTTPStatus.FORBIDDEN, "wrong-code", "That is not this table's join code.")

    def _is_right(self, given: str, wanted: str | None, request: Request) -> bool:
        address = request.remote_addr or ""
        with self._lock:
            self._refuse_a_guesser(address)
            is_right = wanted is not None and _matches(given, wanted)
            if not is_right:
                self._remember_guess(address)
        return is_right

    def _refuse_a_guesser(self, address: str) -> None:
        guesses = self._wrong.get(address)
        if not guesses:
            return
        while guesses and guesses[0] <= self._clock() - _WINDOW_S:
            guesses.popleft()
        if len(guesses) >= _TRIES:
            wait_s = int(guesses[0] + _WINDOW_S - self._clock()) + 1
            message = f"Too many wrong codes; try again in {wait_s} s."
            raise Unwelcome(HTTPStatus.TOO_MANY_REQUESTS, "too-many-tries", message, retry_after_s=wait_s)

    def _remember_guess(self, address: str) -> None:
        self._wrong.setdefault(address, deque(maxlen=_TRIES)).append(self._clock())
        self._wrong.move_to_end(address)
        while len(self._wrong) > _ADDRESSES:
            self._wrong.popitem(last=False)


def refuse_other_sites(request: Request) -> None:
    """Turn away what another site's page makes a browser send. Raises `Unwelcome`.

    Browsers name the page that sends a POST in ``Origin`` and its kinship in ``Sec-Fetch-Site``; programs that are no
    browsers send neither.
    """
    origin = request.headers.get("Origin")
    is_foreign = origin is not None and urlsplit(origin).netloc != request.host
    is_foreign |= request.method == "POST" and request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")
    if is_foreign:
        raise Unwelcome(HTTPStatus.FORBIDDEN, "other-site", "This request comes from another site.")


def _matches(given: str, wanted: str) -> bool:
    given_bytes = given.strip().upper().encode("utf-8", "surrogatepass")
    return hmac.compare_digest(given_bytes, wanted.upper().encode())
