"""Every claim holds, every printed error fails, every mutant is caught."""

from __future__ import annotations

import pytest

from engine.audit.finding import Check, Effort
from engine.mechanisms.imputation.audit import AUDIT
from engine.mechanisms.imputation.audit.claims import DELTAS, claimed, universe
from engine.mechanisms.imputation.audit.universes import worst


@pytest.mark.parametrize("check", [*AUDIT.claims(), *AUDIT.mutants()], ids=lambda each: each.name)
def test_each_is_found_as_it_has_to_be(check: Check) -> None:
    found = check.find(Effort(0.5))
    assert found.passed, found


def test_the_figures_are_attained() -> None:
    """No smaller δ would hold for a single column."""
    of = universe("rows-from-one-draw", "three")
    assert worst(of, lambda delta: claimed(of, delta), DELTAS[:2]).worst > 0.999


def test_laws_add_up() -> None:
    of = universe("imputations", "hangs", records=2, rows=1)
    for table in of.tables():
        assert of.law(table).sum() == pytest.approx(1.0)
