"""Kills the demo at random moments, as a power cut would, and checks that it goes on where the page had been.

    python tests/bench/kill_demo.py [--kills 10] [--speed 20] [--seed 1] [--data DIR] [--longest 8]

After each kill the journal must read back whole, but for a last line torn in the writing; hold every move that the page
had shown; and hold all chips. Prints one line a kill and ends with status 1 at the first failure.
"""

import argparse
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from companion.referee.journal import replay
from companion.referee.lines import whole_lines
from companion.referee.session import Session

LIVE_WITHIN_S = 20.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--speed", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=8.0, help="seconds that a run may last before it is killed")
    parser.add_argument("--data", type=Path)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as forgotten:
        data = given.data or Path(forgotten)
        held = 0
        for kill in range(1, given.kills + 1):
            lasts_s = rng.uniform(0.1, given.longest)
            shown, live_s = killed_after(lasts_s, data, given.speed)
            found = read_back(data)
            print(
                f"kill {kill:2}: live after {live_s:.1f} s, killed {lasts_s:.1f} s later; page {shown} moves, journal"
                f" {found.moves} of {found.entries} entries, {found.torn} bytes torn; chips {found.chips}",
                flush=True,
            )
            if found.most_moves < shown or found.entries < held or found.chips != found.owed:
                print(f"not what it should be: {found}", file=sys.stderr)
                return 1
            held = found.entries
    return 0


@dataclass(frozen=True, slots=True)
class Found:
    """What a journal tells.

    Attributes:
        moves: that stand.
        most_moves: that ever stood, before some were taken back.
        entries: moves and takings back.
        torn: bytes of an unfinished line.
    """

    moves: int
    most_moves: int
    entries: int
    torn: int
    chips: int
    owed: int


def killed_after(seconds: float, data: Path, speed: float) -> tuple[int, float]:
    """Run the demo and kill it so long after its page is live; the moves that the page showed, and when it was live."""
    began = time.monotonic()
    with demo(data, speed) as (process, port):
        shown = wait_for_page(process, port)
        live = time.monotonic()
        while time.monotonic() < live + seconds:
            shown = state(port)
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
    return len(shown["history"]), live - began


@contextmanager
def demo(data: Path, speed: float) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "companion", "demo", "--data", str(data), "--speed", str(speed)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])}
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)], stdout=subprocess.DEVNULL, env=environment
    )
    try:
        yield process, port
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def wait_for_page(process: "subprocess.Popen[bytes]", port: int) -> dict[str, Any]:
    ends = time.monotonic() + LIVE_WITHIN_S
    while time.monotonic() < ends and process.poll() is None:
        try:
            return state(port)
        except OSError:
            time.sleep(0.02)
    raise SystemExit(f"the demo's page is not live (status {process.poll()})")


def state(port: int) -> dict[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/api/state")
        answer: dict[str, Any] = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    return answer


def read_back(data: Path) -> Found:
    """What the newest game's journal tells. Raises when it is damaged."""
    path = max(data.glob("games/*.jsonl"), key=lambda path: int(path.stem))
    text = path.read_bytes()
    bodies, size = whole_lines(text)
    session, _ = replay(path, bodies)
    deeds = [body["did"] for body in bodies[1:] if body["did"] != "resume"]
    standing = list(accumulate(1 if did == "move" else -1 for did in deeds))
    options = session.header.options
    return Found(
        moves=len(session.moves),
        most_moves=max(standing, default=0),
        entries=len(deeds),
        torn=len(text) - size,
        chips=chips_of(session),
        owed=options.get("chips", 100) * len(session.header.players),
    )


def chips_of(session: Session) -> int:
    players = session.game.view(session.state)["players"].values()
    return sum(seat["chips"] + seat["hedge"] + seat["hand_pot"] for seat in players)


if __name__ == "__main__":
    raise SystemExit(main())
