"""The checks that each method brings to the audit, and the list of all of them.

The folder of a method here has an object `AUDIT`. An installed package names each of its own
under the entry points “understudy.audits”.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

import understudy.assurance
from understudy.assurance.check import Check
from understudy.assurance.real_runs import Runs
from understudy.mechanisms import companions
from understudy.privacy.randomness import RandomSource

GROUP: Final = "understudy.audits"


def _none() -> tuple[Check, ...]:
    return ()


def _none_sampled(source: RandomSource, miss: float) -> tuple[Check, ...]:
    return ()


@dataclass(frozen=True)
class Audit:
    """The checks of a method.

    Attributes:
        claims: what has to hold, computed exactly on tiny universes.
        mutants: the method broken on purpose (`Check.mutant`), each of which must be caught.
        sampled: what is counted of real runs: from where they draw, and the chance that any one
            bound on a sound method may be wrong, to claims and mutants.
        runs: its runs as they are; None where it brings none.
    """

    claims: Callable[[], tuple[Check, ...]] = _none
    mutants: Callable[[], tuple[Check, ...]] = _none
    sampled: Callable[[RandomSource, float], tuple[Check, ...]] = _none_sampled
    runs: Runs | None = None


@cache
def audits() -> tuple[Audit, ...]:
    """Of every method that brings one, this program's first."""
    own = companions.load_from_folders(understudy.assurance, "AUDIT")
    return (*own, *(each for _, each in companions.load_installed(GROUP)))


def runs() -> tuple[Runs, ...]:
    """Return the runs of every method that brings some."""
    return tuple(each.runs for each in audits() if each.runs is not None)


def run_checks() -> tuple[Check, ...]:
    """Return what has to hold of them."""
    return tuple(check for each in runs() for check in each.checks())


def run_mutants() -> tuple[Check, ...]:
    """Return the same checks of runs that are broken."""
    return tuple(check for each in runs() for check in each.mutants())
