"""The options of a verb are those of its table of fields, and of what it gathers. A third-party
model is chosen by the name it is installed as.
"""

from __future__ import annotations

import errno
import inspect
import io
import json
import math
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NoReturn

import pytest
import typer

from tests.engine.cli.conftest import everything
from tests.engine.models.third_party import toy
from tests.engine.models.third_party.toy import installed
from tests.support import category_schema
from understudy.cli.application import command
from understudy.cli.new_run import FIELDS as NEW_RUN_FIELDS
from understudy.cli.new_run import make_typed_plan
from understudy.cli.options import TypedSettings, every_field, option, with_options
from understudy.cli.output import describe_budget, echo, print_aligned, print_json, print_wrapped
from understudy.cli.release import name_passing, reserved_folder
from understudy.cli.verb import Verb, parser
from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Field, FieldGroup, FieldTable, Option, Place, Words
from understudy.mechanisms.kinds import Choice, Number, OrNone, Text, Whole
from understudy.mechanisms.seedbased.fields.planner_fields import WANTED
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.proposal import Wanted
from understudy.models.marks import UNMARKED
from understudy.table.schema import Schema

OWN = {
    "--schema", "--out", "--plan", "--save-plan", "--demo-seed", "--dataset", "--new-people",
    "--because", "--keep", "--project", "--resume", "--quiet", "--json", "--help", "--database",
    "--query", "--format", "--streamed", "--cores", "--memory", "--minutes", "--scheduler",
    "--shared", "--set-rules-aside",
}  # fmt: skip
"""The options of `understudy synthesize` that say nothing of a plan."""


def options_of(verb: str) -> dict[str, Any]:
    """Every option of a verb."""
    parameters = command().commands[verb].params
    return {each.opts[0]: each for each in parameters if each.opts[0].startswith("--")}


def test_every_setting_of_synthesize_is_an_option_of_the_table() -> None:
    there = options_of("synthesize")
    assert there.keys() - OWN == {each.option_name for each in FIELDS.options}
    for each in FIELDS.options:
        assert each.option is not None
        assert there[each.option_name].help == each.option.help
        assert there[each.option_name].rich_help_panel == each.group.panel


def test_the_help_of_synthesize_lists_the_table(understudy: Callable[..., Any]) -> None:
    shown = understudy("synthesize", "--help").out
    lines = [line.split()[0] for line in shown.splitlines() if line.startswith("  --")]
    assert {*lines} - OWN == {each.option_name for each in FIELDS.options}
    places = [lines.index(each.option_name) for each in FIELDS.options]
    assert places == sorted(places)


def test_every_question_of_propose_is_an_option_and_an_attribute() -> None:
    there = options_of("propose")
    assert {each.option_name for each in WANTED.options} == there.keys() - {
        "--schema", "--save-plan", "--json",
    }  # fmt: skip
    usual = Wanted()
    marks = ("target", "survive", "together")
    others = (each.name for each in WANTED if each.name not in ("purpose", *marks))
    assert all(hasattr(usual, name) for name in others)
    assert usual.marks is UNMARKED


GROUP = FieldGroup("Toys", "Toys of another mechanism")
TOY = FieldTable(
    (
        Field(
            "bins",
            Words(label="Bins", meaning="So many."),
            Whole(),
            GROUP,
            (Place("bins", "grid.bins"),),
            option=Option("How many bins (default 8)."),
            unit="bins",
        ),
        Field(
            "shape",
            Words(label="Shape", meaning="Of the bins."),
            Choice({"round": "Round", "square": "Square"}),
            GROUP,
            (Place("shape", "grid.shape"),),
            option=Option("What they look like."),
        ),
        Field(
            "scale",
            Words(label="Scale", meaning="Of the noise."),
            Number(or_none=True),
            GROUP,
            option=Option("Of the noise.", name="--noise"),
        ),
    )
)


@dataclass(frozen=True, kw_only=True)
class Somewhere:
    """Where."""

    here: Annotated[str, typer.Option("--here", help="Where it is.")]
    times: Annotated[int, typer.Option("--times", help="How often.")] = 1


def run(verb: Callable[..., None], *typed: str) -> Any:
    app = typer.Typer(add_completion=False)
    app.command(cls=Verb)(with_options(verb))
    return typer.main.get_command(app).main([*typed], standalone_mode=False)


def test_a_mechanism_that_nobody_named_has_its_options() -> None:
    seen: list[tuple[Somewhere, TypedSettings]] = []

    def verb(place: Somewhere, settings: Annotated[TypedSettings, TOY]) -> None:
        """Do it."""
        seen.append((place, settings))

    run(verb, "--here", "x", "--bins", "4", "--noise", "none", "--shape", "round")
    ((place, settings),) = seen
    assert place == Somewhere(here="x", times=1)
    assert settings.of(TOY) == {"bins": 4, "scale": OrNone(None), "shape": "round"}
    assert settings.options == ("--bins", "--shape", "--noise")


def test_a_refusal_names_the_option_of_its_field() -> None:
    def verb(settings: Annotated[TypedSettings, TOY]) -> None:
        """Do it."""
        raise Refusal("Too many.", "Take fewer.", field="grid.bins")

    with pytest.raises(Refusal, match="--bins: Too many"):
        run(verb)


def test_a_value_of_the_wrong_kind_is_a_sentence() -> None:
    def verb(settings: Annotated[TypedSettings, TOY]) -> None:
        """Do it."""

    with pytest.raises(Exception, match="“oval” is not round or square"):
        run(verb, "--shape", "oval")


def test_a_parameter_of_its_own_stays_one() -> None:
    def verb(k: Annotated[int, option(FIELDS["k"])] = 5, *, often: int = 2) -> None:
        """Do it."""

    assert list(inspect.signature(with_options(verb)).parameters) == ["k", "often"]


TYPED: dict[str, Any] = {
    "test": "plausible-deniability",
    "k": 60,
    "gamma": 3.0,
    "epsilon0": OrNone(0.5),
    "protocol": "releases",
    "pass_floor": 0.25,
    "records_per_person": 4,
    "omega": "4-9",
    "reading": "hidden",
    "attempts": 700,
    "delta": 1e-8,
    "t": 17,
    "seeds_at_least": 2000,
    "model_epsilon": OrNone(None),
    "model": "marginals",
    "estimate": "sampled",
    "shares": "0.4,0.3,0.2,0.1",
    "sampling": 0.02,
    "records": 7_000,
    "outside": ["AGEP=clip"],
    "set": ["noisy_tables=true"],
}


@pytest.fixture(scope="module")
def schema(census_schema: Path) -> Schema:
    return Schema.load(census_schema)


@pytest.mark.parametrize("name", [*TYPED, "target_epsilon"])
def test_no_setting_goes_with_a_plan_file(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path, name: str
) -> None:
    typed = {**TYPED, "target_epsilon": 0.5}[name]
    if isinstance(typed, OrNone):
        typed = "none" if typed.value is None else typed.value
    option = "--" + name.replace("_", "-")
    ended = understudy(
        "synthesize", "--new-people", census, "--schema", census_schema, "--out", tmp_path / "out",
        "--plan", tmp_path / "plan.json", option, typed[0] if isinstance(typed, list) else typed,
    )  # fmt: skip
    assert ended.refusal.startswith(f"{option} cannot be given together with --plan.")


def test_what_is_typed_becomes_a_plan(schema: Schema) -> None:
    given = {"k": 60, "records": 7_000, "outside": ["AGEP=clip"], "model": "marginals"}
    plan = make_typed_plan(TypedSettings(given, (NEW_RUN_FIELDS,)), schema)
    assert (plan.test.k, plan.public_records, plan.model.kind) == (60, 7_000, "marginals")
    assert dict(plan.policies) == {"AGEP": "clip"}
    assert make_typed_plan(TypedSettings(tables=(NEW_RUN_FIELDS,)), schema) == Plan.of(schema)
    assert TypedSettings(tables=(NEW_RUN_FIELDS,)).options == ()


def test_zero_is_a_setting_too() -> None:
    assert TypedSettings({"k": 0, "gamma": 0.0}, (NEW_RUN_FIELDS,)).options == ("--k", "--gamma")


def test_help_states_the_defaults_of_a_plan(understudy: Callable[..., Any], schema: Schema) -> None:
    said = " ".join(understudy("synthesize", "--help").out.split())
    plan = Plan.of(schema)
    for name, value in {
        "k": plan.test.k,
        "gamma": plan.test.gamma,
        "epsilon0": plan.test.epsilon0,
        "attempts": plan.attempts,
        "delta": plan.delta,
        "model-epsilon": plan.model.epsilon,
        "model": plan.model.kind,
        "estimate": plan.model.estimate,
        "reading": plan.omega.reading,
        "test": plan.test.kind,
        "protocol": plan.protocol,
        "records-per-person": plan.records_per_person,
    }.items():
        stated = re.search(rf"--{name} [^-].*?\(default:? ([^):;]+)[);]", said)
        assert stated is not None
        assert stated[1] == (value if isinstance(value, str) else f"{value:g}".replace("e-0", "e-"))
    assert "synthesize and propose: as many as follow from the records" in said
    assert ",".join(f"{share:g}" for share in plan.shares.each) in said


def test_account_has_the_defaults_of_a_plan(understudy: Callable[..., Any], schema: Schema) -> None:
    figures, plan = understudy("account", "--json").json, Plan.of(schema)
    assert figures["test"]["k"] == plan.test.k
    assert figures["test"]["gamma"] == plan.test.gamma
    assert figures["test"]["epsilon0"] == plan.test.epsilon0
    assert figures["test"]["name"] == plan.test.kind
    assert figures["protocol"] == plan.protocol
    assert figures["target_delta"] == plan.delta


def a_field(name: str, kind: Any, help_: str) -> Field:
    words = Words(label=name, meaning="It counts.")
    return Field(name, words, kind, FieldGroup("All", "All"), option=Option(help_))


def test_an_option_that_two_mechanisms_have_stands_once() -> None:
    one = FieldTable(
        (a_field("bins", Whole(), "How many."), a_field("depth", Whole(), "How deep."))
    )
    other = FieldTable(
        (a_field("bins", Whole(), "How many bins."), a_field("size", Whole(), "Size."))
    )
    assert [each.name for each in every_field((one, other))] == ["bins", "depth", "size"]
    with pytest.raises(AssertionError, match="--bins is read in two ways"):
        every_field((one, FieldTable((a_field("bins", Text(), "Which."),))))


def test_an_option_of_another_mechanism_is_refused() -> None:
    one, other = FieldTable((a_field("bins", Whole(), "How many."),)), FieldTable(())
    given = TypedSettings({"bins": 3}, (one, other))
    assert given.of(one) == {"bins": 3}
    with pytest.raises(Refusal, match="--bins cannot be given for this kind of plan"):
        given.of(other)


NAMES = ("synthetic",)


def _fail(place: Path) -> NoReturn:
    assert not place.exists() or not list(place.iterdir())
    raise RuntimeError


def test_a_folder_that_is_not_there_appears_with_its_release_only(tmp_path: Path) -> None:
    out = tmp_path / "a" / "out"
    with reserved_folder(out, NAMES, 0) as place:
        assert place == out.resolve()
        assert not out.exists()
        assert name_passing(place, "r0").parent == out.parent


@pytest.mark.parametrize("there", [False, True])
def test_a_failure_leaves_nothing(tmp_path: Path, there: bool) -> None:
    out = tmp_path / "a" / "b"
    if there:
        out.mkdir(parents=True)
    before = everything(tmp_path)
    with pytest.raises(RuntimeError), reserved_folder(out, NAMES, 0) as place:
        _fail(place)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("name", ["synthetic.csv", "guarantee.json"])
def test_a_release_is_never_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("earlier", encoding="utf-8")
    with pytest.raises(Refusal, match="exists already"), reserved_folder(tmp_path, NAMES, 0):
        pass
    assert everything(tmp_path) == {name}


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("", encoding="utf-8")
    with pytest.raises(Refusal, match="is not a folder"), reserved_folder(out, NAMES, 0):
        pass
    with pytest.raises(Refusal, match="cannot be used"), reserved_folder(out / "in", NAMES, 0):
        pass
    assert everything(tmp_path) == {"out"}


def _failing(number: int) -> Any:
    def fail(*_: object, **__: object) -> NoReturn:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize(
    ("number", "said"), [(errno.ENOSPC, "is full"), (errno.EROFS, "read-only file system")]
)
def test_a_place_that_cannot_be_written_is_found_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, said: str
) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", _failing(number))
    with pytest.raises(Refusal, match=said), reserved_folder(tmp_path / "out", NAMES, 0):
        pytest.fail("the run was begun")
    assert everything(tmp_path) == set()


def test_a_disk_with_too_little_room_is_found_before_the_run(tmp_path: Path) -> None:
    room = shutil.disk_usage(tmp_path).total + 1
    with (
        pytest.raises(Refusal, match="GB left") as refused,
        reserved_folder(tmp_path / "out", NAMES, room),
    ):
        pytest.fail("the run was begun")
    assert refused.value.field == "out"
    assert everything(tmp_path) == set()


def test_a_folder_beside_which_nothing_can_be_prepared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(Refusal, match="out/release"), reserved_folder(tmp_path / "out", NAMES, 0):
        pytest.fail("the run was begun")


def test_beside_the_root_nothing_can_be_prepared() -> None:
    with (
        pytest.raises(Refusal, match="Nothing can be prepared beside /"),
        reserved_folder(Path("/"), NAMES, 0),
    ):
        pytest.fail("the run was begun")


def test_a_guarantee_that_is_none() -> None:
    assert describe_budget(None, 1.0) == describe_budget(3.0, 1.0) == "nothing is promised"
    assert describe_budget(0.5, 1e-9) == "ε = 0.5, δ = 1e-09"


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "cp1251"])
def test_json_survives_any_encoding(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    sink = io.BytesIO()
    stream = io.TextIOWrapper(sink, encoding=encoding, errors="backslashreplace")
    monkeypatch.setattr(sys, "stdout", stream)
    print_json({"ε": "é", "ж": None})
    stream.flush()
    assert json.loads(sink.getvalue().decode(encoding)) == {"ε": "é", "ж": None}


@pytest.mark.parametrize("number", [math.inf, math.nan])
def test_json_is_strict(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json({"number": number})


def test_columns_line_up(capsys: pytest.CaptureFixture[str]) -> None:
    print_aligned([("a", "bcd", "e"), ("long", "f"), ()], indent=" ")
    assert capsys.readouterr().out == " a     bcd  e\n long  f\n\n"


def test_nothing_that_is_printed_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    echo("a\x1b[2Jb\nc\u202e")
    print_aligned([["x\u202e", "\r1"]])
    print_wrapped("two\u2009words\x1b[0m")
    out = capsys.readouterr().out
    assert out == "a\\x1b[2Jb\nc\\u202e\nx\\u202e  \\x0d1\ntwo\u2009words\\x1b[0m\n"


def test_json_holds_the_same_and_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    figures = {"name": "é\u202e\x7f\U000e0041\x1b\n"}
    print_json(figures)
    out = capsys.readouterr().out
    assert json.loads(out) == figures
    assert "é" in out
    assert not set("\u202e\x7f\U000e0041\x1b") & set(out)


SCHEMA = category_schema(3, 4, 2, 5)


def test_it_is_chosen_by_name_on_the_command_line(tmp_path: Path) -> None:
    with installed(tmp_path, "toy", toy.Chained):
        made = make_typed_plan(TypedSettings({"model": "outside:toy"}, (NEW_RUN_FIELDS,)), SCHEMA)
    assert made.model == ModelPlan(kind="outside", outside=toy.claim())
    with pytest.raises(Refusal, match="No third-party model is installed as “toy”"):
        make_typed_plan(TypedSettings({"model": "outside:toy"}, (NEW_RUN_FIELDS,)), SCHEMA)


def test_the_kinds_of_model_are_read() -> None:
    read = parser(NEW_RUN_FIELDS["kind"].kind)
    for text in ("calibrated", "marginals", "outside:toy"):
        assert read(text) == text
    with pytest.raises(typer.BadParameter, match="or outside:NAME"):
        read("outside")


def test_a_refusal_stands_at_the_option() -> None:
    with pytest.raises(Refusal) as caught:
        make_typed_plan(TypedSettings({"model": "outside:toy"}, (NEW_RUN_FIELDS,)), SCHEMA)
    assert caught.value.field == "model"
