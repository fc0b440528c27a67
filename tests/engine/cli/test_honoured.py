"""No option is accepted and ignored: verbs use what they take, and `reproduce` is changed by it."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from understudy.cli import application
from understudy.core.refusal import Refusal
from understudy.mechanisms import companions
from understudy.mechanisms.fields import Field
from understudy.samples import census as people
from understudy.studies.imputation import coverage
from understudy.studies.latent import evaluation as medical
from understudy.studies.pmse import evaluation as pmse
from understudy.studies.reproduction import Asked, reproductions
from understudy.studies.seedbased import evaluation as census
from understudy.studies.traces import evaluation as locations

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
    "census": ((people, "simulate"), (census, "reproduce")),
    "medical": ((medical, "reproduced"),),
    "pmse": ((pmse, "reproduced"),),
    "locations": ((locations, "reproduced"),),
    "imputation": ((coverage, "simulated"),),
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
    asked = Asked(quick, seed, settings, "", "2026-01-01", lambda *_: None)  # type: ignore[arg-type, return-value]
    heard: list[str] = []

    def recorder(real: Callable[..., Any], *, last: bool) -> Callable[..., Any]:
        def record(*given: Any, **named: Any) -> Any:
            # What was asked is not what is done, and pieces of code are the same whatever is.
            kept = [each for each in given if not isinstance(each, Asked) and not callable(each)]
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
