"""Who asks: a watcher, somebody who joined, the holder of a seat, the operator. And what each of them may do.

A seat that a phone has claimed is played from that phone, by the operator, and by the buttons at the table; a seat that
nobody has claimed is played by whoever has joined. At a table without a PIN everybody who joined is an operator.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from flask import Request

from companion.referee.session import Session
from companion.views.changes import OPERATOR, PHONE
from companion.web.access.access_guard import AccessGuard, Unwelcome, host_of, is_loopback
from companion.web.access.seat_keys import SeatKeys

SEAT_COOKIE = "companion_seat"
OPERATOR_COOKIE = "companion_operator"
PIN_HEADER = "X-Operator-Pin"
_OF_PROXIES = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP")
"""Headers by which a proxy tells that it passes on what somebody else asks."""


@dataclass(frozen=True, slots=True)
class People:
    """The rights at one table."""

    guard: AccessGuard
    keys: SeatKeys
    has_operator: bool

    def seat(self, request: Request) -> str | None:
        """Whose seat the asking phone holds."""
        return self.keys.seat(request.cookies.get(SEAT_COOKIE))

    def is_operator(self, request: Request) -> bool:
        """Whether the asking phone has given the PIN."""
        if not self.has_operator:
            return self.guard.is_open_to(request)
        return self.keys.is_operator(request.cookies.get(OPERATOR_COOKIE))

    def as_json(self, request: Request) -> dict[str, Any]:
        """The asking phone's own rights, and which seats are taken."""
        return {
            "joined": self.guard.is_open_to(request),
            "seat": self.seat(request),
            "operator": self.is_operator(request),
            "taken": sorted(self.keys.taken()),
        }

    def name(self, request: Request) -> str:
        """What the journal calls whoever asks and may change moves."""
        return self.seat(request) or (OPERATOR if self.has_operator else PHONE)

    def admit(self, request: Request, player: str | None = None) -> None:
        """Let the request act for a player, or for nobody in particular. Raises `Unwelcome`."""
        self.guard.admit(request)
        if player is None or player not in self.keys.taken() or self.seat(request) == player:
            return
        if not (self.has_operator and self.is_operator(request)):
            message = f"{player}'s seat is claimed by another phone; only that one plays for {player}."
            raise Unwelcome(HTTPStatus.FORBIDDEN, "not-your-seat", message)

    def admit_operator(self, request: Request) -> None:
        """Let the request do what is the operator's: by cookie or by the ``X-Operator-Pin`` header."""
        self.guard.admit(request)
        if (pin := request.headers.get(PIN_HEADER)) is not None:
            self.guard.check_pin(pin, request)
        elif not self.is_operator(request) and self.has_operator:
            raise Unwelcome(HTTPStatus.FORBIDDEN, "operator-only", "That is for the operator: enter the PIN first.")

    def may_invite(self, request: Request) -> bool:
        """Whether the join code may be shown: to whoever joined, and on the table's own screen."""
        return self.guard.is_open_to(request) or is_here(request)


def is_here(request: Request) -> bool:
    """Whether a request comes from this very machine.

    A page opened by a name that another site resolves to this machine comes from here too, hence the look at the host;
    and so does what a proxy on this machine passes on, which may call the table by this machine's own name.
    """
    if any(name in request.headers for name in _OF_PROXIES):
        return False
    return is_loopback(request.remote_addr or "") and is_loopback(host_of(request))


def acting(command: Mapping[str, Any]) -> str | None:
    """Who a command is by: one player, or nobody in particular."""
    player = command.get("player")
    return player if isinstance(player, str) else None


def turn(session: Session) -> str | None:
    """Whose move a press without a name would make."""
    player: str | None = session.game.view(session.state)["turn"]
    return player
