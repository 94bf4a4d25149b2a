"""What games are called on a page and on paper."""

from companion.rules.engine import Header

_TITLES = {"hexel": "Hex’el", "hexdragon": "HexDragon", "comet": "Seven Card Comet", "hexapod": "Hexapod"}


def game_title(name: str) -> str:
    """A game's title; of one that is not known here, its name.

    >>> game_title("comet"), game_title("nim")
    ('Seven Card Comet', 'Nim')
    """
    return _TITLES.get(name, name.capitalize())


def title(header: Header) -> str:
    """A game's title with its edition.

    >>> title(Header("hexel", ("Ana", "Bo"), "46"))
    'Hex’el 46'
    """
    return game_title(header.game) if header.edition is None else f"{game_title(header.game)} {header.edition}"
