"""The registry of games: one package each, whose parts are imported when they are asked for.

A game is a folder here and a line in `PACKAGES`. Its `spec` says what is known without loading anything; every other
part is a module of its package: ``rules/game``, ``recognition``, ``interpretation``, ``layout``, ``materials``,
``demo/game`` and the folder ``page``.
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
    from companion.simulator.demo_game import DemoGame
    from companion.simulator.script import Player
    from companion.vision.recognizer import Recognizer


def _header_edition(header: "Header") -> str | None:
    return header.edition


@dataclass(frozen=True, slots=True)
class GameSpec:
    """What is known of a game before any of its parts is imported.

    Attributes:
        name: as records, commands and addresses spell it.
        package: the dotted name of its package.
        demo_players: who plays the demo, in the order of their seats.
        demo_edition: the edition that the demo is played with.
        zones: the places on the table that the game has names for, such as pots.
        has_mats: the zones are printed mats with a mark each, in their order.
        has_reference_card: its cards are of one known size, so that a camera can be calibrated by them.
        networks: the folders of its trained networks, below the game's folder of ``models``.
        deck_edition: from a header, the edition of the deck as the recogniser names it.
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
        """The rules."""
        module: Game = self._part("rules.game")
        return module

    @property
    def page(self) -> Path:
        """The folder of the scripts, styles and words that the browser gets for this game."""
        return Path(str(import_module(self.package).__file__)).parent / "page"

    def recognizer(self) -> "Recognizer":
        """How cameras recognise the game; imports OpenCV."""
        found: Recognizer = self._part("recognition").RECOGNIZER
        return found

    def interpreter(self) -> "Interpreter":
        """A fresh interpreter of what the camera sees; imports OpenCV."""
        found: Interpreter = self._part("interpretation").interpreter()
        return found

    def layouts(self, deck: str) -> "tuple[Layout, ...]":
        """What to lay to teach a printing of a deck, the usual layout first."""
        found: tuple[Layout, ...] = self._part("layout").layouts(deck)
        return found

    def materials(self) -> "Mapping[str, Material]":
        """What can be printed for the game, by name."""
        found: Mapping[str, Material] = self._part("materials").MATERIALS
        return found

    def demo(self) -> "DemoGame":
        """The game on the simulated table; imports OpenCV."""
        found: DemoGame = self._part("demo.game").DEMO
        return found

    def player(self, seed: int) -> "Player":
        """A scripted player of the game, who plays sensibly for everybody."""
        found: Player = self._part("demo.player").player(seed)
        return found

    def demo_header(self) -> "Header":
        """Who plays what at the simulated table when nobody says otherwise."""
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


def network_files() -> tuple[str, ...]:
    """Every network of an installation that is whole, as `companion.vision.networks.network` takes it."""
    shared = ("outline/detector/weights.onnx", "outline/refiner/weights.onnx")
    return shared + tuple(f"{spec.name}/{folder}/weights.onnx" for spec in GAMES.values() for folder in spec.networks)


def register(package: str) -> None:
    """Add the game of a package that has a `spec`."""
    spec: GameSpec = import_module(f"{package}.spec").SPEC
    GAMES[spec.name] = spec


for _package in PACKAGES:
    register(_package)
