"""The command that makes sheets to print. Loaded only when asked for: the PDF library takes a moment."""

from collections.abc import Sequence
from pathlib import Path

import click

from companion.cli.paths import PATH, write_file
from companion.cli.terminal import counted, progress
from companion.printing.material import materials, sheets_of
from companion.printing.pdf import pdf
from companion.printing.sheets import PAPERS, RULER_MM, Sheet

_MATERIALS = materials()
_LISTED = "\n".join(f"{name:17} {material.caption}" for name, material in _MATERIALS.items())


@click.command("print", epilog=f"\b\nWhat there is:\n{_LISTED}")
@click.argument("what", type=click.Choice(list(_MATERIALS)), metavar="WHAT")
@click.option("--paper", type=click.Choice(list(PAPERS)), default="a4", show_default=True, help="Size of the paper.")
@click.option("--out", type=PATH, help="File to write [named after what it holds].")
def print_command(what: str, paper: str, out: Path | None) -> None:
    """Make a PDF to be printed at 100 %: a deck, each sheet of fronts followed by its backs, a board, mats, marks."""
    sheets = sheets_of(what, paper)
    file = out or Path(f"{what}-{paper}.pdf")
    write_file(file, pdf(progress(sheets, len(sheets), "drawing"), f"{what}, {paper}"))
    click.echo(f"{file}: {_summary(sheets)}")
    click.echo(f"print at 100 %; the ruler must be {RULER_MM} mm long")


def _summary(sheets: Sequence[Sheet]) -> str:
    """How much it is, and how the backs come behind the fronts."""
    backed = sum(sheet.is_back for sheet in sheets)
    alone = len(sheets) - 2 * backed
    pieces = sum(len(sheet.places) for sheet in sheets if not sheet.is_back)
    parts = [f"{counted(backed, 'sheet')} of two sides, turned over the long edge"] if backed else []
    parts += [f"{counted(alone, 'sheet')} of one side"] if alone else []
    return "; ".join([f"{pieces} pieces", *parts] if backed else parts)
