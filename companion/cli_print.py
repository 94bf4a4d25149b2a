"""The command that makes sheets to print. Loaded only when asked for: the PDF library takes a moment."""

from pathlib import Path

import click

from companion.decks.printer import pdf
from companion.decks.sheets import DECKS, PAPERS, RULER_MM, sheets_of
from companion.errors import UsageError


@click.command("print")
@click.argument("what", type=click.Choice([*DECKS, "marks"]))
@click.option("--paper", type=click.Choice(list(PAPERS)), default="a4", show_default=True, help="Size of the paper.")
@click.option("--out", type=click.Path(path_type=Path), help="File to write [named after what it holds].")
def print_command(what: str, paper: str, out: Path | None) -> None:
    """Make a PDF to be printed at 100 %: a deck, each sheet of fronts followed by its backs, or the table marks."""
    sheets = sheets_of(what, paper)
    file = out or Path(f"{what}-{paper}.pdf")
    try:
        file.write_bytes(pdf(sheets, f"{what}, {paper}"))
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from None
    click.echo(_told(file, what, len(sheets), sum(len(sheet.places) for sheet in sheets)))
    click.echo(f"print at 100 %; the ruler must be {RULER_MM} mm long")


def _told(file: Path, what: str, sides: int, places: int) -> str:
    if what in DECKS:
        return f"{file}: {places // 2} cards on {sides // 2} sheets, on both sides, turned over the long edge"
    return f"{file}: {places} marks on one sheet"
