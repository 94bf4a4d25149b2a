"""The games that can be put on the table, for whoever begins one."""

from typing import Any

import companion.rules


def games() -> list[dict[str, Any]]:
    """Each game's name, its editions, the default first, and its least and most players, null for no upper limit.

    >>> [game["name"] for game in games()]
    ['hexel', 'hexdragon', 'comet', 'hexapod']
    """
    return [
        {"name": name, "editions": list(game.EDITIONS), "least": game.PLAYERS[0], "most": game.PLAYERS[1]}
        for name, game in companion.rules.GAMES.items()
    ]
