"""The addresses of joining: the code, a seat, the operator's place, and the picture that others join by."""

from http import HTTPStatus

from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import Refusal
from companion.web.access.access_guard import COOKIE, Unwelcome, refuse_other_sites
from companion.web.access.people import OPERATOR_COOKIE, SEAT_COOKIE
from companion.web.app_context import context, request_object, text_of

joining = Blueprint("joining", __name__)

_COOKIE_AGE_S = 30 * 24 * 3600


@joining.get("/api/me")
def me() -> Response:
    """What the asking phone may do: joined, its seat, operator; and which seats are taken."""
    return jsonify(context().rights(request))


@joining.post("/api/join")
def join() -> AnyResponse:
    """Join by typing the code."""
    given = text_of(request_object(), "code")
    context().people.guard.check_code(given, request)
    return with_key(jsonify({"joined": True}))


@joining.post("/api/seat")
def claim() -> AnyResponse:
    """Claim a seat for this phone, which gives up the one it had. A seat that is taken is refused, ``seat-taken``."""
    table, player = context(), text_of(request_object(), "player")
    table.people.guard.admit(request)
    players = table.referee.latest().header.players
    if player not in players:
        raise Refusal("unknown-player", f"Nobody called {player} plays; there are {', '.join(players)}.")
    before = table.people.seat(request)
    if before == player:
        return jsonify({"seat": player})
    key = table.people.keys.claim(player, players, table.people.guard.phone(request))
    if key is None:
        raise Refusal("seat-taken", f"{player}'s seat is claimed by another phone; the operator can free it.")
    if before is not None:
        table.people.keys.free(before, request.cookies.get(SEAT_COOKIE))
    return _with(jsonify({"seat": player}), SEAT_COOKIE, key)


@joining.post("/api/seat/free")
def free() -> AnyResponse:
    """Give one's own seat up; the operator frees anybody's, ``{"player"}``."""
    people, given = context().people, request_object()
    mine = people.seat(request)
    player = text_of(given, "player") if "player" in given else mine
    if player is None:
        raise Refusal("no-seat", "This phone has no seat.")
    if player == mine:
        people.guard.admit(request)
    else:
        people.admit_operator(request)
    people.keys.free(player, request.cookies.get(SEAT_COOKIE) if player == mine else None)
    response = jsonify({"seat": None if player == mine else mine})
    if player == mine:
        response.delete_cookie(SEAT_COOKIE, httponly=True, samesite="Strict")
    return response


@joining.post("/api/operator")
def operate() -> AnyResponse:
    """Become an operator by the PIN."""
    people, pin = context().people, text_of(request_object(), "pin")
    people.guard.admit(request)
    if not people.has_operator:
        raise Refusal("no-pin", "This table has no PIN: whoever has joined is an operator.")
    people.guard.check_pin(pin, request)
    return _with(jsonify({"operator": True}), OPERATOR_COOKIE, people.keys.appoint())


@joining.post("/api/operator/leave")
def resign() -> AnyResponse:
    """Be no operator any more."""
    refuse_other_sites(request)
    if key := request.cookies.get(OPERATOR_COOKIE):
        context().people.keys.dismiss(key)
    response = jsonify({"operator": False})
    response.delete_cookie(OPERATOR_COOKIE, httponly=True, samesite="Strict")
    return response


@joining.get("/join.svg")
def code_picture() -> Response:
    """The QR code that joins, for whoever may see the join code."""
    table = context()
    if table.parts.invitation is None:
        raise NotFound("This table gives no QR code.")
    if not table.people.may_invite(request):
        raise Unwelcome(HTTPStatus.FORBIDDEN, "not-joined", "The join code is shown on the table's own screen.")
    return Response(table.parts.invitation.svg(), mimetype="image/svg+xml")


def with_key(response: AnyResponse) -> AnyResponse:
    """Let the phone keep that it joined; ``Lax``, so that a link from a message finds it joined."""
    guard = context().people.guard
    key = request.cookies[COOKIE] if guard.phone(request) else guard.key()
    response.set_cookie(COOKIE, key, max_age=_COOKIE_AGE_S, httponly=True, samesite="Lax")
    return response


def _with(response: AnyResponse, name: str, key: str) -> AnyResponse:
    response.set_cookie(name, key, max_age=_COOKIE_AGE_S, httponly=True, samesite="Strict")
    return response
