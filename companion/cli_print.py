"""The command that makes sheets to print. Loaded only when asked for: the PDF library takes a moment."""

from pathlib import Path

import click

from companion.decks.printer import pdf
from companion.decks.sheets import DECKS, PAPERS, RULER_MM, deck_sheets
from companion.errors import UsageError


@click.command("print")
@click.argument("deck", type=click.Choice(list(DECKS)))
@click.option("--paper", type=click.Choice(list(PAPERS)), default="a4", show_default=True, help="Size of the paper.")
@click.option("--out", type=click.Path(path_type=Path), help="File to write [the deck's name, .pdf].")
def print_command(deck: str, paper: str, out: Path | None) -> None:
    """Make a deck's sheets as a PDF: fronts, each followed by its backs, to be printed at 100 %."""
    sheets = deck_sheets(deck, paper)
    file = out or Path(f"{deck}-{paper}.pdf")
    try:
        file.write_bytes(pdf(sheets, f"{deck}, {paper}"))
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from None
    cards = sum(len(sheet.places) for sheet in sheets) // 2
    click.echo(f"{file}: {cards} cards on {len(sheets) // 2} sheets")
    click.echo(f"print at 100 %, on both sides, turned over the long edge; the ruler must be {RULER_MM} mm long")
