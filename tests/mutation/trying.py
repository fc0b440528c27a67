"""Try mutants: put each into a fork, and run the checks that reach it until one notices."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.applying import apply
from tests.mutation.loaded import REAL_RUNS, Loaded, Say, in_forks, limit
from tests.mutation.operators import Mutant
from tests.mutation.reach import Reach, by_function
from tests.mutation.results import Result

_WALL = 900.0


@dataclass(frozen=True)
class _Tried:
    """A mutant, the checks that are to be run, and whether they are all that reach it."""

    mutant: Mutant
    checks: tuple[str, ...]
    all: bool


class Checks:
    """Which checks to run for a mutant, and in which order."""

    def __init__(self, tests: dict[str, Reach]) -> None:
        self._tests = tests
        self._by_function = by_function(tests)
        self._by_module: dict[str, set[str]] = defaultdict(set)
        for (path, _), names in self._by_function.items():
            self._by_module[path].update(names)
        self._noticed: dict[str, Counter[str]] = defaultdict(Counter)

    def notice(self, mutant: Mutant, check: str) -> None:
        """Remember what noticed a mutant: it is asked first for others of the same module."""
        self._noticed[mutant.path][check] += 1

    def of(self, mutant: Mutant, before: Sequence[str], seconds: float) -> tuple[list[str], bool]:
        """Return the checks that reach a mutant and have not been run, the likeliest first, as many
        as there is time for; and whether these are all. Of the checks of real runs one is always
        run."""
        found = self._reaching(mutant) - set(before)
        noticed = self._noticed[mutant.path]
        own = f"tests/{mutant.path.rsplit('/', 1)[0]}/test_{Path(mutant.path).name}"

        def rank(name: str) -> tuple[int, bool, float]:
            return -noticed[name], not name.startswith(own), self._tests[name].seconds

        real = [name for name in found if name.startswith(REAL_RUNS)]
        always = min(real, key=self.seconds, default="")
        chosen: list[str] = []
        left = seconds
        for name in sorted(found, key=rank):
            cost = 0.0 if name == always else self.seconds(name)
            if cost <= left or not chosen:
                left -= cost
                chosen.append(name)
        return chosen, len(chosen) == len(found)

    def seconds(self, check: str) -> float:
        """Seconds of a processor that a check takes."""
        return self._tests[check].seconds

    def _reaching(self, mutant: Mutant) -> set[str]:
        if mutant.given:
            return set(self._by_module.get(mutant.path, ()))
        inner = f"{mutant.function}.<"
        return {
            name
            for (path, function), names in self._by_function.items()
            if path == mutant.path and (function == mutant.function or function.startswith(inner))
            for name in names
        }


def try_all(
    loaded: Loaded,
    checks: Checks,
    mutants: Iterator[Mutant],
    before: dict[str, Result],
    seconds: float,
    workers: int,
) -> Iterator[Result]:
    """Try mutants one after another.

    Args:
        loaded: all tests.
        checks: which of them reach what.
        mutants: what to try.
        before: what was found of some of them before.
        seconds: of a processor that the checks of one may take together.
        workers: how many at a time.
    """
    unreached: list[Result] = []

    def tried() -> Iterator[_Tried]:
        for mutant in mutants:
            earlier = before.get(mutant.key)
            ran = earlier.ran if earlier else []
            names, whole = checks.of(mutant, ran, seconds)
            if names:
                yield _Tried(mutant, tuple(names), whole)
            else:
                verdict = "survived" if ran else "unreached"
                unreached.append(Result(mutant.key, verdict, ran=ran))

    def job(each: _Tried, folder: Path, say: Say) -> None:
        loaded.alone(folder)
        apply(each.mutant, loaded.functions)
        for name in each.checks:
            say(("at", name))
            limit(3.0 + 8.0 * checks.seconds(name))
            if not loaded.passes(name):
                say(("caught", name))
                return
        say(("survived", ""))

    for each, heard, _ in in_forks(tried(), job, workers, _WALL):
        earlier = before.get(each.mutant.key)
        result = _result(each, heard, earlier.ran if earlier else [])
        if result.verdict == "caught":
            checks.notice(each.mutant, result.by)
        yield result
        yield from unreached
        unreached.clear()
    yield from unreached


def _result(each: _Tried, heard: list[tuple[str, str]], before: list[str]) -> Result:
    """A process that ended without a word about its check has been noticed by that check."""
    key = each.mutant.key
    at = [name for word, name in heard if word == "at"]
    word, what = heard[-1] if heard else ("broken", "The process ended at once.")
    if word == "survived":
        return Result(key, "survived", ran=[*before, *at], all=each.all)
    if word == "broken" and not at:
        return Result(key, "broken", by=what)
    return Result(key, "caught", by=at[-1])
