"""The games that can be put on the table and their commands, for whoever begins one or writes a program."""

from typing import Any

from companion.games import GAMES


def games() -> list[dict[str, Any]]:
    """Each game's name, its editions, the default first, and its least and most players, null for no upper limit.

    >>> [game["name"] for game in games()]
    ['hexel', 'hexdragon', 'comet', 'hexapod']
    """
    return [
        {"name": name, "editions": list(rules.EDITIONS), "least": rules.PLAYERS[0], "most": rules.PLAYERS[1]}
        for name, rules in ((name, spec.rules) for name, spec in GAMES.items())
    ]


def command_names() -> list[str]:
    """The commands of all games, each once.

    >>> "place" in command_names()
    True
    """
    return list(dict.fromkeys(name for game in GAMES.values() for name in game.rules.NOTATION))
