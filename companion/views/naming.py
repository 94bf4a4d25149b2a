"""What things are called, for sentences: so many of a kind, several names, a connection, a pot."""

from collections.abc import Sequence

from companion.views.words import inflected, phrase, section_of


def counted(number: int, thing: str) -> str:
    """A small number of things in words.

    >>> counted(1, "edge"), counted(3, "chip"), counted(12, "chip")
    ('one edge', 'three chips', '12 chips')
    """
    counting = section_of("counting")
    word = counting["small"][number] if 0 <= number < len(counting["small"]) else number
    return f"{word} {inflected(counting.get(thing, (thing, f'{thing}s')), number)}"


def listed(names: Sequence[str]) -> str:
    """Names as one says them.

    >>> listed(["Ana"]), listed(["Ana", "Bo", "Cy"])
    ('Ana', 'Ana, Bo and Cy')
    """
    if len(names) == 1:
        return names[0]
    return phrase("counting", "last", first=", ".join(names[:-1]), last=names[-1])


def connection(kind: str) -> str:
    """What a kind of connection is called.

    >>> connection("double-dragon")
    'Double dragon'
    """
    return phrase("names", kind)


def pot(name: str) -> str:
    """What a pot is called.

    >>> pot("tail"), pot("Kinro")
    ('the Tail', 'Kinro')
    """
    return phrase("names", "tail") if name == "tail" else name
