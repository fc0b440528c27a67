"""By the printed numbers every claim is reproduced, and each is not where its numbers turn."""

from __future__ import annotations

import numpy as np

from tests.engine.studies.tables import compared
from understudy.studies.traces.claims import claims
from understudy.studies.traces.evaluation import TOPS
from understudy.studies.traces.published import (
    ALIKE,
    COVERED,
    FAKES,
    RANDOM,
    REAL,
    SINGLE,
    TABLE_7_1,
    TABLE_7_2,
    UNIFORM,
)
from understudy.studies.traces.setting import NUMBERS, OWN, POPULAR, WALK

Tables = dict[str, dict[tuple[str, ...], float]]
LINE = np.linspace(0.3, 0.9, 435)


def tables() -> Tables:
    """The printed numbers, and others as the text has them."""
    missed = {FAKES: 0.95, OWN: 0.9, WALK: 0.4, POPULAR: 0.2, UNIFORM: 0.1}
    sent = {FAKES: 0.7, OWN: 0.6, WALK: 0.9, POPULAR: 0.9, UNIFORM: 1.0}
    covered: dict[tuple[str, ...], float] = {(FAKES, "least"): COVERED[FAKES][0]}
    for n in TOPS:
        covered |= {(FAKES, f"top {n}"): 0.8, (UNIFORM, f"top {n}"): 0.2}
    return {
        "Figure 7.2": {("sim_G", "50 %"): 0.01, ("sim_S", "50 %"): 0.8},
        "Table 7.1": dict(TABLE_7_1),
        "Figure 7.4": covered,
        "Table 7.2": {
            (rank, kind): values[at]
            for at, rank in enumerate(("1st", "2nd", "3rd"))
            for kind, values in TABLE_7_2.items()
        },
        "Aggregates": {(FAKES, "steps"): ALIKE[0], (FAKES, "places"): ALIKE[1]},
        "Figures 7.6 to 7.8": {("sim_S of a seed and its fake, mean", "–"): 0.8},
        "Figure 7.9, privacy": {
            (kind, str(n), "naive"): each for kind, each in missed.items() for n in NUMBERS
        },
        "Figure 7.9, cost": {
            (kind, str(n), "locations"): each * n for kind, each in sent.items() for n in NUMBERS
        },
    }


def judged(found: Tables, fakes: np.ndarray = LINE**2) -> list[bool | None]:
    made = [compared(name, each) for name, each in found.items()]
    return [each.holds for each in claims(made, LINE, fakes)]


def test_by_the_printed_numbers_all_are_reproduced() -> None:
    assert judged(tables()) == [True] * 12


def test_other_numbers_turn_them() -> None:
    number = str(NUMBERS[1])
    for at, table, of, value in (
        (0, "Figure 7.2", ("sim_G", "50 %"), 0.4),
        (1, "Table 7.1", ("KL divergence, nats", REAL), 0.5),
        (2, "Table 7.1", ("Relative error", SINGLE), 0.3),
        (3, "Figure 7.4", (FAKES, "least"), 0.0),
        (4, "Table 7.2", ("2nd", RANDOM), 0.001),
        (6, "Aggregates", (FAKES, "places"), 0.47),
        (7, "Figures 7.6 to 7.8", ("sim_S of a seed and its fake, mean", "–"), 0.4),
        (9, "Figure 7.9, privacy", (WALK, number, "naive"), 0.97),
        (10, "Figure 7.9, privacy", (WALK, number, "naive"), 0.93),
        (11, "Figure 7.9, cost", (FAKES, number, "locations"), 50.0),
    ):
        changed = tables()
        changed[table][of] = value
        assert judged(changed)[at] is False, at
    further = tables()
    further["Table 7.2"] |= {(rank, REAL): 0.0 for rank in ("1st", "2nd", "3rd")}
    assert judged(further)[5] is False
    assert judged(tables(), np.where(LINE > 0.5, 1.0, LINE * 0))[8] is False
