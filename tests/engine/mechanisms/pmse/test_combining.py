"""What several tables say together, from the tables alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.engine.mechanisms.pmse.tables import plan, records, schema
from understudy.mechanisms.outputs import ResumePoint
from understudy.mechanisms.pmse.combining import Estimate, combine_estimates, combine_tables
from understudy.mechanisms.pmse.mechanism import COMBINED, MECHANISM
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.workers import Workers
from understudy.privacy.randomness import Secret
from understudy.table.records import Records


def test_the_interval_is_that_of_the_scatter_between_tables() -> None:
    """q = 1, 2, 3: b = 1, t of 97.5 % at two degrees of freedom is 4.3027."""
    found = combine_estimates([Estimate(1.0, 0.2), Estimate(2.0, 0.3), Estimate(3.0, 0.4)])
    assert (found.value, found.between) == (2.0, 1.0)
    assert found.within == pytest.approx(0.3)
    assert found.high - 2.0 == pytest.approx(4.30265 * math.sqrt(4 / 3), rel=1e-5)
    assert found.low + found.high == pytest.approx(4.0)


def test_tables_that_agree_leave_nothing_between() -> None:
    real = records()
    said = combine_tables(schema(), [[real], [real]])
    assert said["tables"] == 2
    height, age, kind = said["of"]
    assert real.numbers is not None
    assert height["mean"]["estimate"] == pytest.approx(real.numbers.mean(), rel=1e-5)
    assert height["mean"]["within"] == pytest.approx(real.numbers.var(ddof=1) / 800, rel=1e-4)
    assert age["mean"]["estimate"] == pytest.approx(18 + real.codes[:, 1].mean(), rel=1e-5)
    shares = np.bincount(real.codes[:, 2], minlength=3) / 800
    assert [each["estimate"] for each in kind["shares"]] == pytest.approx(shares, rel=1e-5)
    assert [each["is"] for each in kind["shares"]] == ["a", "b", "c"]
    for each in (height["mean"], age["mean"], *kind["shares"]):
        assert each["between"] == 0
        assert each["low"] == each["estimate"] == each["high"]


def test_pieces_add_up() -> None:
    real = records()
    halves = [real.take(np.arange(300)), real.take(np.arange(300, 800))]
    ours, whole = (
        combine_tables(schema(), [each, [real]])["of"][0]["mean"] for each in (halves, [real])
    )
    assert ours["estimate"] == whole["estimate"]
    assert ours["within"] == whole["within"]
    assert ours["between"] == pytest.approx(0.0, abs=1e-20)


def test_it_is_of_the_tables_that_are_released() -> None:
    made = plan_run(plan(draws=3, epsilon=60.0, rows=250, locating=0.5), schema())
    secret, real = Secret.fixed(2), records()
    state = MECHANISM.begin(made, real, secret, None)
    chunks = list(MECHANISM.release(made, real, state, secret, Workers(), ResumePoint()))
    assert chunks[-1].output == COMBINED
    assert chunks[-1].done == MECHANISM.steps(made.plan)
    tables = [[each.content] for each in chunks if isinstance(each.content, Records)]
    assert len(tables) == 3
    assert chunks[-1].content == combine_tables(schema(), tables)
    assert "not calibrated" in chunks[-1].content["note"]
    again = list(
        MECHANISM.release(made, real, state, secret, Workers(), ResumePoint(chunks[-2].reached))
    )
    assert [each.content for each in again] == [chunks[-1].content]


def test_one_model_has_nothing_to_combine() -> None:
    made = plan_run(plan(), schema())
    assert COMBINED not in {each.name for each in made.outputs}
