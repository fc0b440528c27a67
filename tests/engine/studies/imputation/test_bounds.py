"""The printed bounds beside ours, as a document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.studies.builders import numbered
from understudy.mechanisms.imputation import spending
from understudy.mechanisms.imputation.spending import WantedRelease
from understudy.privacy.budget import Budget
from understudy.studies.document import as_text
from understudy.studies.imputation import REPRODUCTIONS
from understudy.studies.reproduction import ReproductionRequest


@pytest.fixture(scope="module")
def document() -> Iterator[Any]:
    """Priors with a δ are searched for where the tests below look; every one of them takes long."""
    search = spending.least_strength

    def some(wanted: WantedRelease, budget: Budget) -> float:
        looked_at = wanted.cells == 2 and budget.epsilon == 1
        return search(wanted, budget) if looked_at else 1.0

    with pytest.MonkeyPatch.context() as hooks:
        hooks.setattr(spending, "least_strength", some)
        yield made()


def made() -> Any:
    def unread(path: Path, *_: Any) -> Any:
        raise AssertionError(f"{path} is read")

    asked = ReproductionRequest(
        True, 1, {}, "understudy reproduce imputation --quick", "2026-11-23", unread
    )
    (bounds,) = REPRODUCTIONS
    bounds.check(asked)
    return bounds.run(asked, lambda _: None)


@pytest.mark.thorough("test_the_reference_values_stand_beside_the_printed")
def test_all_of_it() -> None:
    the_reference_values_stand_beside_the_printed(made())


def test_the_reference_values_stand_beside_the_printed(document: Any) -> None:
    the_reference_values_stand_beside_the_printed(document)


def the_reference_values_stand_beside_the_printed(document: Any) -> None:
    tables = {each["name"]: each["entries"] for each in document.data["tables"]}
    ranges = {(e["Release"], e["n"], e["ε"]): e for e in tables["Figure 7.1"]}
    first = ranges["posterior-draw", "1,000", "1"]
    assert first["published"] == pytest.approx(6.016, abs=1e-3)
    assert first["ours"] == pytest.approx(3.743, abs=1e-3)
    assert "unsafe" in first["note"]
    priors = {
        (e["Release"], e["Categories"], e["ε"]): e["ours"] for e in tables["Figure 6.1, with a δ"]
    }
    assert priors["rows-from-one-draw", "2", "1"] == pytest.approx(7.58, rel=0.01)
    assert priors["posterior-draw", "2", "1"] == pytest.approx(24.5, rel=0.01)
    rules = [e for e in tables["Intervals"] if e["Rule"] == "this program's"]
    assert all(e["ours"] > 0.9 for e in rules)


def test_it_can_be_read(document: Any) -> None:
    text = as_text(document.sections)
    for words in ("Figure 6.1", "Figure 7.1", "7.12, 7.13", "unsafe", "strict"):
        assert words in text
    assert not document.internal
    (bounds,) = REPRODUCTIONS
    tables = [each["name"] for each in document.data["tables"]]
    assert numbered(tables) <= numbered(each.of for each in bounds.definitions())
