"""The games that can be put on the table and their commands, for whoever begins one or writes a program."""

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


def command_names() -> list[str]:
    """The commands of all games, each once.

    >>> "place" in command_names()
    True
    """
    return list(dict.fromkeys(name for game in companion.rules.GAMES.values() for name in game.NOTATION))
