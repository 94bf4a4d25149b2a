"""How a game is played, topic by topic, in the table's own words."""

from companion.views.words import section_of


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
