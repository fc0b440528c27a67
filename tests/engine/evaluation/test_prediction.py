"""Which columns can be predicted; what is said of them is tested with the measures."""

from __future__ import annotations

import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.measures.prediction import MOST_VALUES, check_target

SCHEMA = category_schema(2, 1, 51)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("c9", "no column “c9” to predict.*c0, c1, c2"),
        ("c1", "1 possible value"),
        ("c2", "51 possible value"),
    ],
)
def test_targets_that_cannot_be_predicted_are_refused(target: str, said: str) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        check_target(SCHEMA, target, MOST_VALUES)
    assert refused.value.field == "target"


def test_any_column_will_do_where_each_measure_looks_for_itself() -> None:
    for name in SCHEMA.names:
        check_target(SCHEMA, name)
    with pytest.raises(Refusal, match="no column “”"):
        check_target(SCHEMA, "")
