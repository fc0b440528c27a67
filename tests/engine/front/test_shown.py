"""Every object shows itself in a notebook, escaped and without a confidential value."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import understudy as us
from understudy.core.showing import MOST_ROWS, Shown
from understudy.evaluation.evaluation import Evaluation, MeasuredTable
from understudy.evaluation.measure import RELEASED, Finding, Measured
from understudy.evaluation.registry import abouts
from understudy.front.releases import Findings

EVALUATION = Evaluation(
    (MeasuredTable(RELEASED, "released", 100),),
    100,
    "SEX",
    (Finding(next(iter(abouts())), {RELEASED: Measured(0.125)}),),
)
SECRET = "Mrs Dalloway"
NAME = "<b>who</b>"


def test_every_type_shows_itself(at_work: Path) -> None:
    table = us.read("people.csv")
    schema = us.declare(us.suggest_schema(table).schema, table, note="the <code> book")
    plan = us.plan(schema, epsilon=1.0, rows=200)
    run = us.synthesize(table, schema, plan, new_people=True)
    packet = us.packet(run, title="<i>", pdf=False)
    shown = [
        table,
        us.suggest_schema(table),
        schema,
        plan,
        run,
        Findings(run.name, EVALUATION),
        packet,
        us.verify(packet),
    ]
    assert {type(each).__name__ for each in shown} == {
        name for name in us.__all__ if name[0].isupper()
    } - {"Refusal", "RunFailed"}
    for each in shown:
        html = each._repr_html_()
        assert html.startswith("<div><p><strong>")
        assert str(each) == repr(each) != ""
        assert "<code>" not in html
        assert "<i>" not in html
    assert "ε = 1, δ = 1e-09" in repr(run)
    assert "0.125" in repr(shown[5])


def test_what_is_confidential_is_not_shown() -> None:
    frame = pd.DataFrame(
        {NAME: [SECRET, "Mr Smith"] * 30, "paid": [4711, 1009, 1013] * 20, "one": ["y"] * 60}
    )
    table = us.read(frame)
    suggestion = us.suggest_schema(table)
    for each in (table, suggestion, suggestion.schema):
        for text in (repr(each), str(each), each._repr_html_()):
            for confidential in (SECRET, "Smith", "4711", "1009", "60", "5000"):
                assert confidential not in text
    assert "&lt;b&gt;who&lt;/b&gt;" in table._repr_html_()
    declared = us.declare(suggestion.schema, table, note="known", single_rows=True)
    assert "2 values" in repr(declared)


def test_a_long_table_is_cut_and_what_is_not_seen_is_escaped() -> None:
    rows = [[f"row {place}\u202e"] for place in range(MOST_ROWS + 3)]
    shown = Shown("A title", head=["One"], rows=rows)
    for text in (shown.as_text(), shown.as_html()):
        assert "\u202e" not in text
        assert "… and 3 more." in text
        assert f"row {MOST_ROWS - 1}" in text
        assert f"row {MOST_ROWS}\\" not in text
