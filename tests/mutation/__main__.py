"""Mutate what decides noise, and see whether the audit and the tests notice.

`python -m tests.mutation` tries every mutant that has not been tried, of all methods or of some,
and goes on where it stopped. With `--sample` it tries so many of each module. It ends with status 1
where one survives that is not listed.

`--room ROOM` breaks lines at random anywhere in a room of the engine, whether or not noise depends
on them, and counts how many the room's own tests catch.

mutmut and cosmic-ray, which do the same for any program, start an interpreter for every mutant and
run one command of tests; here that alone would be twelve seconds each, for thousands. They know
neither a tape, an allowance nor a mask of records, and cannot ask the checks that reach a function.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.mutation import results
from tests.mutation.applying import ROOT, source
from tests.mutation.loaded import CHECKS, Loaded, load
from tests.mutation.operators import FIRST, Mutant, mutants_of
from tests.mutation.reach import measure
from tests.mutation.results import Result, draw, listed
from tests.mutation.scope import MUTATED
from tests.mutation.telling import tabulate, tell, write
from tests.mutation.trying import Checks, try_all


def main() -> int:
    """Try, or tell what is known."""
    asked = _asked()
    if asked.room:
        return _break_rooms(asked)
    chosen = [
        path
        for part in asked.module or [""]
        for path, method in MUTATED.items()
        if part in path and (not asked.method or method in asked.method)
    ]
    mutants = [each for path in chosen for each in mutants_of(path, source(path))]
    if asked.kind:
        mutants = [each for each in mutants if each.operator in asked.kind]
    if asked.change:
        mutants = [each for each in mutants if each.text in asked.change]
    drawn = draw(mutants, asked.sample, asked.seed) if asked.sample else mutants
    todo = list(_todo(drawn, asked))
    if todo and not asked.tell:
        print(f"{len(todo)} mutants to try.", flush=True)
        load(lambda loaded: _try(loaded, todo, asked), asked.checks or CHECKS)
    known = results.read(asked.folder)
    status = tell(drawn, known)
    if asked.sample:
        table = tabulate(mutants, drawn, known, f"{asked.sample} of each module, seed {asked.seed}")
        print(f"\n{table}", end="")
        if asked.write:
            write(table, asked.write)
    return status


def _break_rooms(asked: argparse.Namespace) -> int:
    """Break lines of each room, and print how many its own tests caught."""
    for room in asked.room:
        files = sorted((ROOT / "engine/understudy" / room).rglob("*.py"))
        paths = [str(file.relative_to(ROOT)) for file in files]
        chosen = [each for path in paths for each in mutants_of(path, source(path))]
        drawn = Random(asked.seed).sample(chosen, min(asked.sample or 20, len(chosen)))
        folder = asked.folder / "rooms" / room
        asked_here = argparse.Namespace(**{**vars(asked), "folder": folder})
        todo = [each for each in drawn if _open(results.read(folder).get(each.key), again=False)]
        if todo:
            checks = [f"tests/engine/{room}"]
            load(lambda loaded, todo=todo, here=asked_here: _try(loaded, todo, here), checks, ())
        known = results.read(folder)
        caught = [each for each in drawn if known[each.key].verdict == "caught"]
        print(f"{room}: {len(caught)} of {len(drawn)} caught")
        for each in drawn:
            if each not in caught:
                print(f"  {each.path}:{each.line} {each.text} ({known[each.key].verdict})")
    return 0


def _asked() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    options.add_argument("--method", action="append", help="only modules of this method; repeat it")
    options.add_argument("--module", action="append", help="only modules whose path has this in it")
    options.add_argument("--room", action="append", help="break lines of this room; repeat it")
    options.add_argument("--seconds", type=float, default=8.0, help="a mutant's checks may take")
    options.add_argument("--workers", type=int, default=2, help="mutants at a time")
    options.add_argument("--again", action="store_true", help="survivors too, with further checks")
    options.add_argument("--sample", type=int, default=0, help="so many of each module")
    options.add_argument("--seed", type=int, default=1, help="which sample")
    options.add_argument("--write", type=Path, help="a page whose table of a sample is replaced")
    options.add_argument("--kind", action="append", choices=FIRST, help="only changes of this kind")
    options.add_argument("--change", action="append", help="only a mutant that reads so")
    options.add_argument("--checks", action="append", help="only tests of this file or folder")
    options.add_argument("--folder", type=Path, default=results.FOLDER, help="for what is found")
    options.add_argument("--as-measured", action="store_true", help="measure new tests only")
    options.add_argument("--tell", action="store_true", help="only tell what is known")
    return options.parse_args()


def _todo(mutants: list[Mutant], asked: argparse.Namespace) -> Iterator[Mutant]:
    """What has not been tried, what concerns noise most first; of each module in an order that is
    always the same."""
    known, passed = results.read(asked.folder), listed()
    by_module: dict[str, list[Mutant]] = {}
    for each in mutants:
        by_module.setdefault(each.path, []).append(each)
    for path, those in by_module.items():
        Random(path).shuffle(those)
        those.sort(key=lambda each: FIRST.index(each.operator))
        for each in those:
            if passed.reason(each) or not _open(known.get(each.key), again=asked.again):
                continue
            yield each


def _open(known: Result | None, *, again: bool) -> bool:
    if known is None or known.verdict == "broken":
        return True
    return again and known.verdict != "caught"


def _try(loaded: Loaded, todo: list[Mutant], asked: argparse.Namespace) -> None:
    changed = not asked.as_measured
    checks = Checks(measure(loaded, asked.workers, asked.folder, changed=changed))
    before = results.read(asked.folder)
    tried = try_all(loaded, checks, iter(todo), before, asked.seconds, asked.workers)
    for at, each in enumerate(tried):
        results.keep([each], asked.folder)
        if at % 100 == 0:
            print(f"{at} of {len(todo)} tried", flush=True)


if __name__ == "__main__":
    sys.exit(main())
