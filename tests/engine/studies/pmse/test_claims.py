"""By the printed numbers every claim is reproduced, and each is not where its numbers turn."""

from __future__ import annotations

from tests.engine.studies.tables import compared
from understudy.studies.comparison import Comparison
from understudy.studies.pmse.claims import claims
from understudy.studies.pmse.published import (
    BAYES,
    BOUNDS,
    EPSILONS,
    FIGURE_EPSILONS,
    HISTOGRAM,
    NON_DP,
    PRACTISED,
    TABLE_1,
    TABLE_2,
)


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
