"""What there is to say of a game itself: how it is begun, its commands, its title, how it is played."""

from typing import Any

from companion.games import GAMES
from companion.games import page_folders as page_folders  # for the web, which knows no game
from companion.rules.engine import Header
from companion.views.words import knows, phrase, section_of


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


def topics(game: str) -> list[dict[str, str]]:
    """The topics of a game in their order, ``{"id", "title", "text"}``; none for a game that has no page.

    >>> topics("hexapod")[0]["title"]
    'The aim'
    """
    mine = {
        name.removeprefix(f"{game}-"): words
        for name, words in section_of("howto").items()
        if name.startswith(f"{game}-")
    }
    return [{"id": topic, "title": words[0], "text": words[1]} for topic, words in mine.items()]


def game_title(name: str) -> str:
    """A game's title; of one that is not known here, its name.

    >>> game_title("comet"), game_title("nim")
    ('Seven Card Comet', 'Nim')
    """
    return phrase("games", name) if knows("games", name) else name.capitalize()


def title(header: Header) -> str:
    """A game's title with its edition.

    >>> title(Header("hexel", ("Ana", "Bo"), "46"))
    'Hex’el 46'
    """
    return game_title(header.game) if header.edition is None else f"{game_title(header.game)} {header.edition}"
