"""What is known of Seven Card Comet before anything else of it is imported."""

from companion.games import GameSpec
from companion.games.comet.rules.state import POTS, TAIL

SPEC = GameSpec(
    name="comet",
    package="companion.games.comet",
    zones=(*POTS, TAIL),
    has_mats=True,
    networks=("detector", "corner_refiner", "numeral_classifier", "number_classifier"),
)
