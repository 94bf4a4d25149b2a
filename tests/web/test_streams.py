"""Live events: resumed without loss, bounded in number and age, ended promptly."""

import http.client
import json
import threading
from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.referee.messages import Do, Notice, Propose
from companion.referee.referee import Referee
from companion.web.app import close_streams, create_app
from companion.web.streams import Pace

CODE = "ROSE42"
HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}


class Listener:
    """Reads server-sent events off a real connection."""

    def __init__(self, port: int, since: int | None = None) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        headers = {} if since is None else {"Last-Event-ID": str(since)}
        self._connection.request("GET", "/api/events", headers=headers)
        self.response = self._connection.getresponse()

    def events(self) -> Iterator[tuple[str, int | None, dict]]:
        """Each event's kind, id and data, until the stream ends."""
        fields: dict[str, str] = {}
        while line := self.response.readline():
            text = line.decode().rstrip("\n")
            if text:
                name, _, value = text.partition(": ")
                fields[name] = value
            elif "data" in fields:
                number = int(fields["id"]) if "id" in fields else None
                yield fields["event"], number, json.loads(fields["data"])
                fields = {}
            else:
                fields = {}

    def close(self) -> None:
        self.response.close()
        self._connection.close()


@pytest.fixture
def listen() -> Iterator[Callable[..., Listener]]:
    opened: list[Listener] = []

    def one(port: int, since: int | None = None) -> Listener:
        opened.append(Listener(port, since))
        return opened[-1]

    yield one
    for listener in opened:
        listener.close()


def test_the_table_comes_first_and_then_each_change(
    referee: Referee, app: Flask, serve: Callable[[Flask], int], listen: Callable[..., Listener]
) -> None:
    listener = listen(serve(app))
    assert listener.response.headers["Content-Type"].startswith("text/event-stream")
    assert listener.response.headers["Cache-Control"] == "no-store"
    events = listener.events()
    kind, number, shown = next(events)
    assert (kind, number, shown["turn"]) == ("state", referee.latest().version, "Ana")
    version = referee.ask(Do(HEXEL)).version
    kind, number, shown = next(events)
    assert (kind, number, shown["version"], shown["call"]["word"]) == ("state", version, version, "Hexel")


def test_a_phone_that_comes_back_misses_nothing(
    referee: Referee, app: Flask, serve: Callable[[Flask], int], listen: Callable[..., Listener]
) -> None:
    seen = referee.latest().version
    told = [referee.ask(message).version for message in (Propose(HEXEL), Notice("hand", "A hand rests."), Do(HEXEL))]
    events = listen(serve(app), since=seen).events()
    assert [next(events)[1] for _ in told] == told


@pytest.mark.parametrize("since", [-5, 10**9])
def test_a_phone_from_another_evening_is_told_everything_anew(
    since: int, referee: Referee, app: Flask, serve: Callable[[Flask], int], listen: Callable[..., Listener]
) -> None:
    kind, number, shown = next(listen(serve(app), since=since).events())
    assert (kind, number, shown["version"]) == ("state", referee.latest().version, referee.latest().version)


def test_a_refusal_is_announced_to_all(
    referee: Referee, app: Flask, phone: FlaskClient, serve: Callable[[Flask], int], listen: Callable[..., Listener]
) -> None:
    events = listen(serve(app)).events()
    next(events)
    phone.post("/api/commands", json={**HEXEL, "edges": ["red"] * 6})
    kind, _, data = next(events)
    assert (kind, data["refused"]["code"]) == ("announcement", "edge-mismatch")


def test_a_refusal_is_not_lost_to_a_phone_that_comes_back(
    referee: Referee, app: Flask, phone: FlaskClient, serve: Callable[[Flask], int], listen: Callable[..., Listener]
) -> None:
    seen = referee.latest().version
    phone.post("/api/commands", json={**HEXEL, "edges": ["red"] * 6})
    events = listen(serve(app), since=seen).events()
    kind, number, data = next(events)
    assert (kind, number, data["refused"]["code"], data["again"]) == ("announcement", seen, "edge-mismatch", True)
    phone.post("/api/commands", json={**HEXEL, "edges": ["red"] * 6})
    kind, number, data = next(events)
    assert (kind, number, data["refused"]["code"], "again" in data) == ("announcement", seen, "edge-mismatch", False)


def test_a_quiet_stream_gives_signs_of_life_and_ends_by_age(
    referee: Referee, serve: Callable[[Flask], int], listen: Callable[..., Listener]
) -> None:
    app = create_app(referee, join_code=CODE, pace=Pace(heartbeat_s=0.02, age_s=0.15))
    kinds = [kind for kind, _, _ in listen(serve(app)).events()]
    assert kinds[0] == "state"
    assert kinds.count("alive") >= 3


def test_heartbeats_keep_the_promised_pace() -> None:
    assert Pace().heartbeat_s <= 15
    assert Pace().most >= 500
    assert 240 <= Pace().age_s <= 360


def test_one_viewer_too_many_is_told_to_come_later_and_a_place_left_is_free_again(referee: Referee) -> None:
    app = create_app(referee, join_code=CODE, pace=Pace(most=2, age_s=30))
    watcher = app.test_client()
    first, second = watcher.get("/api/events"), watcher.get("/api/events")
    third = watcher.get("/api/events")
    assert third.status_code == 503
    assert int(third.headers["Retry-After"]) > 0
    first.close()
    fourth = watcher.get("/api/events")
    assert fourth.status_code == 200
    second.close()
    fourth.close()


def test_presses_get_through_while_all_streams_are_open(
    referee: Referee, serve: Callable[[Flask], int], listen: Callable[..., Listener]
) -> None:
    port = serve(create_app(referee, join_code=CODE, pace=Pace(most=20)))
    streams = [listen(port) for _ in range(20)]
    assert all(next(stream.events())[0] == "state" for stream in streams)
    assert listen(port).response.status == 503
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("POST", "/api/commands", json.dumps(HEXEL), {"X-Join-Code": CODE})
    assert connection.getresponse().status == 200
    connection.close()
    assert all(next(stream.events())[2]["call"]["word"] == "Hexel" for stream in streams)


def test_streams_end_when_the_house_closes(
    app: Flask, serve: Callable[[Flask], int], listen: Callable[..., Listener]
) -> None:
    events = listen(serve(app)).events()
    next(events)
    closer = threading.Thread(target=close_streams, args=(app,))
    closer.start()
    assert list(events) in ([], [("alive", None, {})])
    closer.join(5)


def test_streams_end_with_the_feed(
    referee: Referee, app: Flask, serve: Callable[[Flask], int], listen: Callable[..., Listener]
) -> None:
    events = listen(serve(app)).events()
    next(events)
    referee.feed.close()
    assert all(kind == "alive" for kind, _, _ in events)
