from __future__ import annotations

from engine.charts.public import public_pictures
from engine.mechanisms.pmse.stages import CERTAIN
from engine.mechanisms.registry import planned_run
from tests.engine.mechanisms.pmse.tables import plan, schema


def test_every_choice_has_its_signal_beside_what_it_needs() -> None:
    made = planned_run(plan(), schema())
    (found,) = public_pictures(made)
    stages = made.guarantee.account.stages
    assert len(found.table) == len(stages)
    assert (found.table["Signal"] > found.table.iloc[:, -1]).all()
    assert found.table.iloc[:, -1].tolist() == [each.volume + CERTAIN for each in stages]
    assert "age" in found.table["Choice"].iloc[2]
    assert "nats against" in found.said
    assert found.figure.to_dict()["mark"]


def test_there_is_none_while_the_number_of_records_is_unknown() -> None:
    assert not public_pictures(planned_run(plan(public_records=None), schema()))
