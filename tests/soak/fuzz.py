"""Every reader of bytes, given what is almost right: an answer or one clear line, never a traceback.

    python tests/soak/fuzz.py [--seconds 5] [--only record,journal,...] [--seed 0]

Valid inputs are changed by hypothesis: values exchanged, fields left out or doubled, nesting, numbers, bytes. For each
reader the number of inputs and of those that were read is printed; what fails is shrunk and shown. Exit status 1 then.
"""

import argparse
import json
import logging
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from companion.config import checked, documented
from companion.errors import CompanionError, JournalError
from companion.games import GAMES
from companion.games.comet.vision.profile import EMBEDDED, CometProfile, look_shape
from companion.games.comet.vision.results import NUMBERS
from companion.games.hexapod.vision.enrolment import InsectProfile
from companion.games.hexdragon.vision.prototypes import InkProfile
from companion.games.hexel.vision.prototypes import SymbolProfile
from companion.hub.answers import JSON, answer
from companion.hub.consumer import Consumer
from companion.hub.hall import Hall
from companion.hub.messages import Address, Entry, Position, encode
from companion.hub.snapshot import payload, snapshot
from companion.hub.store import Store
from companion.hub.tournaments.director import result_of
from companion.referee.journal import Journal
from companion.referee.lines import body, line
from companion.referee.messages import Correct, Do, Redo, Undo
from companion.referee.moves import Change
from companion.referee.referee import open_table
from companion.rules.engine import Header
from companion.rules.records import replay
from companion.views.words import use
from companion.vision.calibration.calibration import read_calibration
from companion.vision.enrolment.profile import Profile
from companion.vision.enrolment.sample import Sample
from companion.vision.image.codec import decode_picture
from companion.web.access.seat_keys import SeatKeys
from companion.web.app import create_app
from companion.web.archive import Archive

ROOT = Path(__file__).resolve().parents[2]
CODE, PIN = "ROSE42", "271828"
JUNK: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 3.5, 10**9, 10**9 + 1, -(10**10), 1e300, "", " ", "Ana", "x" * 100, "\ud800", "\u202e",
    "{0.x}", "../../etc", [], {}, [[]], [None], {"": None}, [0] * 7, ["red"] * 6, {"cell": [0, 0]}, [[1e9, 1], [2, 3]],
)  # fmt: skip
TOKENS = (
    b"[",
    b"]",
    b"{",
    b"}",
    b'"',
    b",",
    b":",
    b"\\",
    b"\n",
    b"\0",
    b"\xff",
    b"1e999",
    b"nan",
    b"[" * 500,
    b"9" * 5000,
)


@dataclass
class Reader:
    """Something that reads bytes.

    Attributes:
        samples: valid inputs.
        read: reads one; raises `CompanionError` for one that cannot be read.
        is_json: whether values in it can be exchanged, line by line.
    """

    samples: list[bytes]
    read: Callable[[bytes], object]
    is_json: bool = True
    tried: int = 0
    good: int = 0
    failures: list[str] = field(default_factory=list)


def changed(rng: random.Random, sample: bytes, is_json: bool) -> bytes:
    """A valid input with a few things in it that are not."""
    data = sample
    for _ in range(rng.randint(1, 3)):
        data = with_other_values(rng, data) if is_json and rng.random() < 0.7 else with_other_bytes(rng, data)
    return data


def with_other_bytes(rng: random.Random, data: bytes) -> bytes:
    at = rng.randint(0, len(data))
    to = min(len(data), at + rng.choice((0, 1, 2, 20)))
    return data[:at] + rng.choice((b"", data[at:to] * 2, rng.choice(TOKENS), bytes([rng.randint(0, 255)]))) + data[to:]


def with_other_values(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    number = rng.randrange(len(lines))
    try:
        value = json.loads(lines[number])
    except (ValueError, RecursionError):
        return with_other_bytes(rng, data)
    lines[number] = json.dumps(exchanged(rng, value)).encode()
    return b"\n".join(lines)


def exchanged(rng: random.Random, value: Any) -> Any:
    """The value with one thing in it exchanged, doubled or left out."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(sorted(value))
        match rng.randint(0, 5):
            case 0:
                return {name: each for name, each in value.items() if name != key}
            case 1:
                return {**value, rng.choice(("beside", "cmd", "player", "")): rng.choice(JUNK)}
            case _:
                return {**value, key: exchanged(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        return value[:at] + rng.choice(([], value[at : at + 1] * 2, [exchanged(rng, value[at])])) + value[at + 1 :]
    return rng.choice(JUNK)


def records() -> list[bytes]:
    """Records of short games of all four, played at random."""
    found = []
    for name, spec in GAMES.items():
        game = spec.rules
        header = {"record": 1, "game": name, "players": ["Ana", "Bo"]}
        rng, lines = random.Random(name), [header]
        state = game.start(Header(name, ("Ana", "Bo"), game.EDITIONS[0] if game.EDITIONS else None))
        for _ in range(12):
            commands = game.legal(state)
            if not commands:
                break
            lines.append(dict(rng.choice(commands)))
            state, _ = game.apply(state, lines[-1])
        found.append("\n".join(map(json.dumps, lines)).encode())
    return found


def journal_bytes(folder: Path) -> bytes:
    """A journal with moves, a correction, an undo and a redo, each line's checksum taken off."""
    header = Header("hexel", ("Ana", "Bo"), "36")
    referee = open_table(folder, header, header, press_gap_s=0.0)
    referee.start()
    for number in range(6):
        session = referee.latest()
        referee.ask(Do(random.Random(3).choice(session.game.legal(session.state)), f"key {number}"))
    referee.ask(Correct(Change(2, 1, (), cut=True), None, "Ana"))
    referee.ask(Undo(None, "Ana"))
    referee.ask(Redo(None, "Ana"))
    referee.stop()
    lines = (folder / "games" / "0001.jsonl").read_bytes().splitlines(keepends=True)
    return b"\n".join(json.dumps(body(text, n)).encode() for n, text in enumerate(lines, 1))


def sealed(data: bytes) -> bytes:
    """The lines with checksums that are right, where they are objects."""
    written = []
    for text in data.split(b"\n"):
        try:
            value = json.loads(text)
            written.append(line(value) if isinstance(value, dict) else text + b"\n")
        except (ValueError, RecursionError):
            written.append(text + b"\n")
    return b"".join(written)


def read_journal(folder: Path, data: bytes) -> None:
    path = folder / "games" / "0001.jsonl"
    for other in path.parent.glob("*"):
        if other != path and other.is_file():
            other.unlink()
    path.write_bytes(sealed(data))
    list(Archive(path.parent).entries())
    journal = Journal(folder)
    try:
        journal.reopen("2026-11-22T20:00:00+00:00")
    finally:
        journal.close()


def from_file(folder: Path, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def read_bytes(data: bytes) -> object:
        path = folder / "input"
        path.write_bytes(data)
        return read(path)

    return read_bytes


def pictures() -> list[bytes]:
    bgr = np.random.default_rng(1).integers(0, 255, (40, 60, 3), np.uint8)
    return [
        cv2.imencode(suffix, bgr)[1].tobytes() for suffix in (".png", ".jpg", ".bmp", ".webp", ".tiff", ".ppm", ".gif")
    ]


def read_settings(data: bytes) -> None:
    _, problems = checked(data.decode(errors="replace"))
    if problems:
        raise CompanionError(problems[0].as_line("file"))


def profiles() -> dict[str, bytes]:
    """A profile of each game that has arrays, of numbers drawn at random, with a sample."""
    rng = np.random.default_rng(2)
    held: dict[str, Profile] = {
        "hexel": SymbolProfile("hexel36", ("red", "blue"), rng.normal(size=(2, 48)).round(3), np.full(3, 0.5)),
        "hexdragon": InkProfile(
            "hexdragon", ("red", "blue"), *rng.random((2, 2, 3)), rng.random((5, 2)), rng.random((2, 3))
        ),
        "hexapod": InsectProfile(
            "hexapod", 2, 1, rng.random((2, 64)), ("moth", "leaf"), ("moth", "leaf"), rng.random((2, 64)), np.zeros(2)
        ),
    }
    numbers, looks = np.array(NUMBERS, float), rng.random((2, *look_shape(0.7))).round(2)
    taken = np.arange(3.0), rng.random((3, 2)), np.full(3, 0.2), np.zeros(3)
    embeddings = rng.normal(size=(len(numbers), EMBEDDED)).round(2)
    held["comet"] = CometProfile("comet", 0.7, *taken, numbers, embeddings, *looks)
    sample = Sample({"edges": ["red"] * 6}, pictures()[1], 0)
    return {game: json.dumps(replace(profile, samples=(sample,)).as_json()).encode() for game, profile in held.items()}


def bodies() -> list[bytes]:
    given: list[object] = [{"code": CODE}, {"pin": PIN}, {"player": "Ana"}, {"version": 1}, {"on": True}]
    given += [{"header": {"record": 1, "game": "comet", "players": ["Ana", "Bo"], "options": {"chips": 100}}}]
    commands = [json.loads(text) for record in records() for text in record.split(b"\n")[1:]]
    given += [*commands, {"commands": commands[:3], "at": 1}, {"at": 1, "replaced": 1, "commands": commands[:1]}]
    return [json.dumps(each).encode() for each in given]


def over_http(folder: Path, closing: ExitStack) -> Callable[[bytes], object]:
    header = Header("hexel", ("Ana", "Bo"), "36")
    referee = open_table(folder, header, header, press_gap_s=0.0)
    closing.callback(referee.stop)
    referee.start()
    app = create_app(referee, join_code=CODE, operator_pin=PIN)
    paths = sorted(
        rule.rule for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ()) and "leave" not in rule.rule
    )
    client, count = app.test_client(), iter(range(10**12))

    def read(data: bytes) -> None:
        path = paths[next(count) % len(paths)]
        answer = client.post(path, data=data, headers={"X-Join-Code": CODE, "X-Operator-Pin": PIN})
        told = answer.get_json(silent=True)
        if answer.status_code >= 500 or told is None or (told.get("error") or {}).get("code") == "fault":
            raise AssertionError(f"POST {path}: {answer.status_code} {answer.text[:200]}")
        for page in ("/api/state", "/past", f"/past/{Archive(referee.games).newest()}"):
            if client.get(page).status_code != 200:
                raise AssertionError(f"{page} after POST {path}")
        if answer.status_code >= 400:
            raise CompanionError("refused")

    return read


def over_mqtt(folder: Path, closing: ExitStack) -> Iterator[tuple[str, Reader]]:
    """What the hub takes from tables, and what a table takes from the hub."""
    header = Header("hexel", ("Ana", "Bo"), "36")
    referee = open_table(folder, header, header, press_gap_s=0.0)
    closing.callback(referee.stop)
    referee.start()
    session = referee.latest()
    referee.ask(Do(session.game.legal(session.state)[0]))
    table, lines = Address("hall", "table-01"), (folder / "games" / "0001.jsonl").read_bytes().splitlines(keepends=True)
    places = [Position("0001-0badcafe", n) for n in range(1, len(lines) + 1)]
    entries = [
        Entry(at, after, body(text, at.line))
        for at, after, text in zip(places, [None, *places[:-1]], lines, strict=True)
    ]
    sent = {
        "event": [entry.payload() for entry in entries],
        "snapshot": [payload({**snapshot(referee.latest(), places[-1], "ok"), "sent": 1.5})],
        "presence": [encode({"state": state, "birth": "ab", "companion": "1"}) for state in ("here", "gone", "closed")],
    }
    store, hall = Store("sqlite://"), Hall()
    closing.callback(store.close)
    consumer = Consumer(store, [hall], lambda address, data: None)

    def take(kind: str, data: bytes) -> None:
        before = consumer.counts.unreadable[table]
        consumer._take([(table, kind, data)])
        json.dumps([hall.tables(), hall.call], allow_nan=False).encode()
        with suppress(JournalError):
            result_of(places[0].game, store.lines(table, places[0].game))
        if consumer.counts.unreadable[table] > before:
            raise CompanionError("unreadable")

    def ask(data: bytes) -> None:
        kind, told = answer(referee, data)
        if kind == JSON and not json.loads(told)["ok"]:
            if json.loads(told)["error"]["code"] == "fault":
                raise AssertionError(told)
            raise CompanionError("refused")

    for kind, samples in sent.items():
        yield f"hub-{kind}", Reader(samples, partial(take, kind))
    asks: list[dict[str, Any]] = [{"ask": "evidence", "move": 1}, {"ask": "begin", "header": header.as_json()}]
    asks += [{"ask": "dismiss"}, {"ask": "correct", "at": 1, "replaced": 1, "commands": [], "cut": True, "by": "Cy"}]
    yield "hub-ask", Reader([encode(each) for each in asks], ask)


def readers(folder: Path, closing: ExitStack) -> Iterator[tuple[str, Reader]]:
    yield "record", Reader(records(), lambda data: replay(data.split(b"\n")).as_json())
    (folder / "journal").mkdir()
    journal = journal_bytes(folder / "journal")
    yield "journal", Reader([journal], lambda data: read_journal(folder / "journal", data))
    toml = documented().replace("\n# ", "\n").encode()
    yield "settings", Reader([toml, b"[web]\nport = 1\n"], read_settings, is_json=False)
    words = b'[calls]\npass = "Pass"\n[notices]\ndark = "Too dark: {text}"\n'
    yield "words", Reader([words], from_file(folder, use), is_json=False)
    labels = b'{"image": "a.jpg", "cards": [{"edges": ["red"], "corners": [[1, 2], [3, 4]]}]}'
    from companion.cli.learn import _read_labels

    yield "labels", Reader([labels + b"\n" + labels], from_file(folder, _read_labels))
    for game, sample in profiles().items():
        classifier = GAMES[game].recognizer().classifier
        yield (
            f"profile-{game}",
            Reader([sample], from_file(folder, lambda path, classifier=classifier: classifier(None, path))),
        )  # type: ignore[misc]
    calibrations = [path.read_bytes() for path in sorted((ROOT / "calibration").glob("*.toml"))]
    calibration = b"""calibration = 1\nvenue = "a"\ncamera = "b"\ndate = 2026-05-04
picture_px = [1920, 1080]\nby = "marks"
[table]\nmm_from_px = [[0.5, 0, 1], [0, 0.5, 2], [0, 0, 1]]\n[lens]\nfocal_px = [1500, 1490]\ncentre_px = [960, 540]
distortion = [0, 0, 0, 0, 0]\nrms_px = 0.3\npictures = 9\n[marks]\n0 = [[0, 0], [1, 0], [1, 1], [0, 1]]
[zones]\n"pot" = [[0, 0], [9, 0], [9, 9]]\n"""
    yield "calibration", Reader([calibration, *calibrations], from_file(folder, read_calibration), is_json=False)
    yield "picture", Reader(pictures(), decode_picture, is_json=False)
    yield (
        "seats",
        Reader([b'{"seats": {"Ana": "ab"}, "operators": ["cd"], "secret": "ef"}'], from_file(folder, SeatKeys)),
    )
    yield "http", Reader(bodies(), over_http(folder / "table", closing))
    yield from over_mqtt(folder / "hall", closing)


def fuzz(reader: Reader, seconds: float, number: int) -> None:
    """Try inputs until the time is up or one has failed."""
    ends = time.monotonic() + seconds

    def one(rng: random.Random) -> None:
        if time.monotonic() > ends and not reader.failures:
            return
        data = changed(rng, rng.choice(reader.samples), reader.is_json)
        reader.tried += 1
        try:
            reader.read(data)
            reader.good += 1
        except CompanionError as error:
            assert "\n" not in error.message, f"not one line: {error.message!r}"
        except Exception as error:
            raise AssertionError(f"{error!r} for {data[:300]!r}") from error

    rounds = 0
    while time.monotonic() < ends and not reader.failures:
        rounds += 1
        trying = given(st.randoms(use_true_random=True, note_method_calls=False))(one)
        options = {"max_examples": 500, "database": None, "deadline": None, "suppress_health_check": list(HealthCheck)}
        trying = settings(**options, phases=[Phase.generate])(seeded(number + rounds)(trying))
        try:
            trying()
        except Exception:  # noqa: BLE001 - whatever a reader raises is what is looked for
            reader.failures.append(traceback.format_exc(limit=-6))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0, help="for each reader")
    parser.add_argument("--only", default="", help="names of readers, with commas between")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    logging.disable(logging.CRITICAL)
    only, failed = set(filter(None, asked.only.split(","))), 0
    with tempfile.TemporaryDirectory() as folder, ExitStack() as closing:
        for name, reader in readers(Path(folder), closing):
            if only and name not in only:
                continue
            fuzz(reader, asked.seconds, asked.seed)
            if reader.tried > 1000 and not reader.good:
                reader.failures.append("nothing was read: what is changed is not valid itself\n")
            failed += len(reader.failures)
            print(f"{name:18} {reader.tried:8} inputs, {reader.good:8} read, {len(reader.failures)} failed", flush=True)
            print("".join(reader.failures), end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
