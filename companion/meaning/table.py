"""Which meaning a game's pictures have, and which edition lies there. Another game is one more entry in `MEANINGS`."""

from collections.abc import Callable, Mapping
from typing import Any

from companion.meaning import hexdragon
from companion.meaning.cases import CasesMeaning
from companion.meaning.comet import CometMeaning
from companion.meaning.outlook import Meaning
from companion.meaning.tableau import TableauMeaning, Words
from companion.rules.engine import Header
from companion.rules.hexgrid import Cell
from companion.vision.register import Edges


def _hexel_lying(view: Mapping[str, Any]) -> dict[Cell, Edges]:
    return {(c["cell"][0], c["cell"][1]): tuple(c["edges"]) for c in view["table"]["tableau"]}


def _hexel_cells(command: Mapping[str, Any]) -> tuple[Cell, ...]:
    laid = command.get("cards", [command] if "cell" in command else [])
    return tuple((c["cell"][0], c["cell"][1]) for c in laid)


MEANINGS: Mapping[str, Callable[[], Meaning]] = {
    "hexel": lambda: TableauMeaning(Words(_hexel_lying, _hexel_cells, tuple)),
    "hexdragon": lambda: TableauMeaning(Words(hexdragon.lying, hexdragon.cells, hexdragon.thing)),
    "comet": CometMeaning,
    "hexapod": CasesMeaning,
}


def edition_of(header: Header) -> str | None:
    """Which edition of its deck a game is played with, as readers name it; Hexapod's is the size of the cases."""
    if header.game != "hexapod":
        return header.edition
    return f"{header.options.get('rows', 5)}x{header.options.get('cols', 5)}"
