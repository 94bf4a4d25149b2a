"""What is known of Lanterns before anything else of it is imported."""

from companion.games import GameSpec

SPEC = GameSpec(name="lanterns", package="tests.fifth_game.lanterns")
