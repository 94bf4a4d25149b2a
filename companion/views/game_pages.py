"""Where each game keeps its page: scripts, style and words, in the folder ``page`` of its package."""

from pathlib import Path

from companion.games import GAMES


def page_folders() -> dict[str, Path]:
    """The page folder of every game that has one, by the game's name.

    >>> list(page_folders())
    ['hexel', 'hexdragon', 'comet', 'hexapod']
    """
    return {name: spec.page for name, spec in GAMES.items() if spec.page.is_dir()}
