"""The options of a verb, gathered into values: settings of methods among them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from understudy.cli.verb import parser
from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Field, FieldTable
from understudy.mechanisms.kinds import Text

Json = Annotated[
    bool,
    typer.Option("--json", help="Print the figures as one JSON object."),
]


def every_field(tables: Iterable[FieldTable]) -> tuple[Field, ...]:
    """Return the fields of several mechanisms that are written on the command line, each option
    once: the first field that has it says what it means, and all read it alike."""
    found: dict[str, Field] = {}
    for table in tables:
        for each in table.options:
            first = found.setdefault(each.parameter, each)
            assert type(first.kind) is type(each.kind), f"{each.option_name} is read in two ways"
    return tuple(found.values())


@dataclass(frozen=True)
class TypedSettings:
    """Settings as they were typed, each after its option.

    Attributes:
        given: what was typed, by the parameters of the options; what was left out is not there.
        tables: the fields that there are options for.
    """

    given: Mapping[str, Any] = field(default_factory=dict)
    tables: tuple[FieldTable, ...] = ()

    @classmethod
    def from_typed(cls, tables: tuple[FieldTable, ...], typed: Mapping[str, Any]) -> TypedSettings:
        """Return those of a command line, on which an option that was left out is None or empty."""
        return cls(
            {name: each for name, each in typed.items() if each not in (None, [], ())}, tables
        )

    @property
    def options(self) -> tuple[str, ...]:
        """The options that were given."""
        return tuple(
            each.option_name for each in every_field(self.tables) if each.parameter in self.given
        )

    def of(self, table: FieldTable) -> dict[str, Any]:
        """Return what was given for one mechanism, by the names of its fields.

        Raises:
            Refusal: an option was given that is another's.
        """
        own = {each.option_name for each in table.options}
        strange = [each for each in self.options if each not in own]
        if strange:
            raise Refusal(
                f"{', '.join(strange)} cannot be given for this kind of plan.", "Leave it out."
            )
        return {
            each.name: self.given[each.parameter]
            for each in table.options
            if each.parameter in self.given
        }


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
    tables: tuple[FieldTable, ...] = ()
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
        return found, lambda typed: TypedSettings.from_typed(tables, typed)
    gathers: Any = parameter.annotation
    if is_dataclass(gathers) and isinstance(gathers, type):
        return _of_dataclass(gathers), lambda typed: gathers(**typed)
    alone = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
    return [alone], lambda typed: typed[parameter.name]


def _tables(parameter: inspect.Parameter) -> tuple[FieldTable, ...]:
    """Return the tables of fields that a parameter stands for."""
    if get_origin(parameter.annotation) is not Annotated:
        return ()
    return tuple(each for each in get_args(parameter.annotation) if isinstance(each, FieldTable))


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


def _parameter(tables: Sequence[FieldTable], refused: str | None) -> str | None:
    """Return the parameter of the field that a refusal is about; what is no field's stays as it
    is."""
    for table in tables:
        name = table.about(refused)
        if any(each.name == name for each in table.options):
            assert name is not None
            return table[name].parameter
    return refused
