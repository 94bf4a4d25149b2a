"""How slowly a code may be guessed: from one address, and from all of them together.

Whoever guesses wrong a few times waits, twice as long each time. While many guess wrong, whoever has done so once waits
at once; but an address that never guessed wrong always has a try, so that guests cannot lock the operator out.
"""

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from companion.errors import CompanionError

_FREE_TRIES = 10
_FREE_TRIES_IN_A_FLOOD = 1
_FLOOD, _FLOOD_S = 100, 600.0
"""So many wrong tries within so many seconds, from all addresses together, are a flood."""
_FIRST_WAIT_S, _LONGEST_WAIT_S = 60.0, 3600.0
_FORGET_S = 2 * _LONGEST_WAIT_S
_ADDRESSES = 4096


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


class Guard:
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
