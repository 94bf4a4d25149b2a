"""Where each game keeps its page: scripts, style and words, in the folder ``page`` of its package."""

from functools import cache
from pathlib import Path

_GAMES = Path(__file__).parents[1] / "games"


@cache
def page_folders() -> dict[str, Path]:
    """The page folder of every game that has one, by the game's name.

    >>> list(page_folders())
    ['comet', 'hexapod', 'hexdragon', 'hexel']
    """
    return {folder.parent.name: folder for folder in sorted(_GAMES.glob("*/page"))}
