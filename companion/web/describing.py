"""The interface described for programs: every address in the form of OpenAPI 3.1, at ``/api/openapi.json``."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from flask import Blueprint, Response, current_app, jsonify

from companion import __version__
from companion.views.games import command_names

describing = Blueprint("describing", __name__)

Schema = Mapping[str, Any]

_FIELD = re.compile(r"<(?:\w+:)?(\w+)>")
_JSON, _JPEG, _PNG, _SVG, _EVENTS, _HTML, _CERTIFICATE, _ZIP = (
    "application/json",
    "image/jpeg",
    "image/png",
    "image/svg+xml",
    "text/event-stream",
    "text/html",
    "application/x-x509-ca-cert",
    "application/zip",
)
_SPOKEN = (_JSON, _EVENTS, _HTML)
"""Answers that hold words: whoever asks may choose their language."""
_WHOLE: Schema = {"type": "integer"}
_TEXT: Schema = {"type": "string"}
_YES: Schema = {"type": "boolean"}


def _parameter(name: str, place: str, schema: Schema) -> dict[str, Any]:
    return {"name": name, "in": place.removesuffix("?"), "required": not place.endswith("?"), "schema": schema}


def _object(required: Sequence[str] = (), **properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def _list(items: Schema, **limits: int) -> Schema:
    return {"type": "array", "items": items, **limits}


def _named(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


_COMMAND, _STATE, _DONE, _ERROR, _HEADER = map(_named, ("Command", "State", "Done", "Error", "Header"))
_VERSION = _object(version=_WHOLE)
_PRESS = _object(version=_WHOLE, player={"type": ["string", "null"]})
_REFUSED = {_JSON: {"schema": _object(["error"], error=_ERROR)}}
_JOINERS: list[dict[str, list[str]]] = [{"joinCookie": []}, {"joinHeader": []}]
_PINS: list[dict[str, list[str]]] = [{"operatorCookie": []}, {"operatorHeader": []}]
_OPERATORS = [{**joined, **pin} for joined in _JOINERS for pin in _PINS]
_WATCHING, _JOINED, _OPERATOR = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Address:
    """One thing that can be asked.

    Attributes:
        does: one sentence.
        takes: the body of a POST; None for a GET.
        gives: what an answer of 200 holds; None for a picture, a page or a stream.
        kind: the answer's media type.
        sends: that of what it takes.
        needs: whoever watches, has joined, or is the operator.
        fields: ``{name: (place, schema)}``; a place ending in a question mark may be left empty.
        also: statuses besides those that every address has by what it takes and needs.
    """

    does: str
    takes: Schema | None = None
    gives: Schema | None = None
    kind: str = _JSON
    sends: str = _JSON
    needs: int = _WATCHING
    fields: Mapping[str, tuple[str, Schema]] = field(default_factory=dict)
    also: tuple[HTTPStatus, ...] = ()

    def as_json(self, method: str, path: str) -> dict[str, Any]:
        """As OpenAPI writes an operation."""
        content = {self.kind: {"schema": self.gives} if self.gives is not None else {}}
        refusal = {"content": _REFUSED if path.startswith("/api/") else {**_REFUSED, _HTML: {}}}  # people get a page
        answers: dict[str, Any] = {"200": {"description": HTTPStatus.OK.phrase, "content": content}}
        if links := _links(self.gives):
            answers["200"]["links"] = links
        answers |= {str(int(status)): {"description": status.phrase, **refusal} for status in self._refusals()}
        described: dict[str, Any] = {"operationId": f"{method} {path}", "summary": self.does, "responses": answers}
        described["parameters"] = [_parameter(name, *where) for name, where in self.fields.items()]
        if self.kind in _SPOKEN:
            described["parameters"].append({"$ref": "#/components/parameters/lang"})
        if self.takes is not None:
            described["requestBody"] = {"required": True, "content": {self.sends: {"schema": self.takes}}}
        if self.needs:
            described["security"] = _OPERATORS if self.needs == _OPERATOR else _JOINERS
        return described

    def _refusals(self) -> list[HTTPStatus]:
        found = set(self.also)
        if self.takes is not None:
            found |= {HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.CONFLICT, HTTPStatus.SERVICE_UNAVAILABLE}
            found.add(HTTPStatus.TOO_MANY_REQUESTS)
        if self.needs:
            found |= {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}
        if any(place == "query" for place, _ in self.fields.values()):
            found.add(HTTPStatus.BAD_REQUEST)
        return sorted(found)


def _links(gives: Schema | None) -> dict[str, Any]:
    """What may follow an answer: a press on the version that it shows, or the commands that it lists."""
    links: dict[str, Any] = {}
    if gives in (_STATE, _DONE):
        for name in ("confirm", "reject", "next", "undo", "redo"):
            links[name] = {"operationId": f"post /api/{name}", "requestBody": {"version": "$response.body#/version"}}
    elif gives is not None and "commands" in gives.get("properties", {}):
        links["command"] = {"operationId": "post /api/commands", "requestBody": "$response.body#/commands/0"}
    return links


_OF_VERSION = {"version": ("query?", _WHOLE)}
_CODE = {"code": ("query?", _TEXT)}
_ADMISSION = (HTTPStatus.SEE_OTHER, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS)
_NUMBERED = {"number": ("path", {"type": "integer", "minimum": 0})}
_CHANGE = _object(
    ["at", "replaced", "commands"],
    at={"type": "integer", "minimum": 1},
    replaced={"type": "integer", "minimum": 0},
    commands=_list(_COMMAND, maxItems=32),
    cut=_YES,
    version=_WHOLE,
)
_NOT_FOUND = (HTTPStatus.NOT_FOUND,)
_NO_LESSON = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.SERVICE_UNAVAILABLE)
_STEPS = (
    "begin", "replace", "take", "rename", "agree", "drop", "turn", "leave",
    "try", "stop", "keep", "use", "back", "forget",
)  # fmt: skip
_NOT_READ = (HTTPStatus.NOT_FOUND, HTTPStatus.SERVICE_UNAVAILABLE)

ADDRESSES: Mapping[tuple[str, str], Address] = {
    ("get", "/"): Address(
        "The scoreboard for phones; with the join code, joining.", kind=_HTML, fields=_CODE, also=_ADMISSION
    ),
    ("get", "/board"): Address(
        "The scoreboard for a screen by the table; with the join code, joining.",
        kind=_HTML,
        fields=_CODE,
        also=_ADMISSION,
    ),
    ("get", "/around"): Address("The television beside two phones, for showing around.", kind=_HTML),
    ("get", "/api/openapi.json"): Address("This description.", gives=_object()),
    ("get", "/api/state"): Address("The table as one object with a version.", gives=_STATE),
    ("get", "/api/events"): Address(
        "Server-sent events, each with the version as its id; Last-Event-ID resumes without loss. A refusal under that "
        "id may have been told before: it then says `again`.",
        kind=_EVENTS,
        fields={"Last-Event-ID": ("header?", _WHOLE)},
        also=(HTTPStatus.SERVICE_UNAVAILABLE,),
    ),
    ("get", "/api/options"): Address(
        "What the rules list as possible in one cell now.",
        gives=_object(["version", "commands"], version=_WHOLE, commands=_list(_COMMAND)),
        fields={"q": ("query", _WHOLE), "r": ("query", _WHOLE), "at": ("query?", _WHOLE)},
        also=(HTTPStatus.CONFLICT,),
    ),
    ("get", "/api/games"): Address("The games that can be put on the table.", gives=_object(games=_list(_object()))),
    ("get", "/healthz"): Address(
        "Camera, journal and pins, each with its state.", gives=_object(), also=(HTTPStatus.SERVICE_UNAVAILABLE,)
    ),
    ("post", "/api/verdicts"): Address(
        "What the rules would say of commands; nothing happens.",
        _object(["commands"], commands=_list(_COMMAND, maxItems=128), at=_WHOLE),
        _object(["version", "verdicts"], version=_WHOLE, verdicts=_list(_object())),
        needs=_JOINED,
    ),
    ("post", "/api/commands"): Address(
        "Carry out a command as it stands in a record.",
        _COMMAND,
        _DONE,
        needs=_JOINED,
        fields={
            **_OF_VERSION,
            "Idempotency-Key": ("header?", {"type": "string", "maxLength": 128}),
        },
    ),
    ("post", "/api/confirm"): Address("The waiting proposal is right.", _PRESS, _DONE, needs=_JOINED),
    ("post", "/api/reject"): Address("The waiting proposal is wrong.", _PRESS, _DONE, needs=_JOINED),
    ("post", "/api/next"): Address(
        "The next game; with a header that one, which is the operator's. With `setup` only where nothing was begun.",
        _object(version=_WHOLE, player={"type": ["string", "null"]}, header=_HEADER, setup=_YES),
        _DONE,
        needs=_JOINED,
    ),
    ("post", "/api/camera"): Address(
        "Switch the camera off or on.", _object(["on"], on=_YES), _object(), needs=_OPERATOR
    ),
    ("post", "/api/language"): Address(
        "Choose the language that this phone is spoken to in.", _object(["language"], language=_TEXT), _object()
    ),
    ("get", "/api/players"): Address(
        "Who has played here.", gives=_object(["players"], players=_list(_object(["name"])))
    ),
    ("post", "/api/referee"): Address(
        "Call the hall's referee, or end the call.", _object(["on"], on=_YES), _object(), needs=_JOINED
    ),
    ("get", "/api/me"): Address("What the asking phone may do.", gives=_object()),
    ("post", "/api/join"): Address("Join by the code.", _object(["code"], code=_TEXT), _object()),
    ("post", "/api/seat"): Address("Claim a seat.", _object(["player"], player=_TEXT), _object(), needs=_JOINED),
    ("post", "/api/seat/free"): Address("Give a seat up.", _object(player=_TEXT), _object(), needs=_JOINED),
    ("post", "/api/operator"): Address("Become an operator.", _object(["pin"], pin=_TEXT), _object(), needs=_JOINED),
    ("post", "/api/operator/leave"): Address("Be no operator any more.", _object(), _object()),
    ("post", "/past/{number}/delete"): Address(
        "Delete a past game for good.", also=(HTTPStatus.SEE_OTHER, HTTPStatus.CONFLICT, *_NOT_FOUND), needs=_OPERATOR
    ),
    ("post", "/past/players/name"): Address(
        "Show a player under another name in the statistics.",
        also=(HTTPStatus.SEE_OTHER, HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT),
        needs=_OPERATOR,
    ),
    ("get", "/backup.zip"): Address("Everything of this table in one file.", kind=_ZIP, needs=_OPERATOR),
    ("get", "/table-certificate.crt"): Address(
        "The authority that signs the table's certificate, where it speaks https.", kind=_CERTIFICATE, also=_NOT_FOUND
    ),
    ("get", "/join.svg"): Address(
        "The code by which others join, as a picture.", kind=_SVG, also=(HTTPStatus.FORBIDDEN, *_NOT_FOUND)
    ),
    ("get", "/api/moves/{number}"): Address(
        "A move with its reasons, the chips that moved and what it might have been.",
        gives=_object(["n", "version", "command", "said", "why", "moved", "instead"]),
        fields=_NUMBERED,
        also=_NOT_FOUND,
    ),
    ("get", "/api/moves/{number}/evidence.jpg"): Address(
        "The picture that a move was read from; close, only its cards.",
        kind=_JPEG,
        fields={**_NUMBERED, "close": ("query?", _TEXT)},
        also=_NOT_FOUND,
    ),
    ("get", "/api/proposal/evidence.jpg"): Address(
        "The picture that the waiting proposal was read from.", kind=_JPEG, also=_NOT_FOUND
    ),
    ("get", "/api/howto/{game}"): Address(
        "How a game is played, topic by topic.",
        gives=_object(["topics"]),
        fields={"game": ("path", {**_TEXT, "pattern": "^[a-z]+$"})},
        also=_NOT_FOUND,
    ),
    ("get", "/games/{game}/{file}"): Address(
        "A script, style or picture of a game's page.",
        kind="text/javascript",
        fields={
            "game": ("path", {**_TEXT, "pattern": "^[a-z]+$"}),
            "file": ("path", {**_TEXT, "pattern": "^[a-z]+[.]js$"}),
        },
        also=_NOT_FOUND,
    ),
    ("get", "/calibrate"): Address("Calibrating the table, on the operator's phone.", kind=_HTML),
    ("get", "/api/calibrate/picture.jpg"): Address(
        "What the camera sees now.", kind=_JPEG, needs=_OPERATOR, also=_NOT_FOUND
    ),
    ("get", "/api/calibrate"): Address("How fit the picture is.", gives=_object(), needs=_OPERATOR),
    ("post", "/api/calibrate"): Address("Calibrate and store it.", _object(), _object(), needs=_OPERATOR),
    ("get", "/teach"): Address("Teaching a deck, on the operator's phone.", kind=_HTML),
    ("get", "/api/teach"): Address("The lesson, and the printings that are kept.", gives=_object(), needs=_OPERATOR),
    ("get", "/api/teach/layout/{deck}.png"): Address(
        "What to lay to teach a deck, drawn.",
        kind=_PNG,
        fields={"deck": ("path", _TEXT)},
        needs=_OPERATOR,
        also=_NO_LESSON,
    ),
    ("get", "/api/teach/look"): Address(
        "What the camera sees of what is to be laid.",
        gives=_object(),
        needs=_OPERATOR,
        fields=_OF_VERSION,
        also=_NO_LESSON,
    ),
    ("get", "/api/teach/crops/{number}.jpg"): Address(
        "A sample's crop.", kind=_JPEG, fields=_NUMBERED, needs=_OPERATOR, also=_NO_LESSON
    ),
    ("get", "/api/teach/try.jpg"): Address(
        "The table as it was read last by what was learnt.", kind=_JPEG, needs=_OPERATOR, also=_NO_LESSON
    ),
    ("post", "/api/teach/photo"): Address(
        "A part of a photograph to learn from; the last one is answered with the lesson.",
        {"type": "string", "format": "binary"},
        sends="application/octet-stream",
        gives=_object(),
        needs=_OPERATOR,
        fields={"part": ("query", _WHOLE), "parts": ("query", _WHOLE), **_OF_VERSION},
    ),
    ("post", "/api/teach/{step}"): Address(
        "A step of the lesson: its answer is the lesson, of `try` what is read.",
        _object(
            deck=_TEXT,
            key=_TEXT,
            name=_TEXT,
            number=_WHOLE,
            cutout=_WHOLE,
            place=_WHOLE,
            light=_WHOLE,
            trust_names=_YES,
        ),
        _object(),
        needs=_OPERATOR,
        fields={"step": ("path", {**_TEXT, "enum": list(_STEPS)}), **_OF_VERSION},
    ),
    ("get", "/past"): Address(
        "The games that were played, the newest first, or those before one's number.",
        kind=_HTML,
        fields={"before": ("query?", _WHOLE)},
    ),
    ("get", "/past/players"): Address("What stands to each player's account over all games.", kind=_HTML),
    ("get", "/past/{number}"): Address("One game's page.", kind=_HTML, fields=_NUMBERED, also=_NOT_FOUND),
    ("get", "/past/{number}/page.html"): Address(
        "That page as one file.", kind=_HTML, fields=_NUMBERED, also=_NOT_READ
    ),
    ("get", "/past/{number}/record.jsonl"): Address(
        "The game as a record.", kind="application/x-ndjson", fields=_NUMBERED, also=_NOT_READ
    ),
    ("get", "/past/{number}/moves.csv"): Address(
        "The game's moves for a spreadsheet.", kind="text/csv", fields=_NUMBERED, also=_NOT_READ
    ),
    ("get", "/past/{number}/game.json"): Address("The whole game.", gives=_object(), fields=_NUMBERED, also=_NOT_READ),
    ("get", "/past/{number}/moves/{move}/evidence.jpg"): Address(
        "The picture that a past move was read from.",
        kind=_JPEG,
        fields={**_NUMBERED, "move": ("path", {"type": "integer", "minimum": 0})},
        also=_NOT_READ,
    ),
    ("post", "/api/undo"): Address("Take the last thing done back.", _VERSION, _DONE, needs=_OPERATOR),
    ("post", "/api/redo"): Address("Do again what was taken back.", _VERSION, _DONE, needs=_OPERATOR),
    ("post", "/api/correct"): Address("Put moves right.", _CHANGE, _DONE, needs=_OPERATOR),
}
"""Every address by its method and path."""

_SCHEMAS: Mapping[str, Schema] = {
    "State": _object(
        ["version", "game", "phase", "turn", "players", "table", "result", "proposal"],
        version=_WHOLE,
        game=_TEXT,
        phase=_TEXT,
        turn={"type": ["string", "null"]},
        players=_object(),
        table=_object(),
        result={"type": ["object", "null"]},
        proposal={"type": ["object", "null"]},
    ),
    "Done": _object(["version", "events", "said"], version=_WHOLE, events=_list(_object(["event"])), said=_list(_TEXT)),
    "Error": _object(["code", "message"], code=_TEXT, message=_TEXT),
    "Header": _object(
        ["record", "game", "players"],
        record={"const": 1},
        game=_TEXT,
        players=_list(_TEXT),
        edition=_TEXT,
        options=_object(),
    ),
}


def description(served: Collection[str]) -> dict[str, Any]:
    """The interface as an OpenAPI document, as far as an application serves its paths."""
    paths: dict[str, dict[str, Any]] = {}
    for (method, path), address in ADDRESSES.items():
        if path in served:
            paths.setdefault(path, {})[method] = address.as_json(method, path)
    command = _object(["cmd"], cmd={"type": "string", "enum": command_names()}, player=_TEXT)
    return {
        "openapi": "3.1.0",
        "info": {"title": "companion", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": {**_SCHEMAS, "Command": command},
            "parameters": {"lang": _LANG},
            "securitySchemes": _KEYS,
        },
    }


_LANG = {
    **_parameter("lang", "query?", _TEXT),
    "description": "`table`: the table's own language, whatever the browser asks for; else that is followed.",
}
_KEYS = {
    "joinCookie": {"type": "apiKey", "in": "cookie", "name": "companion_join"},
    "joinHeader": {"type": "apiKey", "in": "header", "name": "X-Join-Code"},
    "operatorCookie": {"type": "apiKey", "in": "cookie", "name": "companion_operator"},
    "operatorHeader": {"type": "apiKey", "in": "header", "name": "X-Operator-Pin"},
}


@describing.get("/api/openapi.json")
def described() -> Response:
    """The description of every address."""
    served = {_FIELD.sub(r"{\1}", rule.rule) for rule in current_app.url_map.iter_rules()}
    return jsonify(description(served))
