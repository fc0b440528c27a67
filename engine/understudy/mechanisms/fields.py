"""Fields: settings described once, for options, forms, reports and comparisons.

A mechanism brings a table of fields. The options of the command line, the form on the page, the
settings in a report and the words for plans that differ are made from it, so none of them has to
know a setting, or which mechanisms there are. Nothing here depends on numerical libraries: the
command line reads these tables before it knows what is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal

from understudy.core.refusal import Refusal
from understudy.mechanisms.kinds import Choice, Kind, Number, Scale, Text, plainly
from understudy.privacy.budget import EPSILON_IN_SHORT

Values = Mapping[str, Any]
"""Settings by the names of their places, such as {"k": 50}; those not known are left out."""

COLUMNS: Final = "number of columns"
"""The name under which `Values` may say how many columns the table has: no name of a setting, as
those hold no blanks."""


@dataclass(frozen=True)
class FieldGroup:
    """Fields that stand together.

    Attributes:
        title: above them in a form.
        panel: above their options in the help of the command line; groups may share one.
    """

    title: str
    panel: str


@dataclass(frozen=True)
class Words:
    """What is said of a field.

    Attributes:
        label: what it is called, beside its sign where it has one.
        meaning: what it does, in a sentence, for readers of a report.
        help: what it does, for whoever decides it: a few sentences in Markdown.
        sign: the letter that stands for it in formulas, such as “γ”.
        short: what it is called in a legend; its sign, or else its label, where left out.
    """

    label: str
    meaning: str
    help: str = ""
    sign: str = ""
    short: str = ""

    @property
    def title(self) -> str:
        """The name of the setting in a form."""
        return f"{self.sign} · {self.label}" if self.sign else self.label

    @property
    def listed(self) -> str:
        """The name of the setting in a sentence or a table."""
        return f"{self.sign}, {self.label}" if self.sign else self.label

    @property
    def brief(self) -> str:
        """The name of the setting where there is little room."""
        return self.short or self.sign or self.label


@dataclass(frozen=True)
class Place:
    """A value that a field sets, in a form and in a plan file.

    Attributes:
        name: what the value is called wherever settings are held by name.
        path: its dotted name in a plan file; whatever stands below it there belongs to it too.
        label: what it is called in a table, where the field sets several.
        brief: what it is called in a form, where the field sets several.
        taken: what may be written for it, in a phrase such as “a whole number from 1 to 9”.
        default: what it usually is, as a person reads it; "" where somebody has to say.
    """

    name: str
    path: str
    label: str = ""
    brief: str = ""
    taken: str = ""
    default: str = ""


@dataclass(frozen=True)
class Option:
    """How a field is written on the command line.

    Attributes:
        help: what its help says, with what holds where it is left out.
        name: of the option; made from the field's where left out.
        metavar: what stands for its value; made from the field's kind and unit where left out.
        several: whether it may be repeated.
    """

    help: str
    name: str = ""
    metavar: str = ""
    several: bool = False


@dataclass(frozen=True)
class Switch:
    """What turns a field on or off that a plan need not have.

    Attributes:
        name: what it is called wherever settings are held by name.
        label: beside it in a form.
        help: what it does.
        on: what the plan has while it is on: the value of the field, or none.
        caution: shown while it is on.
    """

    name: str
    label: str
    help: str
    on: Literal["value", "none"]
    caution: str = ""


def always(_: Values) -> bool:
    """Return True, whatever the other settings are."""
    return True


def holds(name: str, *wanted: Any) -> Callable[[Values], bool]:
    """Return a condition on other settings: that the one of a name is one of these."""
    return lambda values: values.get(name) in wanted


@dataclass(frozen=True)
class Field:
    """One setting of a mechanism.

    Attributes:
        name: of the field, unique in its table.
        words: what is said of it while nothing is known of the other settings.
        kind: what values it takes.
        group: where it stands.
        places: what it sets; none where it only steers how a plan is made.
        unit: of its value, such as “records”.
        option: how it is written on the command line; None where it is not.
        stands: in the form openly, in the fold of the form for what few need, or not in it.
        applies: whether it has a use, given other settings.
        variants: what is said of it instead, where a condition holds: the first that does.
        none: what it means that a plan has none, or an empty list.
        usual: what a form holds for it while a plan has none.
        switch: what turns it on or off; None where it is never off, or follows from others.
        told: whether a report states it where a plan has none.
        shown: how several values are read together, given the settings; None for one value.
        confidential: whether no report may state it.
        only_where_used: whether a plan may not have it while it has no use.
        may_be_empty: whether its box in a form may be left empty, for none.
        paid: whether more of it costs more ε, so that it is asked where the cost is seen.
    """

    name: str
    words: Words
    kind: Kind
    group: FieldGroup
    places: tuple[Place, ...] = ()
    unit: str = "number"
    option: Option | None = None
    stands: Literal["open", "folded", "elsewhere"] = "open"
    applies: Callable[[Values], bool] = always
    variants: tuple[tuple[Callable[[Values], bool], Words], ...] = ()
    none: str = "none"
    usual: Any = None
    switch: Switch | None = None
    told: bool = False
    shown: Callable[[Values], str] | None = None
    confidential: bool = False
    only_where_used: bool = False
    may_be_empty: bool = False
    paid: bool = False

    def choose_words(self, values: Values) -> Words:
        """Return what is said of it, given other settings; the help where only the rest differs."""
        said = next((words for holds, words in self.variants if holds(values)), self.words)
        return said if said.help else replace(said, help=self.words.help)

    def show(self, value: Any) -> str:
        """Return a value of it, as a person reads it."""
        return self.none if _empty(value) else self.kind.show(value)

    def show_among(self, values: Values) -> str:
        """Return what it is among these settings, as a person reads it."""
        if self.shown is not None:
            return self.shown(values)
        return self.show(values.get(self.places[0].name))

    def off(self, values: Values) -> bool:
        """Return whether its switch turns it off, among settings with the positions of their
        switches."""
        if self.switch is None:
            return False
        return bool(values[self.switch.name]) == (self.switch.on == "none")

    @property
    def option_name(self) -> str:
        """The option of the setting, such as “--seeds-at-least”."""
        assert self.option is not None, f"{self.name} is not written on the command line"
        return self.option.name or f"--{self.name.replace('_', '-')}"

    @property
    def parameter(self) -> str:
        """The option of the setting as a name in Python, such as “seeds_at_least”."""
        return self.option_name.removeprefix("--").replace("-", "_")

    @property
    def metavar(self) -> str:
        """What stands for its value in the help of the command line."""
        assert self.option is not None
        if self.option.metavar:
            return self.option.metavar
        return " or ".join(self.kind.words) if isinstance(self.kind, Choice) else self.unit.upper()


@dataclass(frozen=True)
class StatedSetting:
    """A setting of a plan, as a report states it."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True)
class FieldTable:
    """The fields of a mechanism, in the order of its form.

    Attributes:
        fields: they.
        derived: what else stands in a plan file and no field sets, by its dotted name, and why.
    """

    fields: tuple[Field, ...]
    derived: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [each.name for each in self.fields]
        places = [place.name for each in self.fields for place in each.places]
        # What has its place only while it has a use may share it with what has one at other times.
        always_there = [each for each in self.fields if not each.only_where_used]
        paths = [place.path for each in always_there for place in each.places]
        for found in (names, places, paths):
            assert len(set(found)) == len(found), f"named twice: {sorted(found)}"

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __getitem__(self, name: str) -> Field:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @cached_property
    def _by_name(self) -> dict[str, Field]:
        return {each.name: each for each in self.fields}

    @property
    def groups(self) -> tuple[FieldGroup, ...]:
        """The groups, each once."""
        return tuple(dict.fromkeys(each.group for each in self.fields))

    def within(self, group: FieldGroup) -> tuple[Field, ...]:
        """Return the fields of a group."""
        return tuple(each for each in self.fields if each.group == group)

    @property
    def options(self) -> tuple[Field, ...]:
        """The fields that are written on the command line."""
        return tuple(each for each in self.fields if each.option is not None)

    def at(self, path: str) -> Field | None:
        """Return the field that a dotted name of a plan file belongs to, or the first one below
        it."""
        around = (each for each, place in self._places if _below(path, place.path))
        below = (each for each, place in self._places if _below(place.path, path))
        return next(around, None) or next(below, None)

    def about(self, refused: str | None) -> str | None:
        """Return the name of the field that a refusal is about, by its name or a dotted one; what
        is no field's stays as it is."""
        if refused is None or refused in self._by_name:
            return refused
        found = self.at(refused)
        return refused if found is None else found.name

    def label_setting(self, path: str) -> str:
        """Return what a setting of a plan file is called, by its dotted name."""
        found = self.at(path)
        if found is None:
            return path
        place = next((each for each in found.places if _below(path, each.path)), None)
        if place is None:
            return found.words.listed
        label, rest = place.label or found.words.listed, path[len(place.path) + 1 :]
        return f"{label}, {rest}" if rest else label

    def print_setting(self, path: str, value: Any) -> str:
        """Return a setting of a plan file, by its dotted name, as a person reads it."""
        found = self.at(path)
        if found is None:
            return str(value)
        if value is None or found.places[0].path == path:
            return found.show(value)
        return plainly(value)

    def values(self, plan: object, columns: int | None = None) -> dict[str, Any]:
        """Return the settings of a plan by the names of their places; what a plan lacks is None.

        Args:
            plan: the attributes or entries of which lead along the dotted names.
            columns: how many the table has, where that is known.
        """
        found = {place.name: _along(plan, place.path) for _, place in self._places}
        return found if columns is None else {**found, COLUMNS: columns}

    def state_settings(self, values: Values) -> tuple[StatedSetting, ...]:
        """Return what a report states of these settings: those that have a use."""
        return tuple(
            StatedSetting(said.brief, each.show_among(values), said.meaning)
            for each in self.fields
            if each.places and not each.confidential and each.applies(values)
            if each.told or not _absent(values.get(each.places[0].name))
            for said in [each.choose_words(values)]
        )

    @cached_property
    def _places(self) -> tuple[tuple[Field, Place], ...]:
        return tuple((each, place) for each in self.fields for place in each.places)


def nest_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings by their dotted names as a plan takes them: {"test.k": 5} as {"test": {"k":
    5}}."""
    made: dict[str, Any] = {}
    for path, value in settings.items():
        *rooms, last = path.split(".")
        inner = made
        for room in rooms:
            inner = inner.setdefault(room, {})
        inner[last] = value
    return made


def merge_settings(settings: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with others in their place, one within another in its own; of another kind,
    they take nothing over."""
    found = dict(settings)
    for name, value in given.items():
        before = found.get(name)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            alike = value.get("kind", before.get("kind")) == before.get("kind")
            found[name] = merge_settings(before, value) if alike else value
        else:
            found[name] = value
    return found


def read_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Return settings that were typed one by one, such as “test.k=50”, as a plan takes them.

    Raises:
        Refusal: one has no value, or stands both for itself and around another.
    """
    found = {}
    for each in texts:
        name, equals, value = each.partition("=")
        if not name or not equals:
            raise Refusal(
                f"“{each}” is no setting.", "Write its name and its value, such as epsilon=1."
            )
        try:
            found[name] = json.loads(value)
        except (ValueError, RecursionError):
            found[name] = value
    try:
        return nest_settings(found)
    except (TypeError, AttributeError):
        raise Refusal(
            "A setting is given by itself and by what stands within it.", "Give it once."
        ) from None


def _below(path: str, place: str) -> bool:
    """Return whether a dotted name is another, or leads on from it."""
    return f"{path}.".startswith(f"{place}.")


def _absent(value: Any) -> bool:
    return value is False or _empty(value)


def _empty(value: Any) -> bool:
    """Return whether a setting was left out: there is no value, or a list or set of settings of
    none."""
    return value is None or (isinstance(value, Mapping | tuple | list) and not value)


def _along(plan: object, path: str) -> Any:
    """Return the attribute or entry that a dotted name leads to; None where there is none."""
    found: Any = plan
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else getattr(found, name, None)
    return found


SPENT: Final = FieldGroup("What may be spent, and what is publicly known?", "")

EPSILON: Final = Field(
    name="epsilon",
    words=Words(
        label="ε at most",
        meaning="What may be spent in all, on one person.",
        help=f"**ε** (epsilon). {EPSILON_IN_SHORT}",
    ),
    kind=Number(Scale(0.1, 10), step=0.5),
    group=SPENT,
    option=Option("The total ε that may be spent (default 1)."),
)


POLICIES: Final = Field(
    name="policies",
    words=Words(
        label="Values outside the schema",
        meaning="What became of them. That some had to be settled is not published.",
        help="What becomes of values that the schema does not name: stop with a message, count "
        "them as missing (where missing is allowed), or move numbers to the nearest allowed "
        "one.",
    ),
    kind=Text(),
    group=FieldGroup("Where each record goes", "Records"),
    places=(Place("policies", "policies"),),
    unit="column=policy",
    option=Option(
        "What becomes of values of a column that are outside the schema: refuse, missing, or "
        "clip to the nearest number (default refuse). May be repeated.",
        name="--outside",
        several=True,
    ),
    stands="elsewhere",
    confidential=True,
)
