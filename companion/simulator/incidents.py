"""What befalls a simulated evening, so that a newcomer sees how a table bears it: once each, spread over its moves."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import count


class Incident(StrEnum):
    """What happens before a card is laid, or as it is laid; the value names what is told of it."""

    SLIP = "slip"  # a card is laid wrongly, and rejected
    HAND = "hand"  # a hand rests in view
    PUT_RIGHT = "put-right"  # a move is entered wrongly by hand, and put right later
    CAMERA = "camera"  # the camera is lost, and found again
    POWER = "power"  # the power fails, and the game goes on


class Incidents:
    """When each of some incidents is due. Remembers which have been."""

    def __init__(self, kinds: Sequence[Incident] = tuple(Incident)) -> None:
        self._kinds = kinds
        self._due: dict[int, Incident] = {}

    def plan(self, commands: int, is_laid: Callable[[int], bool], begun: int = 0) -> None:
        """Spread them over the commands of a script that are laid by hand, leaving out what was due before ``begun``.

        >>> incidents = Incidents((Incident.HAND, Incident.CAMERA))
        >>> incidents.plan(9, lambda index: index % 2 == 0)
        >>> [index for index in range(9) if incidents.take(index)]
        [2, 6]
        """
        laid = [index for index in range(commands) if is_laid(index)]
        spots = [laid[(k + 1) * len(laid) // (len(self._kinds) + 1)] for k in range(len(self._kinds))] if laid else []
        self._due = {index: kind for index, kind in zip(spots, self._kinds, strict=False) if index > begun}

    def take(self, index: int) -> Incident | None:
        """What is due at a command of the script, once."""
        return self._due.pop(index, None)

    def put_off(self, kind: Incident, index: int) -> None:
        """Let what could not happen at a command be due at the next where nothing else is."""
        self._due[next(later for later in count(index + 1) if later not in self._due)] = kind
