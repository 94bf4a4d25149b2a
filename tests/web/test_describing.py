"""The description of the interface: complete, and true for whatever is sent."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings

from companion.referee.referee import Referee
from companion.web.app import create_app
from companion.web.app_context import TableParts
from companion.web.describing import ADDRESSES
from companion.web.streams import Pace

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
CODE = "ROSE42"
PIN = "271828"


def test_every_address_is_described_and_no_other(referee: Referee) -> None:
    parts = TableParts(
        surveyor=lambda: pytest.fail("nobody calibrates here"), teacher=lambda: pytest.fail("nobody teaches here")
    )
    app: Flask = create_app(referee, join_code=CODE, parts=parts)
    served = {
        (method.lower(), re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule))
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) & {"GET", "POST"}
        if rule.endpoint != "static"
    }
    assert served == set(ADDRESSES)


def test_the_description_is_served_to_whoever_asks(spectator: FlaskClient) -> None:
    told = spectator.get("/api/openapi.json").get_json()
    assert told["openapi"].startswith("3.1")
    assert "cmd" in told["components"]["schemas"]["Command"]["required"]
    assert told["paths"]["/api/correct"]["post"]["security"]
    assert "security" not in told["paths"]["/api/state"]["get"]


def test_every_parameter_that_an_address_reads_is_described(spectator: FlaskClient) -> None:
    told = spectator.get("/api/openapi.json").get_json()
    kept = told["components"]["parameters"]

    def names(method: str, path: str) -> set[str]:
        given = told["paths"][path][method]["parameters"]
        found = (kept[one["$ref"].rpartition("/")[2]] if "$ref" in one else one for one in given)
        return {one["name"] for one in found if one["in"] == "query"}

    assert names("get", "/") == names("get", "/board") == {"code", "lang"}
    assert names("get", "/past") == {"before", "lang"}
    assert names("get", "/api/state") == names("post", "/api/confirm") == {"lang"}
    assert names("post", "/api/commands") == {"version", "lang"}
    assert names("get", "/api/moves/{number}/evidence.jpg") == {"close"}


@pytest.fixture
def described(referee: Referee, tmp_path: Path) -> Any:
    """The application as its description says; live streams end at once, guesses are not slowed."""
    pace = Pace(heartbeat_s=0.01, age_s=0.02)
    app = create_app(
        referee, join_code=CODE, operator_pin=PIN, keys_file=tmp_path / "seats.json", pace=pace, clock=Clock()
    )
    return schemathesis.openapi.from_wsgi("/api/openapi.json", app)


class Clock:
    """A clock by which a minute passes between any two looks."""

    def __init__(self) -> None:
        self._now_s = 0.0

    def __call__(self) -> float:
        self._now_s += 60.0
        return self._now_s


@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_whatever_is_sent_is_no_error_of_the_server_and_answered_as_described(described: Any, mode: str) -> None:
    checks = [getattr(schemathesis.checks, name) for name in CHECKS]
    for found in described.get_all_operations():
        operation = found.ok()
        address = ADDRESSES[operation.method.lower(), operation.path]
        if mode == "positive" or address.takes or address.fields:
            told(operation, schemathesis.GenerationMode(mode), checks)


def test_what_follows_from_answers_is_no_error_of_the_server_and_answered_as_described(
    referee: Referee, serve: Callable[[Flask], int], tmp_path: Path
) -> None:
    pace = Pace(heartbeat_s=0.01, age_s=0.02)
    port = serve(create_app(referee, join_code=CODE, operator_pin=PIN, pace=pace, clock=Clock()))
    command = (sys.executable, "-m", "schemathesis.cli", "run", f"http://127.0.0.1:{port}/api/openapi.json")
    keys = ("-H", f"X-Join-Code: {CODE}", "-H", f"X-Operator-Pin: {PIN}")
    asked = ("--phases", "stateful", "--checks", ",".join(CHECKS), "--max-examples", "8", "--seed", "1", "--no-shrink")
    done = subprocess.run((*command, *keys, *asked), cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "Stateful" in done.stdout and referee.latest().moves


def told(operation: Any, mode: Any, checks: list[Any]) -> None:
    """Send one address what its description allows, or what it does not."""

    @settings(max_examples=6, deadline=None, database=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case: Any) -> None:
        case.call_and_validate(headers={"X-Join-Code": CODE, "X-Operator-Pin": PIN}, checks=checks)

    send()
