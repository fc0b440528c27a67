"""The options of a verb, gathered into values.

A verb takes few parameters. One that is a frozen dataclass of `Annotated` options stands for all of
them; one that is `Annotated[Settings, …]` with tables of fields stands for an option for every
field that is written on the command line. `with_options` makes of such a verb a function with a
parameter for each option, which is what the library of the command line reads.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from understudy.cli.settings import Settings, every_field
from understudy.cli.verb import parser
from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Field, Table
from understudy.mechanisms.kinds import Text

Make = Callable[[Mapping[str, Any]], Any]
"""From what was typed, by parameter, to the value that the verb takes."""


def option(field: Field) -> Any:
    """Return the option of a field, for a parameter of its own."""
    assert field.option is not None
    return typer.Option(
        field.option_name,
        metavar=field.metavar,
        parser=None if isinstance(field.kind, Text) else parser(field.kind),
        rich_help_panel=field.group.panel or None,
        help=field.option.help,
    )


def with_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Return the verb with a parameter for each option."""
    parameters: list[inspect.Parameter] = []
    made: dict[str, tuple[list[str], Make]] = {}
    tables: tuple[Table, ...] = ()
    for each in inspect.signature(verb, eval_str=True).parameters.values():
        found, make = _spread(each)
        tables += _tables(each)
        parameters += found
        made[each.name] = ([one.name for one in found], make)

    def call(**typed: Any) -> None:
        values = {
            name: make({each: typed[each] for each in own}) for name, (own, make) in made.items()
        }
        try:
            verb(**values)
        except Refusal as refusal:
            field = _parameter(tables, refusal.field)
            raise Refusal(refusal.problem, refusal.remedy, field=field) from None

    call.__name__, call.__doc__, call.__module__ = verb.__name__, verb.__doc__, verb.__module__
    call.__annotations__ = {}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def _spread(parameter: inspect.Parameter) -> tuple[list[inspect.Parameter], Make]:
    """Return the parameters that one of a verb stands for, and how they become it."""
    tables = _tables(parameter)
    if tables:
        found = [_of_field(each) for each in every_field(tables)]
        return found, lambda typed: Settings.typed(tables, typed)
    gathers: Any = parameter.annotation
    if is_dataclass(gathers) and isinstance(gathers, type):
        return _of_dataclass(gathers), lambda typed: gathers(**typed)
    alone = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
    return [alone], lambda typed: typed[parameter.name]


def _tables(parameter: inspect.Parameter) -> tuple[Table, ...]:
    """Return the tables of fields that a parameter stands for."""
    if get_origin(parameter.annotation) is not Annotated:
        return ()
    return tuple(each for each in get_args(parameter.annotation) if isinstance(each, Table))


def _of_field(field: Field) -> inspect.Parameter:
    assert field.option is not None
    kept = list[str] if field.option.several else str
    return inspect.Parameter(
        field.parameter,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kept | None, option(field)],
    )


def _of_dataclass(gathers: type) -> list[inspect.Parameter]:
    hints = get_type_hints(gathers, include_extras=True)
    return [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if each.default is MISSING else each.default,
            annotation=hints[each.name],
        )
        for each in fields(gathers)
    ]


def _parameter(tables: Sequence[Table], refused: str | None) -> str | None:
    """Return the parameter of the field that a refusal is about; what is no field's stays as it
    is."""
    for table in tables:
        name = table.about(refused)
        if any(each.name == name for each in table.options):
            assert name is not None
            return table[name].parameter
    return refused
