"""What games are called on a page and on paper."""

from companion.rules.engine import Header
from companion.views.words import knows, phrase


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
