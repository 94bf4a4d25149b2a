"""Whose the games are: what stands at the foot of every sheet that is printed for one of them."""

CREDITS: dict[str, tuple[str, ...]] = {
    "hexel": (
        "Hex'el is a game by Michael Corry: www.gamesofthegalaxy.com/hexelqr",
        "Published by Games of the Galaxy, CC BY-NC-ND 4.0: share it unchanged, with credit, not for money.",
        "These plain drawings are companion's own; for the real cards and the rules see the publisher.",
    ),
    "hexdragon": (
        "HexDragon is a game by Ondrej 'Nero' Sová, NERO GAMES: nerogames.sk",
        "© 2018-2020 Ondrej 'Nero' Sová, all rights reserved: print it for your own table, and get the game from him.",
        "These plain drawings are companion's own; for the real tiles and the rules see the publisher.",
    ),
    "comet": (
        "Seven Card Comet is a game by Yennefer von Groddeck: www.gamesofthegalaxy.com/sevencardcomet",
        "Published by Games of the Galaxy, CC BY-NC-ND 4.0: share it unchanged, with credit, not for money.",
        "These plain drawings are companion's own, and so is the choice of 120 cards that the rules do not list.",
    ),
    "hexapod": (
        "Hexapod is a game by Mike Kay, from his beta rule book; its terms are its author's.",
        "Print it for your own table, and ask the author before anything else.",
        "These plain drawings are companion's own, and so is the choice of cards: the rules show them as pictures.",
    ),
}
