"""The options of a verb are those of its table of fields, and of what it gathers."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
import typer

from understudy.cli.application import command
from understudy.cli.options import Settings, option, with_options
from understudy.cli.verb import Verb
from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Field, Group, Option, Place, Table, Words
from understudy.mechanisms.kinds import Choice, Number, OrNone, Whole
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.fields.wanted import WANTED
from understudy.mechanisms.seedbased.proposal import Wanted
from understudy.models.marks import UNMARKED

OWN = {
    "--schema", "--out", "--plan", "--save-plan", "--demo-seed", "--dataset", "--new-people",
    "--because", "--keep", "--project", "--resume", "--quiet", "--json", "--help", "--database",
    "--query", "--format", "--streamed", "--cores", "--memory", "--minutes", "--scheduler",
    "--shared",
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


GROUP = Group("Toys", "Toys of another mechanism")
TOY = Table(
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
    seen: list[tuple[Somewhere, Settings]] = []

    def verb(place: Somewhere, settings: Annotated[Settings, TOY]) -> None:
        """Do it."""
        seen.append((place, settings))

    run(verb, "--here", "x", "--bins", "4", "--noise", "none", "--shape", "round")
    ((place, settings),) = seen
    assert place == Somewhere(here="x", times=1)
    assert settings.of(TOY) == {"bins": 4, "scale": OrNone(None), "shape": "round"}
    assert settings.options == ("--bins", "--shape", "--noise")


def test_a_refusal_names_the_option_of_its_field() -> None:
    def verb(settings: Annotated[Settings, TOY]) -> None:
        """Do it."""
        raise Refusal("Too many.", "Take fewer.", field="grid.bins")

    with pytest.raises(Refusal, match="--bins: Too many"):
        run(verb)


def test_a_value_of_the_wrong_kind_is_a_sentence() -> None:
    def verb(settings: Annotated[Settings, TOY]) -> None:
        """Do it."""

    with pytest.raises(Exception, match="“oval” is not round or square"):
        run(verb, "--shape", "oval")


def test_a_parameter_of_its_own_stays_one() -> None:
    def verb(k: Annotated[int, option(FIELDS["k"])] = 5, *, often: int = 2) -> None:
        """Do it."""

    assert list(inspect.signature(with_options(verb)).parameters) == ["k", "often"]
