"""The command `companion` of a house whose registry has one line more."""

import sys

from companion.cli.main import main
from companion.games import register

if __name__ == "__main__":
    register("tests.fifth_game.lanterns")
    sys.exit(main())
