"""Measure which functions of the engine each test reaches, and how long it takes."""

from __future__ import annotations

import ast
import hashlib
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from tests.mutation.applying import ROOT
from tests.mutation.loaded import Loaded, Say, in_forks, limit, reached

_NAME: Final = "reach.pickle"
_LONGEST: Final = 60.0


@dataclass(frozen=True)
class Reach:
    """What is known of a test.

    Attributes:
        seconds: of a processor.
        functions: what it reaches, each a file and a qualified name.
        mark: of the file that it stands in, and of the functions that the files it reaches have.
    """

    seconds: float
    functions: frozenset[tuple[str, str]]
    mark: str


def known(folder: Path) -> dict[str, Reach]:
    """Return what was measured before."""
    file = folder / _NAME
    rows = pickle.loads(file.read_bytes()) if file.exists() else {}
    return {name: Reach(*row) for name, row in rows.items()}


def measure(
    loaded: Loaded, workers: int, folder: Path, *, changed: bool = True
) -> dict[str, Reach]:
    """Measure tests that are new, and where `changed` those whose files have changed since, or that
    reach files whose functions are named otherwise now; return all."""
    before = known(folder)
    found = {
        name: test
        for name, test in before.items()
        if name in loaded.items and (not changed or test.mark == _mark(name, test.functions))
    }
    missing = [name for name in loaded.items if name not in found]

    def job(name: str, own: Path, say: Say) -> None:
        loaded.alone(own)
        limit(_LONGEST)
        say(reached(lambda: loaded.passes(name)))

    for at, (name, heard, _) in enumerate(in_forks(iter(missing), job, workers, 10 * _LONGEST)):
        passed, seconds, functions = (
            heard[0] if heard and heard[0][0] != "broken" else (False, 0.0, frozenset())
        )
        reaches = functions if passed else frozenset()
        found[name] = Reach(seconds, reaches, _mark(name, reaches))
        if at % 100 == 0:
            print(f"{at} of {len(missing)} tests measured", flush=True)
            _keep(found, folder)
    _keep(found, folder)
    return found


def _mark(name: str, functions: frozenset[tuple[str, str]]) -> str:
    files = (name.split("::")[0], *sorted({path for path, _ in functions}))
    return hashlib.sha256("".join(map(_mark_of, files)).encode()).hexdigest()


@cache
def _mark_of(path: str) -> str:
    """Return what is to stay the same of a file: all of a test's, and of another the names of its
    functions. What a function does may change, and it is reached as before."""
    file = ROOT / path
    if not file.exists():
        return "gone"
    if path.startswith("tests/"):
        return hashlib.sha256(file.read_bytes()).hexdigest()
    if not path.endswith(".py"):
        return "a template"
    return repr(sorted(_names(ast.parse(file.read_bytes()), "")))


def _names(tree: ast.AST, inside: str) -> Iterator[str]:
    for each in ast.iter_child_nodes(tree):
        name = inside
        if isinstance(each, ast.ClassDef | ast.FunctionDef):
            name = f"{inside}{each.name}."
            yield name
        yield from _names(each, name)


def _keep(found: dict[str, Reach], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{_NAME}.part"
    rows = {name: (each.seconds, each.functions, each.mark) for name, each in found.items()}
    part.write_bytes(pickle.dumps(rows))
    part.replace(folder / _NAME)


def by_function(tests: dict[str, Reach]) -> dict[tuple[str, str], list[str]]:
    """The tests that reach each function, the quickest first."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, test in sorted(tests.items(), key=lambda each: each[1].seconds):
        for function in test.functions:
            found.setdefault(function, []).append(name)
    return found
