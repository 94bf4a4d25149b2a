"""A mutation check on one game's rules, run by hand: does a test notice when the rules are slightly wrong?

    python tests/bench/mutate.py hexel [--sample 120] [--seed 1] [--only tableau] [--limit-s 60]

Every file of ``companion/games/<game>/rules`` is changed in one place: a comparison, a sum, a condition, a number,
a word that programs rely on, a dropped statement, a dropped field. Nothing is written to disk: a child process meets
the changed module when it imports the rules, and runs the game's own tests, then its playthroughs, until one fails.
A change that no test notices is a survivor and is printed. What only people read is left alone: docstrings,
annotations, and the wording of sentences. The sources are read anew for each mutant: where others are at work, run a
copy, ``git archive HEAD | tar -x -C COPY``.
"""

import argparse
import ast
import importlib.abc
import importlib.util
import math
import multiprocessing
import os
import re
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from random import Random
from types import CodeType

import pytest
from hypothesis import HealthCheck, Phase, settings

ROOT = Path(__file__).parents[2]
RULES = "companion/games/{game}/rules"
MOST_BYTES = 4 << 30
"""A mutant that counts for ever stops here."""
GAMES = ("hexel", "hexdragon", "comet", "hexapod")

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_RECKONED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_WORD = re.compile(r"[a-z][a-z_-]*")


@dataclass(frozen=True)
class Change:
    """One place that can be made wrong: its line, what becomes of it, and how."""

    line: int
    told: str
    make: Callable[[], None]


@dataclass(frozen=True)
class Mutant:
    """One change of one file, by its number among all of that file."""

    path: Path
    number: int

    @property
    def module(self) -> str:
        """The name under which it is imported."""
        return ".".join(self.path.relative_to(ROOT).with_suffix("").parts)

    def made(self) -> tuple[ast.Module, Change]:
        """The changed module and what was changed."""
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        change = list(changes(tree))[self.number]
        change.make()
        return ast.fix_missing_locations(tree), change

    def __str__(self) -> str:
        _, change = self.made()
        return f"{self.path.relative_to(ROOT)}:{change.line}: {change.told}"


def changes(tree: ast.AST) -> Iterator[Change]:
    """Every change that can be made within a module or a part of it, in the order of its text."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list") or _is_only_read(tree):
            continue
        for at, node in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(node, ast.AST):
                yield from _of_node(tree, name, at if isinstance(value, list) else None, node)
                yield from changes(node)


def _is_only_read(node: ast.AST) -> bool:
    """Whether nothing in here changes what the rules do: a docstring, a list of exports, a sentence, an assertion."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    is_exports = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("__all__", "__slots__")
    return is_text or is_exports or isinstance(node, ast.JoinedStr | ast.FormattedValue | ast.Assert | ast.ImportFrom)


def _of_node(parent: ast.AST, name: str, at: int | None, node: ast.AST) -> Iterator[Change]:
    line = getattr(node, "lineno", getattr(parent, "lineno", 0))

    def becomes(new: ast.AST, told: str) -> Change:
        def make() -> None:
            if at is None:
                setattr(parent, name, new)
            else:
                getattr(parent, name)[at] = new

        return Change(line, told, make)

    was = _shown(node)
    for new in _others(node):
        yield becomes(new, f"{was}  ->  {_shown(new)}")
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield becomes(ast.Pass(), f"dropped: {was}")
    if isinstance(node, ast.If | ast.IfExp | ast.While) and not isinstance(node.test, ast.UnaryOp):
        yield Change(line, f"not: {_shown(node.test)}", _negation(node))
    if isinstance(node, ast.comprehension) and node.ifs:
        yield Change(node.ifs[0].lineno, f"all, not only if {_shown(node.ifs[0])}", node.ifs.clear)
    if isinstance(node, ast.keyword) and isinstance(parent, ast.Call) and ast.unparse(parent.func) == "replace":
        yield Change(node.value.lineno, f"dropped from replace: {_shown(node)}", _dropping(parent, node))


def _others(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in a node's place: the same with one thing wrong."""
    match node:
        case ast.Compare(left, [op], comparators) if type(op) in _COMPARED:
            yield ast.Compare(left, [_COMPARED[type(op)]()], comparators)
        case ast.BinOp(left, op, right) if type(op) in _RECKONED:
            yield ast.BinOp(left, _RECKONED[type(op)](), right)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield operand
        case ast.Return(value) if value is not None and not _is(value, None):
            yield ast.Return(ast.Constant(None))
        case ast.IfExp(test, body, orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(str(value)) if _WORD.fullmatch(value):
            yield ast.Constant(f"{value}-x")


def _is(node: ast.AST, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _negation(node: ast.If | ast.IfExp | ast.While) -> Callable[[], None]:
    def make() -> None:
        node.test = ast.UnaryOp(ast.Not(), node.test)

    return make


def _dropping(call: ast.Call, keyword: ast.keyword) -> Callable[[], None]:
    return lambda: call.keywords.remove(keyword)


def _shown(node: ast.AST, most: int = 90) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= most else text[: most - 1] + "…"


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Hands out the changed code when its module is imported."""

    def __init__(self, mutant: Mutant) -> None:
        self._module, self._path = mutant.module, str(mutant.path)
        self._code: CodeType = compile(mutant.made()[0], self._path, "exec")

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        return importlib.util.spec_from_file_location(name, self._path, loader=self) if name == self._module else None

    def create_module(self, spec: object) -> None:
        return None

    def exec_module(self, module: object) -> None:
        exec(self._code, vars(module))


def tests_of(game: str) -> list[str]:
    """The files that test a game, those with random tables last."""
    folder = ROOT / "tests" / "games" / game / "rules"
    files = sorted(folder.glob("test_*.py"), key=lambda path: "properties" in path.stem)
    shared = [ROOT / "tests" / name for name in ("rules/test_next_step.py", "records", "playthroughs")]
    return [str(path) for path in (*files[:-1], *shared, files[-1])]


def notices(mutant: Mutant | None, game: str, limit_s: float) -> None:
    """In a child process: run the game's tests on a mutant and end with status 0 when all of them pass in time."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    sys.path.insert(0, str(ROOT))
    signal.alarm(math.ceil(limit_s))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    if mutant is not None:
        sys.meta_path.insert(0, _Changed(mutant))
    arguments = [
        "-x",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(ROOT),
        "-k",
        game,
    ]
    status = pytest.main([*arguments, *tests_of(game)])
    os._exit(int(status))


def is_killed(mutant: Mutant | None, game: str, limit_s: float) -> bool:
    """Whether a test, or the clock, stops a mutant; None is the rules as they are."""
    child = multiprocessing.get_context("fork").Process(target=notices, args=(mutant, game, limit_s))
    child.start()
    child.join()
    return child.exitcode != 0


def mutants(game: str, only: str | None) -> list[Mutant]:
    """Every mutant of a game's files."""
    paths = [path for path in sorted((ROOT / RULES.format(game=game)).glob("[!_]*.py")) if only in (None, path.stem)]
    return [
        Mutant(path, number)
        for path in paths
        for number in range(len(list(changes(ast.parse(path.read_text(encoding="utf-8"))))))
    ]


def main() -> int:
    """Try the mutants of a game and say which survived."""
    parser = argparse.ArgumentParser(description="Make the rules slightly wrong and see whether a test notices.")
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("--sample", type=int, help="how many mutants, picked at random; all when left out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", metavar="MODULE", help="one file of the game, such as tableau")
    parser.add_argument("--limit-s", type=float, default=60.0)
    asked = parser.parse_args()
    settings.register_profile(
        "mutants",
        phases=[Phase.explicit, Phase.generate],
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("mutants")
    if is_killed(None, asked.game, asked.limit_s):
        print("the tests fail, or take too long, on the rules as they are")
        return 2
    every = mutants(asked.game, asked.only)
    tried = Random(asked.seed).sample(every, min(asked.sample or len(every), len(every)))
    begun, killed = time.perf_counter(), 0
    for mutant in sorted(tried, key=lambda one: (one.path, one.number)):
        if is_killed(mutant, asked.game, asked.limit_s):
            killed += 1
        else:
            print(f"survived  {mutant}", flush=True)
    seconds = time.perf_counter() - begun
    share = f"{killed} of {len(tried)} mutants killed ({killed / len(tried):.1%})"
    print(f"{asked.game}: {share} in {seconds:.0f} s; there are {len(every)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
