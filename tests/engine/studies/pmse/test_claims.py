"""By the printed numbers every claim is reproduced, and each is not where its numbers turn. The
printed numbers, digit for digit, and what is odd about them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.engine.studies.builders import compared, numbered
from understudy.core.refusal import Refusal
from understudy.studies.comparison import Comparison
from understudy.studies.document import as_text, write
from understudy.studies.pmse import evaluation, methods
from understudy.studies.pmse.claims import claims
from understudy.studies.pmse.common_practice import Rate, simulate_table
from understudy.studies.pmse.publication import (
    BAYES,
    BOUNDS,
    DOUBTED,
    EPSILONS,
    FIGURE_EPSILONS,
    HISTOGRAM,
    NON_DP,
    PRACTISED,
    TABLE_1,
    TABLE_2,
    VARIANCES,
)
from understudy.studies.pmse.tables import Tables
from understudy.studies.reproduction import ReproductionRequest


def tables() -> dict[str, dict[tuple[str, ...], float]]:
    """The printed numbers; errors, which were not printed, as the text has them."""
    errors = {}
    for epsilon in FIGURE_EPSILONS:
        for depth, error in ((1, 0.3), (2, 0.2), (5, 0.1)):
            errors[f"{epsilon:g}", f"{PRACTISED}, depth {depth}", "–", "slope"] = error
        errors[f"{epsilon:g}", PRACTISED, "–", "slope"] = 0.09
        for name in (BAYES, HISTOGRAM):
            for bound in BOUNDS:
                errors[f"{epsilon:g}", name, f"{bound:g}", "slope"] = bound
    pairs = [(f"{e:g}", name, at) for at, e in enumerate(EPSILONS) for name in TABLE_2]
    return {
        "Table 1": {
            ("unlimited" if depth is None else str(depth), f"{cp:g}"): value
            for (depth, cp), value in TABLE_1.items()
        },
        "Table 2": {(e, name): TABLE_2[name][at] for e, name, at in pairs},
        "Table 2, ratio": {
            (e, name): TABLE_2[name][at] / TABLE_2[NON_DP][at] for e, name, at in pairs
        },
        "Figures 2 and 4": errors,
    }


def judged(found: dict[str, dict[tuple[str, ...], float]]) -> list[bool | None]:
    made: list[Comparison] = [compared(name, each) for name, each in found.items()]
    return [each.holds for each in claims(made)]


def test_by_the_printed_numbers_all_are_reproduced() -> None:
    assert judged(tables()) == [True] * 9


def test_other_numbers_turn_them() -> None:
    for at, table, of, value in (
        (0, "Table 1", ("1", "0.01"), 0.1),
        (1, "Table 1", ("unlimited", "0.01"), 3.0),
        (3, "Table 2, ratio", ("1", PRACTISED), 9.0),
        (4, "Table 2, ratio", ("0.5", BAYES), 2.0),
        (5, "Table 2", ("4", HISTOGRAM), 0.5),
        (6, "Figures 2 and 4", ("1", f"{PRACTISED}, depth 5", "–", "slope"), 0.25),
        (7, "Figures 2 and 4", ("1", HISTOGRAM, "2", "slope"), 0.01),
        (8, "Figures 2 and 4", ("0.5", BAYES, "10", "slope"), 0.02),
    ):
        changed = tables()
        changed[table][of] = value
        assert judged(changed)[at] is False, at


def test_without_a_chain_nothing_is_said_of_it() -> None:
    found = tables()
    for each in found.values():
        for of in [of for of in each if any(cell.startswith(PRACTISED) for cell in of)]:
            del each[of]
    assert judged(found) == [True, True, None, None, True, None, None, None, True]


RATES = """
1          0.0 0.0
2          0.3 0.5
5          0.6 2.0
unlimited  0.7 2.5
"""
"""3.1: by depth, at cp = 0.01 and 0.001."""
NUMBERS = """
0.25  0.00660 0.09281 0.20509 0.08206   8.681e-07 1.347e-03 3.079e-03 2.826e-05
0.5   0.00663 0.03610 0.17876 0.05398   8.929e-07 8.020e-05 5.914e-03 1.809e-05
1     0.00661 0.02107 0.14372 0.03278   8.342e-07 1.648e-05 8.579e-03 1.069e-05
2     0.00660 0.01459 0.11177 0.01892   8.342e-07 1.648e-05 8.579e-03 1.069e-05
4     0.00660 0.01161 0.07919 0.01129   8.671e-07 3.329e-06 9.087e-03 5.964e-06
"""
"""3.3: by ε, mean and variance of each of `NAMES`."""
NAMES = (NON_DP, PRACTISED, BAYES, HISTOGRAM)


@pytest.mark.parametrize("line", RATES.strip().splitlines())
def test_table_1(line: str) -> None:
    depth, *rates = line.split()
    of = None if depth == "unlimited" else int(depth)
    assert [TABLE_1[of, cp] for cp in (0.01, 0.001)] == [float(each) for each in rates]


@pytest.mark.parametrize("line", NUMBERS.strip().splitlines())
def test_table_2(line: str) -> None:
    epsilon, *numbers = (float(each) for each in line.split())
    at = EPSILONS.index(epsilon)
    assert [TABLE_2[name][at] for name in NAMES] == numbers[:4]
    assert [VARIANCES[name][at] for name in NAMES] == numbers[4:]


def test_one_row_of_variances_is_printed_twice() -> None:
    """3.3: it is taken to be that of ε = 2."""
    assert DOUBTED == 2.0
    for name in NAMES:
        of = dict(zip(EPSILONS, VARIANCES[name], strict=True))
        assert of[1.0] == of[2.0]


def test_what_the_text_says_of_the_table_and_the_table_does_not() -> None:
    """3.3: variances are not larger at both ends, and at both ends the histogram has less pMSE."""
    for name in (PRACTISED, HISTOGRAM):
        assert list(VARIANCES[name]) == sorted(VARIANCES[name], reverse=True)
    assert list(VARIANCES[BAYES]) == sorted(VARIANCES[BAYES])
    best = [TABLE_2[HISTOGRAM][at] < TABLE_2[PRACTISED][at] for at in range(5)]
    assert best == [True, False, False, False, True]
    over = [TABLE_2[PRACTISED][at] / TABLE_2[NON_DP][at] for at in (2, 4)]
    assert over == pytest.approx([3, 2], abs=0.25)


def asked(**settings: int) -> ReproductionRequest:
    return ReproductionRequest(True, 1, settings, "understudy reproduce pmse", "2026-11-23", None)  # type: ignore[arg-type]


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
    declared = methods.study_schema(20)
    held = methods.truncate_table(table, declared)
    assert held.numbers is not None
    inside = np.abs((table - np.array([2, -1.5])) / np.array([10**0.5, 5.5**0.5])).max(axis=1) < 3.9
    assert held.numbers[inside] == pytest.approx(table[inside], abs=0.0051)


def test_the_practised_trees_are_tried_at_every_depth() -> None:
    names = [name for name, _, _ in evaluation._vary_methods(steps=1)]
    assert [name for name in names if "depth" in name] == [
        f"{PRACTISED}, depth {depth}" for depth in (1, 2, 5)
    ]
    assert not [name for name, _, _ in evaluation._vary_methods(steps=0) if "depth" in name]
