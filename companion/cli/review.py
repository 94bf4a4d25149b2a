"""The second look, `companion replay --review`. Loaded only when asked for: it needs OpenCV."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import cv2

from companion import games
from companion.app.reviewing import Difference, Review, review
from companion.cli.main import print_json
from companion.cli.terminal import counted, progress, say
from companion.config import load
from companion.errors import UsageError
from companion.referee.folder import journals
from companion.rules.engine import Command
from companion.rules.notation import write
from companion.vision.enrolment.profile import read_profile_object


def review_games(path: Path, profile: Path | None, calibration: Path | None, as_json: bool) -> int:
    """Take a second look at every game in a data folder, or at one journal; 1 when anything came out differently.

    What is not given of profile and calibration is taken from the settings that a table would run with; a profile that
    these do not name, or that is of another deck than a game's, from the data folder, as a table does.

    Raises:
        UsageError: there are no games there, or the profile or the calibration is none.
    """
    cv2.setNumThreads(1)
    vision = load(None).vision
    found = _journals(path)
    if not found:
        raise UsageError(f"{path} holds no games; name a table's data folder", code="no-games")
    profile = profile or vision.profile
    learnt = None if profile is None else read_profile_object(profile)
    reviews = []
    for journal in progress(found, len(found), "reading again"):
        reviews.append(review(journal, profile, calibration or vision.calibration))
        if not as_json:
            say("\n".join(_in_words(reviews[-1])))
    differing = sum(len(outcome.differing) for outcome in reviews)
    is_as_it_was = all(outcome.is_as_it_was for outcome in reviews)
    if as_json:
        print_json({"ok": is_as_it_was, "differing": differing, "games": [outcome.as_json() for outcome in reviews]})
    else:
        if learnt is not None and all(outcome.game != learnt["game"] for outcome in reviews):
            click.echo(f"no game there is one of {learnt['game']}: none was read by {profile}")
        click.echo(_summed_up(reviews, differing))
    return 0 if is_as_it_was else 1


def _journals(path: Path) -> Sequence[Path]:
    if path.is_file():
        return [path] if path.suffix == ".jsonl" and path.stem.isdecimal() else []
    return journals(path / "games") or journals(path)


def _in_words(review: Review) -> Iterator[str]:
    kept = counted(review.read_again + review.not_kept + review.left_out, "picture")
    moves = counted(review.moves, "move")
    game = f"game {review.number}: {review.game} {', '.join(review.players)}"
    yield f"{game}; {moves}, {review.read_again} of {kept} read again"
    for difference in review.differing:
        yield from _difference(review.game, difference)
    if review.not_kept:
        yield f"  {counted(review.not_kept, 'picture')} had made room for newer ones"
    if review.left_out:
        yield f"  left out, of another version: {counted(review.left_out, 'picture')}"
    if review.trouble:
        yield f"  {review.trouble}"


def _difference(game: str, difference: Difference) -> Iterator[str]:
    yield f"  move {difference.move}: {difference.message}"
    yield f"    stands  {_written(game, difference.was)}"
    if difference.now is not None and difference.now != difference.was:
        yield f"    now     {_written(game, difference.now)}"


def _written(game: str, command: Command) -> str:
    return write(games.game(game).rules.NOTATION, command)


def _summed_up(reviews: Sequence[Review], differing: int) -> str:
    seen = sum(outcome.read_again for outcome in reviews)
    moves = counted(differing, "move") if differing else "nothing"
    return f"{moves} would come out differently; {counted(seen, 'picture')} read again"
