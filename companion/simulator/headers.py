"""Who plays what at each simulated table when nobody says otherwise; light, so that a page can be live early."""

from companion.errors import UsageError
from companion.rules.engine import Header

HEADERS: dict[str, Header] = {
    "hexel": Header("hexel", ("Ana", "Bo", "Cy"), "36"),
    "hexdragon": Header("hexdragon", ("Ana", "Bo")),
    "comet": Header("comet", ("Ana", "Bo")),
    "hexapod": Header("hexapod", ("Ana", "Bo")),
}
ZONED = ("comet", "hexapod")
"""The games at whose simulated tables places have names for the camera too: pots, and whose case is whose."""


def header_of(game: str) -> Header:
    """The header of a game's simulated table. Raises `UsageError` when it has none."""
    if game not in HEADERS:
        raise UsageError(f"no demo of {game} yet; there is one of {', '.join(HEADERS)}", code="unknown-game")
    return HEADERS[game]
