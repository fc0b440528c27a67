"""How near a plan will come, as a picture that may be published: from public numbers alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np

from understudy.charts.expected_error import column_bars, columns_table
from understudy.charts.public import PictureShape, PublicPicture
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.seedbased.foresight import (
    foresee_run,
    levels_in_words,
    nearness_in_words,
    unrelated_columns,
)
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.prediction import Predicted

_MOST: Final = 40


def pictures(decided: PlannedRun[Plan]) -> Iterator[PublicPicture]:
    """Yield one, where the number of records is public and the model is one of this program's."""
    found = foresee_run(decided)
    if found is None:
        return
    titles = [column.title or column.name for column in decided.schema.columns]
    worst = np.argsort(-found.each_column, kind="stable")[:_MOST]
    table = columns_table(titles, found).iloc[worst].reset_index(drop=True)
    yield PublicPicture(
        name="nearness",
        title="How far off each column will be, foreseen",
        said=_describe_picture(decided, found),
        draw=partial(column_bars, titles, found),
        table=table,
        alt="Bars for each column: how far off noise and chance will put it, the farthest first.",
        shape=PictureShape("pairs", "Column", ("Expected together (%)", "By chance, expected (%)")),
        foresees=True,
        in_short=_in_short(decided, found),
    )


def _in_short(decided: PlannedRun[Plan], found: Predicted) -> str:
    """Return the same in two sentences."""
    said = (
        "1 % means that 1 row in 100 would have to change to agree with the confidential table. "
        "Foreseen from public numbers; no record was looked at."
    )
    return f"{said} {unrelated_columns(found, decided.plan, decided.schema)}".strip()


def _describe_picture(decided: PlannedRun[Plan], found: Predicted) -> str:
    """Return what the picture means, and what the table will not be good for."""
    plan = decided.plan
    said = (
        "Worked out from the settings and the number of records that is public knowledge, without "
        "looking at any record. A bar is what is expected; 1 % means that 1 row in 100 would have "
        f"to change to agree with the confidential table. {nearness_in_words(found)}"
    ).strip()
    levels = levels_in_words(found, decided.schema)
    if not plan.model.about.relates:
        said += " Each column is learned by itself: relations between columns are lost."
        return f"{said} {levels}".strip()
    pairs = len(found.each_pair)
    if 0 < found.counted < pairs:
        said += f" {found.counted:,} of {pairs:,} pairs can be counted."
    lost = unrelated_columns(found, plan, decided.schema)
    return " ".join(each for each in (said, lost, levels) if each)
