from __future__ import annotations

from tests.engine.mechanisms.pmse.tables import plan, schema
from understudy.charts.public import public_pictures
from understudy.mechanisms.pmse.choosing import CERTAIN
from understudy.mechanisms.registry import plan_run


def test_every_choice_has_its_signal_beside_what_it_needs() -> None:
    made = plan_run(plan(), schema())
    _, found = public_pictures(made)
    stages = made.guarantee.account.stages
    assert len(found.table) == len(stages)
    assert (found.table["What the records say"] > found.table.iloc[:, -1]).all()
    assert found.table.iloc[:, -1].tolist() == [each.volume + CERTAIN for each in stages]
    assert "age" in found.table["Choice"].iloc[2]
    assert "nats" not in found.said
    assert found.figure.to_dict()["mark"]


def test_there_is_none_while_the_number_of_records_is_unknown() -> None:
    assert not public_pictures(plan_run(plan(public_records=None), schema()))


def test_the_records_decide_more_surely_with_every_epsilon() -> None:
    made = plan_run(plan(), schema())
    found, each = public_pictures(made)
    assert found.foresees
    row = found.table.set_index("ε").loc[made.guarantee.total.epsilon]
    told = each.table["What the records say"] / each.table["What the choice takes"]
    assert row["The hardest choice"] == told.min()
    assert found.table["The hardest choice"].is_monotonic_increasing
    assert found.figure.to_dict()["layer"]
