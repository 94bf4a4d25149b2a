"""Who may act: the table's join code, kept in a cookie, compared in constant time, guessed only slowly.

Watching is free. Acting needs the code: from the cookie that joining sets, or from the ``X-Join-Code`` header. A
request that a browser sends for another site is turned away before the code is looked at.
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
    """Lets in whoever knows the join code.

    Attributes:
        join_code: the table's code; never empty, because an empty code would let everybody in.
    """

    def __init__(self, join_code: str, clock: Callable[[], float]) -> None:
        if not join_code:
            raise ValueError("a table needs a join code that is not empty")
        self._join_code = join_code
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
        if not _same_site(request):
            raise Unwelcome(HTTPStatus.FORBIDDEN, "other-site", "This request comes from another site.")
        self._knock(given, request)

    def _knock(self, given: str, request: Request) -> None:
        address = request.remote_addr or ""
        with self._lock:
            self._refuse_a_guesser(address)
            is_right = self._matches(given)
            if not is_right:
                self._remember_guess(address)
        if not is_right:
            raise Unwelcome(HTTPStatus.FORBIDDEN, "wrong-code", "That is not this table's join code.")

    def _matches(self, given: str) -> bool:
        given_bytes = given.strip().upper().encode("utf-8", "surrogatepass")
        return hmac.compare_digest(given_bytes, self._join_code.upper().encode())

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


def _same_site(request: Request) -> bool:
    """Browsers name the page that sends a POST in ``Origin``; programs that are no browsers send none."""
    origin = request.headers.get("Origin")
    return origin is None or urlsplit(origin).netloc == request.host
