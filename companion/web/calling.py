"""Calling the referee of the hall from a phone: a notice that stands until somebody ends the call."""

from flask import Blueprint, Response, jsonify, request

from companion.errors import Refusal
from companion.referee.messages import REFEREE_CALLED, Notice
from companion.views.words import phrase
from companion.web.desk import body, desk

calling = Blueprint("calling", __name__)


@calling.post("/api/referee")
def call_referee() -> Response:
    """Call the hall's referee, ``{"on": true}``, or end the call; for whoever has joined."""
    table, given = desk(), body()
    table.people.admit(request)
    is_on = given.get("on")
    if not isinstance(is_on, bool):
        raise Refusal("malformed", "Send on, true or false.")
    text = phrase("page", "referee-called", player=table.people.name(request)) if is_on else None
    table.referee.ask(Notice(REFEREE_CALLED, text))
    return jsonify({"on": is_on})
