"""Every claim holds, every printed error fails, every mutant is caught."""

from __future__ import annotations

import pytest

from understudy.assurance.finding import Check, Effort
from understudy.assurance.imputation import AUDIT
from understudy.assurance.imputation.claims import DELTAS, read_claim, universe, worst
from understudy.mechanisms.imputation.errata import ERRATA


@pytest.mark.parametrize("check", [*AUDIT.claims(), *AUDIT.mutants()], ids=lambda each: each.name)
def test_each_is_found_as_it_has_to_be(check: Check) -> None:
    found = check.find(Effort(0.5))
    assert found.passed, found


def test_the_figures_are_attained() -> None:
    """No smaller δ would hold for a single column."""
    of = universe("rows-from-one-draw", "three")
    assert worst(of, lambda delta: read_claim(of, delta), DELTAS[:2]).worst > 0.999


def test_laws_add_up() -> None:
    of = universe("imputations", "hangs", records=2, rows=1)
    for table in of.tables():
        assert of.law(table).sum() == pytest.approx(1.0)


def test_every_error_of_the_source_is_held_before_the_exact_law() -> None:
    """Those that promise or ask too much break; those that are only loose hold."""
    kinds = {each.name.split(": ")[-1]: each.kind for each in AUDIT.claims() if ": " in each.name}
    assert kinds == {
        each.number: "claim" if each.verdict == "loose" else "counter-example" for each in ERRATA
    }


def test_there_is_a_mutant_for_everything_that_is_broken_first() -> None:
    names = " ".join(each.name for each in AUDIT.mutants())
    for said in ("one direction", "prior from the records", "σ from the records", "bounds not"):
        assert said in names
