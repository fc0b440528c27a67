"""One record more in a file moves a release by no more than one record does."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.engine.table.formats import write
from understudy.mechanisms.seedbased.learning import learn
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.omega import Omega
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.encoding import encode
from understudy.table.fitting import Policy
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy.table.sources.streamed import StreamedTable
from understudy.table.split import split

_ROWS = 400
_RELEASES = 12
_FIRST = datetime(2020, 1, 1)
_SCHEMA = Schema(
    columns=(
        Column(
            name="day",
            domain=Categories(values=tuple(f"2020-01-0{day}" for day in range(1, 5))),
            missing=True,
        ),
        Column(name="town", domain=Categories(values=("Ghent", "Trier"))),
    )
)
_POLICIES: dict[str, Policy] = {"day": "missing"}


def released(records: Records) -> list[float]:
    """The share of missing days in each of some releases at ε = 1."""
    plan = Plan.of(_SCHEMA, model=ModelPlan(kind="marginals"), omega=Omega(low=2, high=2))
    shares = []
    for seed in range(_RELEASES):
        source = Secret.fixed(seed).source("model")
        network = learn(plan, _SCHEMA, split(records, plan.shares, source), source).network
        assert isinstance(network, BayesianNetwork)
        made = network.records(_ROWS, RandomSource.fixed(seed))
        shares.append(float((made[:, 0] == 4).mean()))
    return shares


def encoded(kind: str, path: Path, moments: Sequence[datetime]) -> Records:
    towns = ["Ghent", "Trier"] * (len(moments) // 2) + ["Trier"] * (len(moments) % 2)
    ending = "parquet" if kind == "streamed" else kind
    file = write(
        ending, pd.DataFrame({"day": list(moments), "town": towns}), path / f"table.{ending}"
    )
    if kind == "streamed":
        table = StreamedTable.opened(file, _SCHEMA, _POLICIES)
        return Records(_SCHEMA, np.concatenate([each.codes for each in table.records()]))
    return encode(read_table(file), _SCHEMA, _POLICIES)


@pytest.mark.parametrize("kind", ["parquet", "streamed", "xlsx", "dta", "sav"])
def test_a_time_of_day_turns_no_other_day_into_a_missing_one(kind: str, tmp_path: Path) -> None:
    midnights = [_FIRST + timedelta(days=row % 4) for row in range(_ROWS)]
    without = encoded(kind, tmp_path, midnights)
    within = encoded(kind, tmp_path, [*midnights, _FIRST.replace(hour=10, minute=30)])
    assert within.counts(0).tolist() == [*without.counts(0)[:-1], 1]
    assert max(released(without)) < 0.5
    assert max(released(within)) < 0.5
