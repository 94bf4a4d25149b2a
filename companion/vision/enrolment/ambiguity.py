"""What learning a printing says of kinds that look much alike on the photographs."""

from collections.abc import Sequence


def expected_doubts(pairs: Sequence[tuple[str, str]]) -> str:
    """The end of a profile's summary; nothing where no two kinds look alike.

    >>> expected_doubts([("blue", "void")])
    '; they look much alike on the photographs, expect doubts: blue with void'
    """
    named = " and ".join(f"{a} with {b}" for a, b in pairs)
    return f"; they look much alike on the photographs, expect doubts: {named}" if named else ""
