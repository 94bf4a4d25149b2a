"""The registry of games: one package a game, its parts imported lazily.

A game is a folder here and a line in `PACKAGES`. Its `spec` is cheap to import; the other parts are modules of its
package: ``rules/game``, ``recognition``, ``interpretation``, ``layout``, ``materials``, ``demo/tabletop``,
``demo/player`` and the folder ``page``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.errors import UsageError

if TYPE_CHECKING:
    from companion.interpretation.interpreter import Interpreter
    from companion.printing.layout import Layout
    from companion.printing.material import Material
    from companion.rules.engine import Game, Header
    from companion.simulator.script import Player
    from companion.simulator.tabletop import DemoGame
    from companion.vision.recognizer import Recognizer


def _header_edition(header: "Header") -> str | None:
    return header.edition


@dataclass(frozen=True, slots=True)
class GameSpec:
    """A game's description, available before any of its parts is imported.

    Attributes:
        name: the game's name in records, commands and addresses.
        package: the dotted name of its package.
        demo_players: the demo's players, in the order of their seats.
        demo_edition: the demo's edition.
        zones: named places on the table, such as pots.
        has_mats: whether the zones are printed mats with a mark each, in this order.
        has_reference_card: whether its cards have one known size, so that a camera can be calibrated by them.
        networks: the folders of its trained networks, below the game's folder in ``models``.
        deck_edition: from a header, the edition of the deck as the recognizer names it.
    """

    name: str
    package: str
    demo_players: tuple[str, ...] = ("Ana", "Bo")
    demo_edition: str | None = None
    zones: tuple[str, ...] = ()
    has_mats: bool = False
    has_reference_card: bool = False
    networks: tuple[str, ...] = ()
    deck_edition: Callable[["Header"], str | None] = field(default=_header_edition)

    @property
    def rules(self) -> "Game":
        """The rules module."""
        module: Game = self._part("rules.game")
        return module

    @property
    def page(self) -> Path:
        """The folder of the game's scripts, styles and words for the browser."""
        return Path(str(import_module(self.package).__file__)).parent / "page"

    def recognizer(self) -> "Recognizer":
        """The game's recognizer; imports OpenCV."""
        recognizer: Recognizer = self._part("recognition").RECOGNIZER
        return recognizer

    def interpreter(self) -> "Interpreter":
        """A new interpreter of the tracked cards; imports OpenCV."""
        interpreter: Interpreter = self._part("interpretation").interpreter()
        return interpreter

    def layouts(self, deck: str) -> "tuple[Layout, ...]":
        """The layouts from which a printing of a deck is taught, the usual one first."""
        layouts: tuple[Layout, ...] = self._part("layout").layouts(deck)
        return layouts

    def materials(self) -> "Mapping[str, Material]":
        """The game's printable materials, by name."""
        materials: Mapping[str, Material] = self._part("materials").MATERIALS
        return materials

    def demo(self) -> "DemoGame":
        """The game's part of the simulated table; imports OpenCV."""
        demo: DemoGame = self._part("demo.tabletop").DEMO
        return demo

    def player(self, seed: int) -> "Player":
        """A scripted player who chooses sensible moves for every seat."""
        player: Player = self._part("demo.player").player(seed)
        return player

    def demo_header(self) -> "Header":
        """The default header of the demo."""
        header: Header = import_module("companion.rules.engine").Header(self.name, self.demo_players, self.demo_edition)
        return header

    def _part(self, name: str) -> Any:
        return import_module(f"{self.package}.{name}")


PACKAGES = (
    "companion.games.hexel",
    "companion.games.hexdragon",
    "companion.games.comet",
    "companion.games.hexapod",
)

GAMES: dict[str, GameSpec] = {}


def game(name: str) -> GameSpec:
    """The game of that name.

    Raises:
        UsageError: `unknown-game`; the message lists those there are.
    """
    if name not in GAMES:
        raise UsageError(f"no such game: {name}; there are {', '.join(GAMES)}", code="unknown-game")
    return GAMES[name]


def deck_played(header: "Header") -> tuple[str, str | None]:
    """The game of a header and the edition of its deck: what a camera is to read."""
    return header.game, game(header.game).deck_edition(header)


def network_files() -> tuple[str, ...]:
    """The paths of all networks of a complete installation, as `companion.vision.networks.network` takes them."""
    shared = tuple(f"outline/{network}/weights.onnx" for network in ("detector", "refiner", "judge"))
    return shared + tuple(f"{spec.name}/{folder}/weights.onnx" for spec in GAMES.values() for folder in spec.networks)


def page_folders() -> dict[str, Path]:
    """The page folder of every game that has one, by the game's name.

    >>> list(page_folders())
    ['hexel', 'hexdragon', 'comet', 'hexapod']
    """
    return {name: spec.page for name, spec in GAMES.items() if spec.page.is_dir()}


def register(package: str) -> None:
    """Add the game of a package that has a `spec`."""
    spec: GameSpec = import_module(f"{package}.spec").SPEC
    GAMES[spec.name] = spec


for _package in PACKAGES:
    register(_package)
