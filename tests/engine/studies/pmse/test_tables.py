from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.engine.studies.numbered import numbered
from understudy.core.refusal import Refusal
from understudy.studies.document import as_text, write
from understudy.studies.pmse import evaluation, methods
from understudy.studies.pmse.practised import Rate, simulate_table
from understudy.studies.pmse.published import (
    BAYES,
    EPSILONS,
    HISTOGRAM,
    NON_DP,
    PRACTISED,
    TABLE_1,
    TABLE_2,
)
from understudy.studies.pmse.tables import Tables
from understudy.studies.reproduction import Asked


def asked(**settings: int) -> Asked:
    return Asked(True, 1, settings, "understudy reproduce pmse", "2026-11-23", None)  # type: ignore[arg-type]


def test_every_published_number_stands_beside_ours_and_the_figures_are_drawn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With methods that give the real table back, which no tree tells from itself."""

    def same(table: np.ndarray, epsilon: float, random: np.random.Generator) -> np.ndarray:
        return table

    names = [*TABLE_2, methods.SAFE, methods.CALIBRATED]
    monkeypatch.setattr(evaluation, "methods", lambda steps: dict.fromkeys(names, same))
    monkeypatch.setattr(evaluation, "EPSILONS", EPSILONS[:3])
    monkeypatch.setattr(evaluation, "simulate_table", lambda random: simulate_table(random, 300))
    moved = Rate(1, 0.01, 0.5, 0.1, 0.1, np.array([0.0001, -0.1]))
    monkeypatch.setattr(evaluation, "rates", lambda times, random: (moved,))
    monkeypatch.setattr(evaluation, "LEAF", 10_000)
    with np.errstate(invalid="ignore"):
        found = Tables().run(asked(repeats=2), lambda _: None)
    tables = {each["name"]: each for each in found.data["tables"]}
    by = {(each["ε"], each["Method"]): each for each in tables["Table 2"]["entries"]}
    for name, numbers in TABLE_2.items():
        assert [by[f"{e:g}", name]["published"] for e in EPSILONS[:3]] == list(numbers[:3])
        assert by["1", name]["ours"] == 0
    assert by["1", methods.SAFE]["published"] is None
    figures = tables["Figures 2 and 4"]["entries"]
    assert [each["ours"] for each in figures[:4]] == [0.0] * 4
    found_bounds = {(each["Method"], each["Bounds"]) for each in figures}
    for name in (BAYES, HISTOGRAM, "K-norm, coefficients only"):
        assert {bound for of, bound in found_bounds if of == name} == {"2", "4", "5", "10"}
    assert (NON_DP, "–") in found_bounds
    spread = {(each["ε"], each["Method"]): each for each in tables["Table 2, variance"]["entries"]}
    assert spread["1", NON_DP]["published"] == pytest.approx(0.8342)
    assert spread["1", NON_DP]["ours"] == 0
    assert numbered(tables) <= numbered(each.of for each in Tables().definitions())
    assert "Pairs" in as_text(found.sections)
    drawn = {each.name: each for each in found.pictures}
    assert list(drawn) == [f"figure-{number}" for number in range(1, 5)]
    assert list(drawn["figure-1"].numbers["beyond 1/n"]) == [False, True]
    assert set(drawn["figure-3"].numbers["line"]) == set(names)
    files = write(found.pictures, tmp_path, internal=False)
    assert all("</svg>" in each.read_text(encoding="utf-8") for each in files[::2])
    assert len(TABLE_1) == 8


def test_a_quick_run_of_given_numbers_alone_is_refused() -> None:
    with pytest.raises(Refusal, match="--quick says nothing"):
        Tables().check(asked(changes=5, repeats=2, steps=1))
    Tables().check(asked(changes=5, repeats=2))


@pytest.mark.parametrize("settings", [{"changes": 0}, {"repeats": 0}, {"steps": -1}])
def test_nothing_is_not_tried(settings: dict[str, int]) -> None:
    with pytest.raises(Refusal, match="Nothing would be tried"):
        Tables().check(asked(**settings))


def test_the_safe_and_the_calibrated_make_tables_of_the_same_size() -> None:
    random = np.random.default_rng(3)
    table = simulate_table(random, 1000).values
    made = methods.safe(table, 8.0, random, candidates=800, rounds=1)
    assert made.shape == table.shape
    assert made.mean(axis=0) == pytest.approx(table.mean(axis=0), abs=1.5)


def test_a_method_does_its_search_on_a_table_of_the_schema() -> None:
    table = simulate_table(np.random.default_rng(3), 200).values
    declared = methods.schema(20)
    held = methods.as_records(table, declared)
    assert held.numbers is not None
    inside = np.abs((table - np.array([2, -1.5])) / np.array([10**0.5, 5.5**0.5])).max(axis=1) < 3.9
    assert held.numbers[inside] == pytest.approx(table[inside], abs=0.0051)


def test_the_practised_trees_are_tried_at_every_depth() -> None:
    names = [name for name, _, _ in evaluation._vary_methods(steps=1)]
    assert [name for name in names if "depth" in name] == [
        f"{PRACTISED}, depth {depth}" for depth in (1, 2, 5)
    ]
    assert not [name for name, _, _ in evaluation._vary_methods(steps=0) if "depth" in name]
