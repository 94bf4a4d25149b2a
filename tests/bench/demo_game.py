"""Let a game's demo play itself through camera, recognition and page, and recount its record.

python tests/bench/demo_game.py hexdragon [--seed 1] [--speed 100] [--keep FOLDER]

Prints how many moves the camera told and how many were entered on a phone, the frames looked at, the processor time,
and whether `companion replay` of the game's journal comes to what the page shows. Exit status 1 when the game does not
end within --minutes, or the two differ.
"""

import argparse
import json
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import count
from pathlib import Path
from queue import Queue

import cv2

from companion.app import demo, demo_table
from companion.app.demo import DemoOptions, Say
from companion.app.table import Table
from companion.rules.records import replay
from companion.simulator.camera import SimulatedCamera
from companion.simulator.film import STEP_S


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("game")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--speed", type=float, default=100.0)
    asked.add_argument("--minutes", type=float, default=20.0)
    asked.add_argument("--keep", type=Path)
    wished = asked.parse_args()
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as forgotten:
        return played(wished, wished.keep or Path(forgotten))


def played(wished: argparse.Namespace, data: Path) -> int:
    tables: Queue[Table] = Queue()
    prompt = count(0.0, STEP_S / wished.speed).__next__  # a clock by which each picture is in time: none is left out
    demo_table.SimulatedCamera = partial(SimulatedCamera, clock=prompt)

    def one_game(games: Sequence[str], seed: int, speed: float, table: Table, say: Say, *_: object, **__: object):
        tables.put(table)
        return demo_table.demo_camera(games[0], seed, speed, table, say)

    demo_table.demo_evenings = one_game  # an evening never ends
    outcome: dict = {}

    def follow() -> None:
        table = tables.get()
        outcome.update(followed(table, wished.minutes))
        table.ask_to_stop()

    threading.Thread(target=follow, daemon=True).start()
    began = time.process_time()
    demo.run_demo(
        DemoOptions(wished.game, wished.seed, wished.speed, "127.0.0.1", 0, data), lambda line: print(" ", line)
    )
    seconds = time.process_time() - began
    return told(wished.game, outcome, seconds)


def followed(table: Table, minutes: float) -> dict:
    """The page's state once the game is over, or when the time is up; and what the camera had done by then."""
    ends = time.monotonic() + 60 * minutes
    while table.referee.latest().game.view(table.referee.latest().state)["result"] is None:
        if time.monotonic() > ends:
            break
        time.sleep(0.2)
    session = table.referee.latest()
    page = f"http://127.0.0.1:{table.url.rsplit(':', 1)[1].strip('/')}/api/state"
    with urllib.request.urlopen(page) as answer:
        shown = json.load(answer)
    pictured = Counter(move.command["cmd"] for move in session.moves if move.evidence is not None)
    entered = Counter(move.command["cmd"] for move in session.moves if move.evidence is None)
    record = [session.header.as_json(), *(dict(move.command) for move in session.moves)]
    frames = table.health()["camera"]["frames"]
    return {"page": shown, "camera": pictured, "phone": entered, "frames": frames, "record": record}


def told(game: str, outcome: dict, seconds: float) -> int:
    page, recounted = outcome["page"], replay(map(json.dumps, outcome["record"])).as_json()
    same = all(recounted[part] == page[part] for part in ("phase", "turn", "players", "table", "result"))
    print(f"{game}: camera {dict(outcome['camera'])}, phone {dict(outcome['phone'])}")
    print(f"{outcome['frames']} frames, {seconds:.0f} s of processor time")
    print(f"result {page['result']}; the record recounted {'agrees' if same else 'DIFFERS'}")
    return 0 if same and page["result"] is not None else 1


if __name__ == "__main__":
    sys.exit(main())
