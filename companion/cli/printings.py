"""The command that shows the printings a table was taught, and what each name rests on; and that takes things back."""

from pathlib import Path

import click

from companion import games
from companion.app.profiles import Profiles, StoredPrinting
from companion.cli.main import json_option, print_json, printable
from companion.cli.paths import PATH
from companion.cli.terminal import counted
from companion.config import data_folder
from companion.errors import Refusal, UsageError
from companion.vision.enrolment.learning import fit_profile
from companion.vision.enrolment.profile import Profile
from companion.vision.enrolment.teaching import Teaching

_ACTIONS = ("list", "show", "remove", "back", "use", "usual", "forget")


@click.command("printings")
@click.option("--data", type=PATH, help="Folder that keeps the games and what was taught.")
@json_option
@click.argument("action", type=click.Choice(_ACTIONS), default="list")
@click.argument("key", required=False)
@click.argument("number", required=False, type=int)
def printings_command(data: Path | None, as_json: bool, action: str, key: str | None, number: int | None) -> int:
    """Show the printings that a table was taught, or change one by its KEY.

    list: all of them. show KEY: its samples, and on which each name rests. remove KEY NUMBER: take a sample away. back
    KEY: its earlier version again. use KEY: read its deck by it. usual KEY: read its deck as the reference printing.
    forget KEY: take it away with all its versions. What is changed is printed as it then is.
    """
    profiles = Profiles(data_folder(data))
    kept = None if action == "list" else _kept(profiles, key)
    if kept is not None:
        _change(profiles, action, kept, number, as_json)
    listed = [one for one in profiles.kept() if action == "list" or one.key == key]
    if not as_json:
        for one in listed:
            click.echo(_line(one))
        if kept is not None and action != "show":
            _say_what_reads(profiles, kept.deck)
    elif action != "show":
        print_json({"ok": True, "printings": [one.as_json() for one in listed]})
    return 0


def _change(profiles: Profiles, action: str, kept: StoredPrinting, number: int | None, as_json: bool) -> None:
    """Do what is asked. Raises `Refusal` or `UsageError`."""
    match action:
        case "show":
            _show(*_read(profiles, kept), as_json)
        case "remove":
            _remove(profiles, kept, number)
        case "back":
            profiles.go_back(kept.key)
        case "use" | "usual":
            profiles.use(kept.deck, kept.key if action == "use" else None)
        case "forget":
            profiles.forget(kept.key)


def _kept(profiles: Profiles, key: str | None) -> StoredPrinting:
    found = {one.key: one for one in profiles.kept()}
    if key is None or key not in found:
        there = ", ".join(found) or "none yet: `companion teach` makes one"
        raise Refusal("no-profile", f"there is no printing {key or 'without a name'}; there are {there}")
    return found[key]


def _read(profiles: Profiles, kept: StoredPrinting) -> tuple[Teaching, Profile]:
    teaching = games.game(kept.game).recognizer().teaching
    assert teaching is not None, "a profile is of a game that can be taught"
    return teaching, teaching.read(profiles.path(kept.key))


def _remove(profiles: Profiles, kept: StoredPrinting, number: int | None) -> None:
    teaching, profile = _read(profiles, kept)
    if number is None or not 1 <= number <= len(profile.samples):
        raise UsageError(f"say which sample, 1 to {len(profile.samples)}: see `companion printings show {kept.key}`")
    samples = [*profile.samples[: number - 1], *profile.samples[number:]]
    fitted = fit_profile(teaching, profile.deck, samples, trust_names=True)
    profiles.keep(fitted.described(name=profile.name, licence=profile.licence), kept.key)


def _show(teaching: Teaching, profile: Profile, as_json: bool) -> None:
    names = [[cutout.name for cutout in teaching.cutouts(sample)] for sample in profile.samples]
    rests_on = {
        name: [number for number, own in enumerate(names, 1) if name in own]
        for name in dict.fromkeys(name for own in names for name in own)
    }
    if as_json:
        shown = [
            {"number": number, "light": sample.light, "source": sample.source, "names": own}
            for number, (sample, own) in enumerate(zip(profile.samples, names, strict=True), 1)
        ]
        print_json({"ok": True, "deck": profile.deck, "samples": shown, "names": rests_on})
        return
    for number, (sample, own) in enumerate(zip(profile.samples, names, strict=True), 1):
        click.echo(f"{number:4}  {sample.source:9} photograph {sample.light}: {' '.join(own)}")
    for name, numbers in rests_on.items():
        click.echo(f"{name:>9}  rests on {', '.join(map(str, numbers))}")


def _say_what_reads(profiles: Profiles, deck: str) -> None:
    """By what a deck is read now, and when a table that runs takes it up."""
    in_use = profiles.in_use(deck)
    click.echo(
        f"{deck} is read {'as the reference printing' if in_use is None else f'by {in_use.stem}'}; "
        "by a table that runs, once its camera is switched off and on, or it starts anew"
    )


def _line(one: StoredPrinting) -> str:
    use = ", in use" if one.is_in_use else ""
    counts = f"{counted(one.samples, 'sample')}, {counted(one.versions, 'earlier version')}"
    return printable(f"{one.key}: {one.name}, {one.deck}, {one.made}; {counts}{use}")
