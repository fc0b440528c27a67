from __future__ import annotations

from tests.engine.mechanisms.plausible_traces.town import plan
from tests.engine.models.mobility.town import schema
from understudy.charts.public import public_pictures
from understudy.mechanisms.plausible_traces.forecast import foreseen
from understudy.mechanisms.plausible_traces.guarantee import promise
from understudy.mechanisms.plausible_traces.plan import KEPT
from understudy.mechanisms.registry import plan_run
from understudy.report.papers import papers_of

ASKED = plan(
    epsilon=1.0, delta=1e-6, k=None, epsilon0=None, seeds_at_least=4_000, public_people=None,
    attempts=70,
)  # fmt: skip


def test_days_that_come_out_by_attempts() -> None:
    (found,) = public_pictures(plan_run(ASKED, schema()))
    row = found.table.set_index("Attempts").loc[70]
    made = promise(ASKED)
    assert row["k"] == made.test.k
    assert row[KEPT["pattern"]] == round(foreseen(ASKED, made), 1)
    assert (found.table[KEPT["outline"]] >= found.table[KEPT["hours"]]).all()
    assert found.table["k"].is_monotonic_increasing
    # A thousand attempts would need a larger k than there are certain seeds.
    assert found.table["Attempts"].max() < 5_000
    assert "about" in found.said
    assert found.figure.to_dict()["mark"]


def test_papers_say_which_test_follows() -> None:
    told = {
        each.name: each.value
        for each in papers_of("plausible-traces").settings(plan_run(ASKED, schema()))
    }
    made = promise(ASKED)
    assert told["k of the test"] == f"{made.test.k:,}"
    assert told["ε0 of the test"] == f"{made.test.epsilon0:g}"
    assert told["What is kept of a real person's day"] == KEPT["pattern"]
