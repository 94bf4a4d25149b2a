"""What is known of Hexapod before anything of it is imported."""

from companion.games import GameSpec
from companion.rules.engine import Header


def _size_of_cases(header: Header) -> str:
    """Rows and columns of the display cases, as decks of other sizes are named."""
    return f"{header.options.get('rows', 5)}x{header.options.get('cols', 5)}"


SPEC = GameSpec(
    name="hexapod",
    package="companion.games.hexapod",
    zones=("case 1", "case 2"),
    deck_edition=_size_of_cases,
    networks=("detector", "keypoints", "insect_classifier"),
)
