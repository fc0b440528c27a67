"""No option is accepted and ignored: verbs use what they take, and `reproduce` is changed by it."""

from __future__ import annotations

import ast
import inspect
import json
import math
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from understudy.assurance import report
from understudy.assurance.check import Check, Effort, MeasuredValue
from understudy.cli import application
from understudy.core.refusal import Refusal
from understudy.evaluation.measures import shares
from understudy.mechanisms import companions
from understudy.mechanisms.fields import Field
from understudy.models.omega import Omega
from understudy.privacy.randomness import RandomSource
from understudy.samples import census as samples_people
from understudy.samples.census import SCHEMA, write
from understudy.studies.imputation import coverage
from understudy.studies.latent import evaluation as medical
from understudy.studies.pmse import evaluation as pmse
from understudy.studies.reproduction import ReproductionRequest, reproductions
from understudy.studies.seedbased import evaluation
from understudy.studies.seedbased import evaluation as census
from understudy.studies.seedbased.setting import SeedbasedStudySetting
from understudy.studies.traces import evaluation as locations

LIGHT = SeedbasedStudySetting(
    omegas=(Omega(low=11, high=11),),
    most=150,
    tested=60,
    repeats=2,
    models=1,
    scored=64,
    timed=(20,),
)


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The real path on few records, in a folder of its own."""
    monkeypatch.setattr(SeedbasedStudySetting, "of", classmethod(lambda cls, attributes: LIGHT))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("people") / "people.csv"
    write(2_500, path, 5)
    return path


def printed(understudy: Callable[..., Any], place: Path) -> str:
    """What is printed of a simulated census; every table is, and every figure is a file."""
    ended = understudy("reproduce", "census", "--rows", 2_000, "--seed", 3)
    assert ended.status == 0, ended
    for number in (3, 4, 5):
        assert f"\nTable {number}: " in ended.out
    for number in range(1, 7):
        assert f"\nFigure {number}: " in ended.out
    assert re.search(r"marginals +57\.9 ", ended.out)
    assert "understudy reproduce census --rows 2000 --seed 3\n" in ended.out
    assert "2,000 people instead of 1,500,000" in " ".join(ended.out.split())
    assert "learning the model" in ended.err
    made = {each.name for each in (place / "reproduction-figures").glob("figure-*.svg")}
    assert made
    assert "are in reproduction-figures." in " ".join(ended.out.split())
    return str(ended.out)


@pytest.mark.usefixtures("light")
def test_census_prints_every_table_and_writes_the_figures(
    understudy: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not measured is said; no classifier is trained, which takes long."""
    monkeypatch.setattr(
        evaluation, "measures_of", lambda setting, learned_from: (shares.VARIATION_PAIRS,)
    )
    printed(understudy, tmp_path)


@pytest.mark.thorough("test_census_prints_every_table_and_writes_the_figures")
@pytest.mark.usefixtures("light", "few_trees")
def test_census_measures_all_of_it(understudy: Callable[..., Any], tmp_path: Path) -> None:
    out = printed(understudy, tmp_path)
    assert re.search(r"marginals +57\.9 +\d", out)
    assert len(list((tmp_path / "reproduction-figures").glob("figure-*.svg"))) == 6
    assert "What could not be measured" not in out


@pytest.mark.usefixtures("light")
def test_a_table_of_ones_own_is_internal(
    understudy: Callable[..., Any],
    tmp_path: Path,
    people: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        evaluation, "measures_of", lambda setting, learned_from: (shares.VARIATION_PAIRS,)
    )
    (tmp_path / "reproduction-figures").mkdir()
    (tmp_path / "reproduction-figures" / "mine").touch()
    options = ["--table", people, "--schema", SCHEMA, "--target", "SEX", "--markdown", "--quiet"]
    ended = understudy("reproduce", *options)
    assert ended.status == 0, ended
    assert ended.err == ""
    assert "INTERNAL" in ended.out
    assert "## Table 3" in ended.out
    assert "57.9" not in ended.out
    made = sorted(path.name for path in (tmp_path / "reproduction-figures-2").iterdir())
    assert made
    assert all(name.startswith("INTERNAL-") for name in made)
    assert [path.name for path in (tmp_path / "reproduction-figures").iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["census", "--target", "SEX"], "--target cannot be given together with census."),
        (["census", "--outside", "SEX=clip"], "--outside cannot be given together with census."),
        (["--table", "x.csv"], "--schema and --target must be given too."),
        (
            ["--table", "x.csv", "--schema", "x.json", "--target", "y", "--rows", "5"],
            "--rows, --table, --schema, --target do not say which evaluation is meant.",
        ),
        (
            ["--table", "x.csv", "--schema", "x.json", "--target", "y", "--seed", "5"],
            "--seed is of simulated people only.",
        ),
        (["census", "--json", "--markdown"], "--markdown and --json cannot be given together."),
        (["census", "--rows", "1999"], "--rows: There are too few records"),
        (["census", "--rows", "2000", "--seed", "-1"], "--seed: The seed -1 is negative."),
        (["survey"], f"“survey” is not {' or '.join(reproductions())}."),
    ],
)
@pytest.mark.usefixtures("light")
def test_refusals(
    understudy: Callable[..., Any], tmp_path: Path, typed: list[str], said: str
) -> None:
    assert said in understudy("reproduce", *typed).refusal
    assert list(tmp_path.iterdir()) == []


def test_all_are_listed_without_a_name(understudy: Callable[..., Any]) -> None:
    ended = understudy("reproduce")
    assert ended.status == 0
    for name, each in reproductions().items():
        assert f"{name} " in ended.out
        assert each.title in " ".join(ended.out.split())
    listed = json.loads(understudy("reproduce", "--json").out)["reproductions"]
    assert [each["name"] for each in listed] == list(reproductions())


@pytest.mark.usefixtures("light")
def test_refusals_about_a_table(understudy: Callable[..., Any], people: Path, census: Path) -> None:
    def refused(table: Path, target: str) -> str:
        options = ["--table", table, "--schema", SCHEMA, "--target", target]
        return str(understudy("reproduce", *options).refusal)

    assert "--target: There is no column “PAY” to predict." in refused(people, "PAY")
    assert "--target: Column “WKHP” has 100 possible value(s)" in refused(people, "WKHP")
    assert "--table: There are too few records" in refused(census, "SEX")


@pytest.mark.usefixtures("light")
def test_a_table_without_a_column_of_the_schema(
    understudy: Callable[..., Any], tmp_path: Path
) -> None:
    lean = tmp_path / "lean.csv"
    lean.write_text("SEX,MAR\n" + "1,2\n2,1\n" * 2_000, encoding="utf-8")
    ended = understudy("reproduce", "--table", lean, "--schema", SCHEMA, "--target", "SEX")
    assert "AGEP" in ended.refusal
    assert [path.name for path in tmp_path.iterdir()] == ["lean.csv"]


@pytest.mark.usefixtures("light")
def test_figures_overwrite_nothing(understudy: Callable[..., Any], tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "precious").touch()
    ended = understudy("reproduce", "census", "--rows", 2_000, "--figures", taken)
    assert "--figures: " in ended.refusal
    assert "exists already, and is not overwritten." in ended.refusal
    assert [path.name for path in taken.iterdir()] == ["precious"]


@pytest.mark.usefixtures("light")
def test_a_refusal_of_stray_values_names_the_option(
    understudy: Callable[..., Any], tmp_path: Path, small: tuple[Path, Path]
) -> None:
    table, schema = small
    ended = understudy("reproduce", "--table", table, "--schema", schema, "--target", "kind")
    assert "--outside age=clip" in ended.refusal
    assert "4711secret" not in ended.refusal
    assert not list(tmp_path.glob("reproduction*"))


def test_errors_and_definitions_are_printed_without_a_run(understudy: Callable[..., Any]) -> None:
    errata = understudy("reproduce", "pmse", "--errata")
    assert "Errors of the publications" in errata.out
    assert "Snoke" in errata.out
    assert "Zheng" not in errata.out
    listed = understudy("reproduce", "--definitions", "--json").json["definitions"]
    simulated = [each for name, each in reproductions().items() if name != "table"]
    assert {each["reproduction"] for each in listed} == {each.title for each in simulated}


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--errata", "--definitions"], "--errata and --definitions cannot be given together."),
        (["census", "--errata", "--quick"], "--quick cannot be given where nothing is run."),
        (["--definitions", "--rows", "9"], "--rows cannot be given where nothing is run."),
        (["--errata", "--seed", "9", "--figures", "x"], "--seed, --figures cannot be given"),
    ],
)
def test_what_only_a_run_has_is_refused(
    understudy: Callable[..., Any], typed: list[str], said: str
) -> None:
    assert said in understudy("reproduce", *typed).refusal


CLI = Path(application.__file__).parent


def verbs() -> Iterator[Any]:
    """Every function of the engine that a command of the command line calls."""
    apps = (application.sample.app, application.ledger.app, application.pictures.app)
    yield from application._FIRST + application._OTHERS
    for brought in companions.own("cli", "VERBS"):
        yield from brought
    for app in apps:
        for each in app.registered_commands:
            yield inspect.getclosurevars(each.callback).nonlocals.get("verb", each.callback)


VERBS = tuple(verbs())


@cache
def tree(function: Any) -> ast.AST:
    return ast.parse(textwrap.dedent(inspect.getsource(function)))


def read_names(of: ast.AST) -> set[str]:
    """Names that are read in a piece of code."""
    return {
        each.id
        for each in ast.walk(of)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    }


@cache
def code() -> tuple[ast.AST, ...]:
    """The command line's modules, those of methods too, node by node."""
    methods = Path(companions.__file__).parent
    paths = (*CLI.glob("*.py"), *methods.glob("*/cli/**/*.py"), *methods.glob("*/cli.py"))
    return tuple(
        node for path in paths for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


@cache
def read_attributes() -> frozenset[str]:
    """What is read of any value there, by `getattr` with one of several names too."""
    read = {
        each.attr
        for each in code()
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Load)
    }
    named = {
        name.value
        for each in code()
        if isinstance(each, ast.For) and "getattr" in read_names(each)
        for name in ast.walk(each.iter)
        if isinstance(name, ast.Constant)
    }
    return frozenset(read | named)


@cache
def handed_whole() -> frozenset[str]:
    """The classes of which some function reads every field at once, by `asdict`."""
    return frozenset(
        given.annotation.id
        for function in code()
        if isinstance(function, ast.FunctionDef)
        for given in function.args.args
        if isinstance(given.annotation, ast.Name)
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        if call.func.id == "asdict"
        if isinstance(call.args[0], ast.Name) and call.args[0].id == given.arg
    )


def test_every_command_is_looked_at() -> None:
    def count(of: Any) -> int:
        within = getattr(of, "commands", None)
        return 1 if within is None else sum(map(count, within.values()))

    assert count(application.command()) == len(VERBS)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
def test_every_option_of_a_verb_is_used(verb: Any) -> None:
    used = read_names(tree(verb))
    for each in inspect.signature(verb, eval_str=True).parameters.values():
        assert each.name in used, f"{verb.__name__} ignores {each.name}"
        gathers = each.annotation
        if is_dataclass(gathers) and gathers.__name__ not in handed_whole():
            for one in fields(gathers):
                assert one.name in read_attributes(), f"{verb.__name__} ignores {one.name}"


HEAVY: dict[str, tuple[tuple[Any, str], ...]] = {
    "census": ((samples_people, "simulate"), (census, "reproduce")),
    "medical": ((medical, "reproduce"),),
    "pmse": ((pmse, "reproduce"),),
    "locations": ((locations, "reproduce"),),
    "imputation": ((coverage, "simulate_coverage"),),
}
"""What takes long of each reproduction of simulated people: what it is asked is what is done."""

OTHER = {"rows": 2_500, "stays": 20_000, "changes": 7, "repeats": 3, "steps": 5, "people": 14,
         "releases": 3}  # fmt: skip
"""A value of each field that is not its usual one."""


class DoneError(Exception):
    """Raised in the place of what takes long."""


def done(
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    *,
    quick: bool = False,
    seed: int | None = None,
    **settings: Any,
) -> str:
    """What a reproduction is about to do, or the refusal."""
    asked = ReproductionRequest(quick, seed, settings, "", "2026-01-01", lambda *_: None)  # type: ignore[arg-type, return-value]
    heard: list[str] = []

    def recorder(real: Callable[..., Any], *, last: bool) -> Callable[..., Any]:
        def record(*given: Any, **named: Any) -> Any:
            # What was asked is not what is done, and pieces of code are the same whatever is.
            kept = [
                each
                for each in given
                if not isinstance(each, ReproductionRequest) and not callable(each)
            ]
            heard.append(f"{[_told(each) for each in kept]} {named}")
            if last:
                raise DoneError
            return real(1_000, *given[1:])

        return record

    with monkeypatch.context() as patched:
        *first, (place, what) = HEAVY[name]
        for module, function in first:
            real = getattr(module, function)
            patched.setattr(module, function, recorder(real, last=False))
        patched.setattr(place, what, recorder(getattr(place, what), last=True))
        chosen = reproductions()[name]
        try:
            chosen.check(asked)
            if name == "imputation":
                from understudy.studies.imputation.bounds import _coverage

                _coverage(asked)
            else:
                chosen.run(asked, lambda _: None)
        except Refusal as refusal:
            return refusal.problem
        except DoneError:
            return "; ".join(heard)
    raise AssertionError(f"{name} did not come to what takes long")


def _told(value: Any) -> str:
    """A value in words that say of it what matters."""
    if hasattr(value, "integers"):
        return str(value.integers(1 << 30))
    if hasattr(value, "below"):
        return str(value.below(1 << 30, 1))
    if hasattr(value, "codes"):
        return str(len(value))
    if hasattr(value, "seeds") and hasattr(value, "structure"):
        return str((len(value.seeds), len(value.structure)))
    return repr(value)


def options_of(name: str) -> tuple[Field, ...]:
    return reproductions()[name].fields.options


SIMULATED = [name for name in reproductions() if name in HEAVY]
PAIRS = [(name, each.name) for name in SIMULATED for each in options_of(name)]


def test_every_reproduction_is_looked_at() -> None:
    assert set(reproductions()) - set(HEAVY) == {"table"}


@pytest.mark.parametrize("name", SIMULATED)
def test_quick_and_the_seed_change_what_is_done(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = done(name, monkeypatch)
    assert usual == done(name, monkeypatch)
    assert usual != done(name, monkeypatch, quick=True)
    assert usual != done(name, monkeypatch, seed=7)
    assert done(name, monkeypatch, quick=True) != done(name, monkeypatch, quick=True, seed=7)


@pytest.mark.parametrize(("name", "option"), PAIRS)
def test_every_option_of_a_reproduction_changes_what_is_done(
    name: str, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside --quick too; and --quick beside all options still does, or is refused."""
    for quick in (False, True):
        usual = done(name, monkeypatch, quick=quick)
        assert usual != done(name, monkeypatch, quick=quick, **{option: OTHER[option]})
    all_of_them = {each.name: OTHER[each.name] for each in options_of(name)}
    assert done(name, monkeypatch, **all_of_them) != done(
        name, monkeypatch, quick=True, **all_of_them
    )


@pytest.mark.parametrize("name", [name for name, each in reproductions().items() if not each.draws])
def test_the_folder_of_figures_is_refused_where_none_are_drawn(
    name: str, understudy: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = understudy("reproduce", name, "--figures", tmp_path / "figures")
    assert ended.refusal.startswith(f"--figures: {name} draws no figures.")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", [["--quick"], ["--seed", 5], ["--figures", "x"], ["--markdown"]])
def test_options_of_a_run_are_refused_without_a_name(
    option: list[Any], understudy: Callable[..., Any], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    ended = understudy("reproduce", *option)
    assert ended.refusal.startswith(f"{option[0]} cannot be given without a name.")
    assert list(tmp_path.iterdir()) == []


AuditAsked = list[tuple[RandomSource | None, Effort]]


def checks_of(asked: AuditAsked, *worsts: tuple[str, float]) -> Callable[..., tuple[Check, ...]]:
    """Stands in for the checks, and keeps what they are asked with."""

    def planned(source: RandomSource | None = None) -> tuple[Check, ...]:
        def check(name: str, worst: float) -> Check:
            def measure(effort: Effort) -> MeasuredValue:
                asked.append((source, effort))
                return MeasuredValue(1_234, worst, "two records of value 1")

            mutant = name.startswith("mutant")
            part = "Mutants" if mutant else "Claims"
            kind = "mutant" if mutant else "claim"
            return Check(part, name, f"the claim of {name}", "a book", measure, kind)

        return tuple(check(*each) for each in worsts)

    return planned


@pytest.fixture
def asked() -> AuditAsked:
    return []


@pytest.fixture
def well(asked: AuditAsked, monkeypatch: pytest.MonkeyPatch) -> None:
    planned = checks_of(asked, ("one", 0.5), ("two", 1.0), ("mutant", math.inf))
    monkeypatch.setattr(report, "list_checks", planned)


@pytest.mark.usefixtures("well")
def test_a_table_for_people(understudy: Callable[..., Any]) -> None:
    ended = understudy("audit")
    assert ended.status == 0
    lines = [line.split() for line in ended.out.splitlines()]
    assert ["one", "1,234", "0.5000", "holds"] in lines
    assert ["two", "1,234", "1.0000", "holds"] in lines
    assert ["mutant", "1,234", "∞", "caught"] in lines
    assert [line for line in ended.out.splitlines() if line in ("Claims", "Mutants")] == [
        "Claims",
        "Mutants",
    ]
    assert "the claim of one (a book)" in ended.out
    assert "All is well: 3 checks, 3,702 cases." in ended.out


@pytest.mark.usefixtures("well")
def test_figures_for_programs(understudy: Callable[..., Any]) -> None:
    ended = understudy("audit", "--json", "--seed", 7)
    assert ended.status == 0
    figures = ended.json
    assert figures["passed"] is True
    assert (figures["seed"], figures["tolerance"], figures["cases"]) == (7, 1e-13, 3_702)
    assert figures["checks"][0] == {
        "part": "Claims",
        "name": "one",
        "kind": "claim",
        "claim": "the claim of one",
        "source": "a book",
        "cases": 1_234,
        "worst": 0.5,
        "worst_case": "two records of value 1",
        "verdict": "holds",
        "passed": True,
    }
    assert figures["checks"][2]["worst"] is None


@pytest.mark.parametrize(
    ("name", "worst", "verdict"), [("one", 1.01, "BROKEN"), ("mutant", 1.01, "NOT CAUGHT")]
)
def test_the_status_says_that_something_failed(
    understudy: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    asked: AuditAsked,
    name: str,
    worst: float,
    verdict: str,
) -> None:
    monkeypatch.setattr(report, "list_checks", checks_of(asked, ("fine", 0.1), (name, worst)))
    ended = understudy("audit")
    assert ended.status == 1
    assert f"1.0100  {verdict}" in ended.out
    assert "at two records of value 1" in ended.out
    assert f"1 of 2 checks failed: {'Claims' if name == 'one' else 'Mutants'}: {name}." in ended.out
    assert "All is well" not in ended.out
    assert ended.err == ""
    as_json = understudy("audit", "--json")
    assert (as_json.status, as_json.json["passed"]) == (1, False)


@pytest.mark.usefixtures("well")
def test_how_much_is_tried_and_whether_the_sampler_runs(
    understudy: Callable[..., Any], asked: AuditAsked
) -> None:
    understudy("audit")
    understudy("audit", "--thorough", "--seed", 3)
    understudy("audit", "--statistical")
    plain, thorough, statistical = asked[0], asked[3], asked[6]
    assert plain == (None, Effort(1, 1))
    assert thorough == (None, Effort(10, 3))
    assert statistical[0] is not None
    assert not statistical[0].seeded


def test_real_checks_through_the_command(
    understudy: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = [each for each in report.list_checks() if each.part == "Composition"]
    monkeypatch.setattr(report, "list_checks", lambda _: tuple(real))
    figures = understudy("audit", "--json").json
    assert figures["passed"]
    assert {row["name"] for row in figures["checks"]} >= {"the sum", "optimal composition"}


def test_misuse_is_a_sentence(understudy: Callable[..., Any]) -> None:
    assert "“many” is not a whole number" in understudy("audit", "--seed", "many").refusal
