from __future__ import annotations

import pytest

from tests.support import category_schema
from understudy.mechanisms.latent.mechanism import MECHANISM
from understudy.table.pictures.declared import Pictures


@pytest.mark.parametrize(("side", "width"), [(2, 3), (4, 15), (8, 16)])
def test_pictures_begin_with_principal_directions(side: int, width: int) -> None:
    plan = MECHANISM.default_plan(Pictures(height=side, width=side).described())
    assert (plan.model, plan.width) == ("principal", width)


def test_flags_begin_with_factors() -> None:
    assert MECHANISM.default_plan(category_schema(*[2] * 12)).model == "factors"
