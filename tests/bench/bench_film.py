"""How long the film of the simulated table takes for a picture, at rest and with a hand over it: medians on one core.

python tests/bench/bench_film.py
"""

from statistics import median
from time import perf_counter

import cv2

from companion.games import game as game_spec
from companion.games.hexel.demo.tabletop import HexelTabletop
from companion.simulator.film import STEP_S
from companion.simulator.script import write_script


def main() -> None:
    cv2.setNumThreads(1)
    stage = game_spec("hexel").demo()
    script = write_script(stage.header, stage.player(stage.header, 1))
    table = HexelTabletop(script, seed=1)
    table.lay_out(len(script.commands) - 1)
    print(f"at rest      {milliseconds(table, 60):5.1f} ms a picture")
    for _ in range(6):
        table.perform(len(script.commands) - 1)
        table.take_back(len(script.commands) - 1)
        table.fidget()
    print(f"with a hand  {milliseconds(table, 150):5.1f} ms a picture")


def milliseconds(table: HexelTabletop, pictures: int) -> float:
    spent = []
    for _ in range(pictures):
        began = perf_counter()
        table.next(STEP_S)
        spent.append(perf_counter() - began)
    return 1000 * median(spent)


if __name__ == "__main__":
    main()
