"""What is known of HexDragon before anything of it is imported."""

from companion.games import GameSpec

SPEC = GameSpec(
    name="hexdragon", package="companion.games.hexdragon", networks=("detector", "corner_refiner", "tile_classifier")
)
