"""Evaluations: what a release kept and lost. Internal."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from understudy.core.showing import Shown, ShowsItself
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.findings_in_words import (
    INTERNAL,
    better_in_words,
    is_of_tables,
    table_heads,
    value_in_words,
)
from understudy.evaluation.registry import about
from understudy.front.releases import FinishedRun, follow, run_folder
from understudy.front.tables import ConfidentialTable, table_read_by
from understudy.runs.evidence import encode_as_run, plan_and_schema
from understudy.runs.inquiry import REPEATS, ask, evaluation_of
from understudy.runs.watched import Progress

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Findings(ShowsItself):
    """What was measured of a run. Internal: computed from confidential records without noise.

    Attributes:
        run: the run's name.
        evaluation: all findings, with their intervals and parts.
    """

    run: str
    evaluation: Evaluation

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per measure and table: its value and its interval. Internal."""
        import pandas as pd

        rows = [
            {
                "measure": finding.key,
                "group": about(finding.key).group,
                "of": name,
                "value": measured.value,
                "low": None if measured.interval is None else measured.interval.low,
                "high": None if measured.interval is None else measured.interval.high,
            }
            for finding in self.evaluation.findings
            for name, measured in finding.by_subject.items()
        ]
        return pd.DataFrame(rows, columns=["measure", "group", "of", "value", "low", "high"])

    def shown(self) -> Shown:
        """Return what it shows of itself."""
        heads = table_heads(self.evaluation)
        findings = [each for each in self.evaluation.findings if is_of_tables(each)]
        rows = [
            [
                about(each.key).name,
                better_in_words(about(each.key)),
                *(value_in_words(each.by_subject.get(name), with_interval=False) for name in heads),
            ]
            for each in findings
        ]
        return Shown(
            f"Evaluation of the run “{self.run}”",
            head=("", "better", *heads.values()),
            rows=rows,
            remarks=[INTERNAL, *self.evaluation.remarks],
        )


def evaluate(
    run: FinishedRun | str | os.PathLike[str],
    table: ConfidentialTable | str | os.PathLike[str] | pd.DataFrame,
    *,
    target: str | None = None,
    repeats: int = REPEATS,
    on_progress: Callable[[Progress], None] | None = None,
) -> Findings:
    """Measure what a run kept and lost, and wait for it. Nothing is released and nothing spent.

    Everything measured is computed from confidential records without noise: it is internal.

    Args:
        run: what `synthesize` returned, or a run's name or folder.
        table: the confidential table that it was made from.
        target: the column that classifiers predict; the last with 2 to 20 values if left out.
        repeats: how often what is random is repeated for the intervals.
        on_progress: called now and then with how far it is.

    Raises:
        Refusal: there is no such run, this is not its table, or the column cannot be predicted.
        RunFailed: the evaluation failed or was cancelled; `state` says which.

    Example:
        >>> import understudy as us
        >>> table = us.read("people.csv")
        >>> us.suggest_schema(table).save("schema.json")
        >>> schema = us.declare("schema.json", table, note="the census code book")
        >>> planned = us.plan(schema, epsilon=1.0, rows=500)
        >>> run = us.synthesize(table, schema, planned, new_people=True)
        >>> findings = us.evaluate(run, table, repeats=1)
        >>> list(findings.to_pandas().columns)
        ['measure', 'group', 'of', 'value', 'low', 'high']
    """
    folder = run_folder(run)
    asked = evaluation_of(folder, target, repeats)
    raw = table_read_by(table, plan_and_schema(folder)[1]).raw
    inquiry = ask(asked, encode_as_run(folder, raw), folder)
    follow(inquiry, on_progress)
    evaluation = Evaluation.load(inquiry.result)
    assert evaluation is not None
    return Findings(folder.identity, evaluation)
