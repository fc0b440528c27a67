"""The guards of the command line hold from Python too, and refusals say what answers them there.
Every example in a docstring of the front door comes out as it says. Every object shows itself in a
notebook, escaped and without a confidential value.
"""

from __future__ import annotations

import doctest
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FunctionType
from typing import Any

import pandas
import pandas as pd
import pytest

import understudy
import understudy as us
from understudy.core.display import MOST_ROWS, Shown
from understudy.evaluation.evaluation import Evaluation, MeasuredTable
from understudy.evaluation.measure import RELEASED, Finding, SubjectResult
from understudy.evaluation.registry import abouts
from understudy.front import releases
from understudy.front.releases import Findings
from understudy.ledger.book import PeopleStatement
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.projects.payment import find_payer
from understudy.runs import work
from understudy.runs.control import home_ledger
from understudy.runs.work_folder import Progress, WorkCancelled
from understudy.samples import census

NOTE = "the census code book"


def refusal(call: Callable[[], Any]) -> us.Refusal:
    with pytest.raises(us.Refusal) as refused:
        call()
    return refused.value


@pytest.fixture
def schema() -> us.Schema:
    return census.schema()


@pytest.fixture
def plan(schema: us.Schema) -> us.PlannedRun:
    return us.plan(schema, epsilon=1.0, rows=200)


def test_data_frames_without_a_name_have_datasets_of_their_own() -> None:
    frames = [pd.DataFrame({"sex": ["f", "m"], "day": days}) for days in ([1, 2], [3, 4])]
    tables = [us.read(frame) for frame in frames]
    said = PeopleStatement(new=True)
    one, other = (find_payer(None, table.raw, table.name, None, said) for table in tables)
    again = find_payer(None, us.read(frames[0]).raw, None, None, said)
    assert one.name == again.name != other.name
    assert "data frame" in repr(tables[0])


def spent() -> int:
    return len(home_ledger().book().runs)


@pytest.mark.parametrize("note", ["", " ", "2024."])
def test_nothing_is_declared_without_a_source(at_work: Path, note: str) -> None:
    schema = us.suggest_schema("people.csv").schema
    assert refusal(lambda: us.declare(schema, "people.csv", note=note)).field == "note"


def test_nothing_is_declared_that_was_just_read_off_the_records(at_work: Path) -> None:
    suggestion: Any = us.suggest_schema("people.csv")
    said = refusal(lambda: us.declare(suggestion, "people.csv", note=NOTE))
    assert said.field == "schema"
    assert "declare the file" in said.remedy


def test_single_rows_are_not_declared_where_a_column_looks_as_if_it_named_people(
    at_work: Path,
) -> None:
    frame = pd.DataFrame(
        {"patient": [number // 4 for number in range(80)], "visit": [0, 1, 2, 3] * 20, "sex": "f"}
    )
    schema = us.suggest_schema(frame).schema
    said = refusal(lambda: us.declare(schema, frame, note=NOTE))
    assert "“patient”" in said.problem
    assert "single_rows=True" in said.remedy
    assert us.declare(schema, frame, note=NOTE, origins=["codebook"], single_rows=True).declared
    people = us.suggest_schema(frame, person="patient", order="visit", most_per_person=3)
    assert us.declare(people.schema, frame, note=NOTE, origins=["codebook"]).people is not None
    assert refusal(lambda: us.suggest_schema(frame, person="patient")).field == "person"


def test_a_schema_alone_is_declared_only_beside_its_table(at_work: Path) -> None:
    suggestion = us.suggest_schema("people.csv")
    suggestion.save("schema.json")
    declared = us.declare("schema.json", "people.csv", note=NOTE, origins=["codebook"])
    assert declared.declared
    assert {each.origin for each in declared.columns} == {"codebook"}
    assert refusal(lambda: suggestion.save("schema.json")).field == "path"


def test_nothing_is_run_on_an_undeclared_or_changed_schema(
    at_work: Path, schema: us.Schema, plan: us.PlannedRun
) -> None:
    suggested = us.suggest_schema("people.csv").schema
    said = refusal(lambda: us.synthesize("people.csv", suggested, us.plan(suggested, epsilon=1.0)))
    assert said.problem == "The schema has not been declared public."
    assert "declare(schema, table, note=…)" in said.remedy
    changed = schema.with_columns(schema.columns[:-1])
    said = refusal(lambda: us.synthesize("people.csv", changed, us.plan(changed, epsilon=1.0)))
    assert "or was changed since" in said.problem
    other = changed.declare_public(NOTE)
    assert refusal(lambda: us.synthesize("people.csv", other, plan)).field == "plan"
    assert spent() == 0


def test_nothing_is_spent_on_people_that_nobody_spoke_for(
    at_work: Path, schema: us.Schema, plan: us.PlannedRun
) -> None:
    said = refusal(lambda: us.synthesize("people.csv", schema, plan))
    assert "new_people=True, or dataset=NAME" in said.remedy
    assert "--" not in said.remedy
    assert spent() == 0
    us.synthesize("people.csv", schema, plan, new_people=True)
    assert us.synthesize("people.csv", schema, plan).folder.release.is_dir()
    lines = (at_work / "people.csv").read_text(encoding="utf-8").splitlines()
    (at_work / "newer.csv").write_text("\n".join([*lines, lines[1]]), encoding="utf-8")
    said = refusal(lambda: us.synthesize("newer.csv", schema, plan, new_people=True))
    assert "new_people=True with because=REASON" in said.remedy
    us.synthesize("newer.csv", schema, plan, dataset="people")
    (balance,) = home_ledger().book().balances
    assert balance.runs == spent() == 3


def test_a_plan_that_counts_on_what_nobody_confirmed_is_not_run(
    at_work: Path, schema: us.Schema
) -> None:
    counting = Plan.of(schema, omega=Omega(low=9, high=9), seeds_at_least=100)
    said = refusal(lambda: us.synthesize("people.csv", schema, counting, new_people=True))
    assert said.field == "public_records"
    assert spent() == 0


def test_values_outside_the_schema_are_settled_by_the_plan(
    at_work: Path, schema: us.Schema, plan: us.PlannedRun
) -> None:
    frame = pd.read_csv("people.csv", dtype=str)
    frame.loc[3, "AGEP"] = "17000"
    said = refusal(lambda: us.synthesize(frame, schema, plan, new_people=True))
    assert said.field == "AGEP"
    assert "17000" not in str(said)
    assert "outside=" in said.remedy
    clipped = us.plan(schema, epsilon=1.0, rows=200, outside={"AGEP": "clip"})
    assert us.synthesize(frame, schema, clipped, new_people=True).files


def test_a_run_is_made_in_a_project(at_work: Path, schema: us.Schema, plan: us.PlannedRun) -> None:
    run = us.synthesize("people.csv", schema, plan, new_people=True, project="Survey")
    assert run.folder.path.parent.parent.parent.name == "projects"
    packet = us.packet(run.name, title="Survey", pdf=False)
    assert packet.path.parent == run.folder.path.parent.parent / "packets"


def test_a_failed_run_raises_with_its_reason_and_its_state(
    at_work: Path, schema: us.Schema, plan: us.PlannedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("Mrs Dalloway")

    monkeypatch.setattr(work, "_begin", fail)
    with pytest.raises(us.RunFailed) as failed:
        us.synthesize("people.csv", schema, plan, new_people=True)
    assert (failed.value.state, failed.value.unforeseen) == ("failed", True)
    assert "KeyError" in failed.value.problem
    assert "Dalloway" not in str(failed.value)
    assert "UNDERSTUDY_DEBUG=1" in failed.value.remedy


def test_a_cancelled_run_raises_and_one_that_was_interrupted_is_cancelled(
    at_work: Path, schema: us.Schema, plan: us.PlannedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise WorkCancelled

    with monkeypatch.context() as patched:
        patched.setattr(work, "_begin", stop)
        with pytest.raises(us.RunFailed) as failed:
            us.synthesize("people.csv", schema, plan, new_people=True)
    assert failed.value.state == "cancelled"

    class Folder:
        asked = False
        looks = 0

        def progress(self) -> Progress:
            self.looks += 1
            assert self.looks < 5, "nobody asked it to stop"
            return Progress("cancelled" if self.asked else "learning", 1)

        def cancel(self) -> None:
            self.asked = True

    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(us.RunFailed) as failed:
        releases.follow(Folder(), interrupt)  # type: ignore[arg-type]
    assert failed.value.state == "cancelled"


def test_an_interrupted_run_says_how_it_goes_on_and_does(
    at_work: Path, schema: us.Schema, plan: us.PlannedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(work, "_begin", no_room)
        with pytest.raises(us.RunFailed) as failed:
            us.synthesize("people.csv", schema, plan, new_people=True)
    (name,) = home_ledger().book().runs
    assert failed.value.remedy.endswith(f"In Python: resume('{name}', table).")
    with pytest.raises(us.Refusal):
        us.resume(name, pd.read_csv("people.csv", dtype=str)[:-1])
    assert us.resume(name, "people.csv").folder.release.is_dir()
    assert spent() == 1


def test_a_failed_evaluation_raises(at_work: Path, schema: us.Schema, plan: us.PlannedRun) -> None:
    run = us.synthesize("people.csv", schema, plan, new_people=True)
    assert refusal(lambda: us.evaluate(run, "people.csv", target="NONE")).field
    other = pd.read_csv("people.csv", dtype=str)[:-1]
    assert refusal(lambda: us.evaluate(run, other))
    assert refusal(lambda: us.evaluate("nobody", other)).field == "run"


def test_a_packet_that_was_changed_does_not_pass(
    at_work: Path, schema: us.Schema, plan: us.PlannedRun
) -> None:
    run = us.synthesize("people.csv", schema, plan, new_people=True)
    packet = us.packet(run, title="Survey", out="packets", pdf=False)
    assert us.verify(packet.path.with_suffix(".zip")).passed
    shutil.copytree(packet.path, "changed")
    with Path("changed/README.txt").open("a", encoding="utf-8") as file:
        file.write("!")
    assert not us.verify("changed").passed


@pytest.mark.parametrize("memory", [float("nan"), 0.1])
def test_a_limit_that_leaves_nothing_is_refused(
    at_work: Path, schema: us.Schema, plan: us.PlannedRun, memory: float
) -> None:
    said = refusal(
        lambda: us.synthesize("people.csv", schema, plan, new_people=True, memory=memory)
    )
    assert said.field == "memory"


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"rows": 1.5, "epsilon": 1.0}, "rows"),
        ({"rows": "many", "epsilon": 1.0}, "rows"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"colour": "red"}, "colour"),
        ({"k": True}, "k"),
        ({"test": 3}, "test"),
        ({"method": "nothing"}, "mechanism"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(
    schema: us.Schema, settings: dict[str, Any], field: str
) -> None:
    assert refusal(lambda: us.plan(schema, **settings)).field == field


def test_a_setting_without_an_option_is_called_as_in_the_plan_file(schema: us.Schema) -> None:
    planned = us.plan(schema, attempts=300, noisy_tables=True, set="chosen_by_looking=true")
    assert (planned.plan.attempts, planned.plan.noisy_tables) == (300, True)
    assert planned.plan.chosen_by_looking
    assert "no setting “heat”" in str(refusal(lambda: us.plan(schema, heat=1)))


def test_settings_make_the_plan_that_the_command_line_makes(schema: us.Schema) -> None:
    plain = us.plan(schema, omega="11", attempts=300).plan
    assert plain == Plan.of(schema, omega=Omega(low=11, high=11), attempts=300)
    assert us.plan(schema, omega=11, attempts=300).plan == plain
    ranged = us.plan(schema, omega=(9, 11), shares=(0.3, 0.3, 0.3, 0.1), epsilon0=None, gamma=3)
    assert isinstance(ranged.plan, Plan)
    assert (ranged.plan.omega.low, ranged.plan.test.epsilon0) == (9, None)
    aimed = us.plan(schema, epsilon=2.0, omega=11, attempts=300)
    assert aimed.guarantee.total.epsilon <= 2.0


def test_what_was_read_by_another_reading_is_read_again_as_declared(
    at_work: Path, schema: us.Schema
) -> None:
    text = (at_work / "people.csv").read_text(encoding="utf-8")
    Path("semicolons.csv").write_text(text.replace(",", ";"), encoding="utf-8")
    table = us.read("semicolons.csv")
    assert table.raw.reading.separator == ";"
    said = refusal(lambda: table.read_by(schema))
    assert "semicolons.csv" in said.problem


def test_tables_of_other_kinds_are_read(at_work: Path) -> None:
    frame = pd.read_csv("people.csv", dtype=str)
    frame.to_parquet("people.parquet")
    first = us.read("people.csv").raw.arrow.column("COW").to_pylist()
    for other in (us.read("people.parquet"), us.read(frame)):
        assert other.raw.arrow.column("COW").to_pylist() == first
    import sqlite3

    with sqlite3.connect("survey.sqlite") as connection:
        frame.to_sql("people", connection, index=False)
    assert us.read("sqlite:///survey.sqlite", query="people").columns == tuple(frame.columns)
    assert refusal(lambda: us.read(frame, query="people")).field == "query"
    assert refusal(lambda: us.read([1, 2])).field == "table"  # type: ignore[arg-type]


def test_a_suggestion_is_corrected_in_python(at_work: Path) -> None:
    suggestion = us.suggest_schema("people.csv", leave_out="WKHP")
    column = suggestion.schema.column("MAR")
    changed = suggestion.replace(column.model_copy(update={"title": "Marital status"}))
    assert changed.schema.column("MAR").title == "Marital status"
    derived = suggestion.derive("MAR", 'lookup(SEX, c("1" = "a", "2" = "b"))')
    assert "MAR" not in derived.schema.names
    assert derived.schema.header == suggestion.schema.header
    assert refusal(lambda: suggestion.derive("MAR", "SEX * 2")).field == "formula"
    assert suggestion.left_out == {"WKHP": "You left it out."}
    assert "not used" in str(suggestion)
    few = us.suggest_schema("people.csv", only=["?EX", "WA*"])
    assert few.schema.names == ("SEX", "WAOB", "WAGP")
    assert replace(changed, left_out={}).table is suggestion.table


FUNCTIONS = [
    getattr(understudy, name)
    for name in understudy.__all__
    if isinstance(getattr(understudy, name), FunctionType)
]


_LONG = pytest.mark.thorough("test_every_type_shows_itself")


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(each, marks=[_LONG] if each.__name__ == "intervals" else [], id=each.__name__)
        for each in FUNCTIONS
    ],
)
def test_the_example_of_a_name_comes_out_as_it_says(function: FunctionType, at_work: Path) -> None:
    (found,) = doctest.DocTestFinder(recurse=False).find(function, globs={"pandas": pandas})
    assert found.examples, "the docstring has no example"
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(found, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_docstring_names_every_argument_and_what_is_raised(function: FunctionType) -> None:
    text = function.__doc__ or ""
    code = function.__code__
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        assert f"{name}:" in text or f"{name}," in text, name
    assert "Raises:" in text


EVALUATION = Evaluation(
    (MeasuredTable(RELEASED, "released", 100),),
    100,
    "SEX",
    (Finding(next(iter(abouts())), {RELEASED: SubjectResult(0.125)}),),
)
SECRET = "Mrs Dalloway"
NAME = "<b>who</b>"


def test_every_type_shows_itself(at_work: Path) -> None:
    table = us.read("people.csv")
    schema = us.declare(
        us.suggest_schema(table).schema, table, note="the <code> book", origins=["codebook"]
    )
    plan = us.plan(schema, epsilon=1.0, rows=200)
    telling = plan.plan.change(schema, noisy_tables=True)
    run = us.synthesize(table, schema, telling, new_people=True)
    packet = us.packet(run, title="<i>", pdf=False)
    intervals = us.intervals(packet, share="SEX", value="1")
    assert intervals.to_pandas()["table_high"].item() <= 1.0
    assert "of the population" in repr(intervals).casefold()
    shown = [
        table,
        us.suggest_schema(table),
        schema,
        plan,
        run,
        Findings(run.name, EVALUATION),
        packet,
        us.verify(packet),
        intervals,
        us.KnownTotals(columns=("SEX",), of="table", source="<code>", lines=((("1",), 9),)),
        us.Rule(text="AGEP > 3 | MAR == '<code>'"),
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
    declared = us.declare(
        suggestion.schema, table, note="known", origins=["codebook"], single_rows=True
    )
    assert "2 values" in repr(declared)


def test_a_long_table_is_cut_and_what_is_not_seen_is_escaped() -> None:
    rows = [[f"row {place}\u202e"] for place in range(MOST_ROWS + 3)]
    shown = Shown("A title", head=["One"], rows=rows)
    for text in (shown.as_text(), shown.as_html()):
        assert "\u202e" not in text
        assert "… and 3 more." in text
        assert f"row {MOST_ROWS - 1}" in text
        assert f"row {MOST_ROWS}\\" not in text
