"""A reproduction as plain values, for a JSON file."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from understudy.studies.claims import claims_data
from understudy.studies.seedbased import published
from understudy.studies.seedbased.beside import Beside
from understudy.studies.seedbased.report import (
    INTERNAL,
    Circumstances,
    claims,
    tables,
)
from understudy.studies.seedbased.results import Results


def as_dict(found: Results, told: Circumstances) -> dict[str, Any]:
    """Everything that was found, in percent where the published tables are."""
    evaluation = asdict(found.evaluation)
    return {
        **({} if told.census else {"internal": INTERNAL}),
        "table": told.table,
        "date": told.date,
        "command": told.command,
        "cut": told.cut,
        "described": asdict(found.described),
        "sizes": asdict(found.sizes),
        "setting": {
            **asdict(found.setting),
            "omegas": [str(omega) for omega in found.setting.omegas],
            "model_epsilon": published.MODEL_EPSILON,
            "delta": published.DELTA,
            "k": published.K,
            "gamma": published.GAMMA,
            "epsilon0": published.EPSILON0,
            "passing_gamma": published.PASSING_GAMMA,
        },
        "tables": [_table(each) for each in tables(found, told)],
        "claims": claims_data(claims(found), judged=told.census and not told.cut),
        "measured": evaluation["findings"],
        "passing": [asdict(each) for each in found.passing],
        "passing_examined": found.passing_limit.examined,
        "timed": {
            "omega": found.timed_omega,
            "indexing": found.indexing,
            "released": [asdict(each) for each in found.timed],
            "stopped": asdict(found.stopped),
        },
        "learning_seconds": found.learning,
        "seconds": found.seconds,
    }


def _table(each: Beside) -> dict[str, Any]:
    return {
        "name": each.table.name,
        "source": each.table.source,
        "columns": [
            {
                "quantity": column.quantity[0],
                "classifier": column.quantity[1],
                "rows": [{**asdict(line), "ratio": line.ratio} for line in column.lines],
            }
            for column in each.columns
        ],
    }
