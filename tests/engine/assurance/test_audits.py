"""Every claim holds, every printed error fails, every mutant is caught. Claims about moments hold,
are nearly attained, and every mutant is caught at little effort. What a noisy count of flags costs
holds, is attained, and every mutant is caught. Every claim holds by enumeration, and every mutant
is caught.
"""

from __future__ import annotations

import pytest

from understudy.assurance.check import Check, Effort
from understudy.assurance.imputation import AUDIT
from understudy.assurance.imputation.claims import (
    DELTAS,
    read_claim,
    tiny_universe,
    worst_divergence,
)
from understudy.assurance.latent.claims import (
    list_moment_checks,
    list_moment_mutants,
    list_ones_checks,
    list_ones_mutants,
)
from understudy.assurance.method_audits import Audit
from understudy.assurance.plausible_traces import AUDIT as PLAUSIBLE_TRACES_AUDIT
from understudy.assurance.pmse import AUDIT as PMSE_AUDIT
from understudy.mechanisms.imputation.errata import ERRATA


@pytest.mark.parametrize("check", [*AUDIT.claims(), *AUDIT.mutants()], ids=lambda each: each.name)
def test_each_is_found_as_it_has_to_be(check: Check) -> None:
    found = check.find(Effort(0.5))
    assert found.passed, found


def test_the_figures_are_attained() -> None:
    """No smaller δ would hold for a single column."""
    of = tiny_universe("rows-from-one-draw", "three")
    assert worst_divergence(of, lambda delta: read_claim(of, delta), DELTAS[:2]).worst > 0.999


def test_laws_add_up() -> None:
    of = tiny_universe("imputations", "hangs", records=2, rows=1)
    for table in of.tables():
        assert of.law(table).sum() == pytest.approx(1.0)


def test_every_error_of_the_source_is_held_before_the_exact_law() -> None:
    """Those that promise or ask too much break; those that are only loose hold."""
    kinds = {each.name.split(": ")[-1]: each.kind for each in AUDIT.claims() if ": " in each.name}
    assert kinds == {
        each.number: "claim" if each.verdict == "loose" else "counter-example" for each in ERRATA
    }


@pytest.mark.parametrize(
    ("audit", "words"),
    [
        (AUDIT, ("one direction", "prior from the records", "σ from the records", "bounds not")),
        (
            PMSE_AUDIT,
            ("greedy", "threshold", "bins", "whole ε", "from the data", "again", "stopped"),
        ),
    ],
    ids=["imputation", "pmse"],
)
def test_there_is_a_mutant_for_everything_that_is_broken_first(
    audit: Audit, words: tuple[str, ...]
) -> None:
    names = " ".join(each.name for each in audit.mutants())
    assert [word for word in words if word not in names] == []


LITTLE = Effort(times=0.34, seed=3)


@pytest.mark.parametrize(
    "check", [*list_moment_checks(), *list_ones_checks()], ids=lambda each: each.name
)
def test_claims_hold_and_are_nearly_attained(check: Check) -> None:
    found = check.find(LITTLE)
    assert found.passed
    assert found.measured.worst > 0.9


@pytest.mark.parametrize(
    "check", [*list_moment_mutants(), *list_ones_mutants()], ids=lambda each: each.name
)
def test_mutants_are_caught(check: Check) -> None:
    assert check.find(LITTLE).verdict == "caught"


CHECKS = (*PMSE_AUDIT.claims(), *PMSE_AUDIT.mutants())
_LITTLE = pytest.mark.thorough("test_claims_hold_and_mutants_are_caught")


@pytest.mark.parametrize("effort", [Effort(0.25, 3), pytest.param(Effort(0.02, 8), marks=_LITTLE)])
@pytest.mark.parametrize("check", CHECKS, ids=lambda each: each.name)
def test_claims_hold_and_mutants_are_caught(check: Check, effort: Effort) -> None:
    """Whatever the seed and however little is tried."""
    found = check.find(effort)
    assert found.passed, found


def test_these_are_what_is_printed_wrongly() -> None:
    assert [each.name for each in CHECKS if each.kind == "counter-example"] == [
        "as published: how far one record moves a greedy tree of depth two",
        "as published: how far one record moves a single split with cp = 0.01",
        "as published: how far one record moves a single split whose leaves need 50 records",
        "as published: a flat prior does not affect the utility",
    ]


def test_every_published_error_breaks() -> None:
    kinds = {each.name: each.kind for each in PMSE_AUDIT.claims() if "as published" in each.name}
    assert len(kinds) == 4
    assert set(kinds.values()) == {"counter-example"}


LESS = Effort(0.4)


@pytest.mark.parametrize(
    "check",
    [*PLAUSIBLE_TRACES_AUDIT.claims(), *PLAUSIBLE_TRACES_AUDIT.mutants()],
    ids=lambda each: each.name,
)
def test_claims_about_days_hold_and_mutants_are_caught(check: Check) -> None:
    found = check.find(LESS)
    assert found.passed, found.measured
