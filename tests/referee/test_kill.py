"""A table that is killed in the middle of writing goes on, after a restart, with every move that anyone was told of."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

from companion.referee.messages import Do
from companion.referee.referee import open_table
from companion.rules.engine import Header

HEADER = Header("hexel", ("Ana", "Bo", "Cy"), "36", {"chips": 50})
KILLS = 4


def play(folder: Path, seed: int) -> None:
    """Play at random for ever, printing how many moves stand after each, once it is confirmed."""
    rng = random.Random(seed)
    referee = open_table(folder, HEADER, HEADER)
    referee.start()
    while True:
        session = referee.latest()
        commands = session.game.legal(session.state)
        referee.ask(Do(rng.choice(commands)))
        print(len(referee.latest().moves), flush=True)


def killed_after(folder: Path, seed: int, moves: int) -> int:
    """Have a table play, kill it once so many moves were confirmed, and say how many were in the end."""
    command = [sys.executable, __file__, str(folder), str(seed)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as table:
        assert table.stdout is not None
        confirmed = [int(table.stdout.readline()) for _ in range(moves)]
        table.send_signal(signal.SIGKILL)
        confirmed += [int(line) for line in table.stdout.read().splitlines()]
    return confirmed[-1]


def test_a_killed_table_goes_on_with_every_confirmed_move(tmp_path: Path) -> None:
    rng = random.Random(7)
    for kill in range(KILLS):
        confirmed = killed_after(tmp_path, kill, rng.randint(1, 12))
        referee = open_table(tmp_path, HEADER, HEADER)
        referee.stop()
        session = referee.latest()
        assert len(session.moves) in (confirmed, confirmed + 1)  # one may have been written and not yet told
        players = session.game.view(session.state)["players"].values()
        assert sum(seat["chips"] + seat["hedge"] + seat["hand_pot"] for seat in players) == 150


if __name__ == "__main__":
    play(Path(sys.argv[1]), int(sys.argv[2]))
