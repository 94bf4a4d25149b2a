"""What is known of Hex'el before anything of it is imported."""

from companion.games import GameSpec

SPEC = GameSpec(
    name="hexel",
    package="companion.games.hexel",
    demo_players=("Ana", "Bo", "Cy"),
    demo_edition="36",
    has_reference_card=True,
    networks=("detector", "corner_refiner", "symbol_classifier", "embedding"),
)
