"""What a custodian decides before a run: one frozen value, one file, whichever the method."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field

from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.mechanisms.fields import FieldGroup
from understudy.privacy.accounting.guarantee import MOST_RECORDS
from understudy.privacy.accounting.unit_counts import MOST_KNOWN
from understudy.table.fit import Policy
from understudy.table.schema import Schema

TAG: Final = "mechanism"
"""Under this name a plan file says which method it is for; without it, seedbased synthesis."""

CONFIDENTIAL: Final = frozenset({"policies"})
"""What of a plan is not published: that stray values had to be settled tells that there were
some."""

PUBLIC_RECORDS: Final = "public_records"
"""The setting of a plan that counts on a number of records: how many the custodian confirmed to be
publicly known to be in the table at least; None where nobody has said."""

RECORDS: Final = "records"
"""The setting, of a plan that has `PUBLIC_RECORDS` and promises between tables of one number of
records, that is this number."""

ROWS: Final = "rows"
"""The setting, of a plan that has `PUBLIC_RECORDS`, that says how many records are made."""

PUBLIC_PEOPLE: Final = "public_people"
"""The same of a plan that counts on a number of people."""


@dataclass(frozen=True)
class NamesColumn:
    """Marks a setting that is the name of a column of the table."""


ColumnName = Annotated[str, NamesColumn()]
"""The name of a column: a form offers those there are, and an opening plan takes the first."""

Epsilon = Annotated[float, Field(ge=1e-4, le=1000, allow_inf_nan=False)]
"""What something may cost; a smaller ε releases noise, and a larger one promises nothing."""

Delta = Annotated[float, Field(ge=1e-30, lt=1, allow_inf_nan=False)]
"""The δ of a total that cannot do without one."""

RecordsKnown = Annotated[int, Field(ge=1, le=MOST_KNOWN)]
"""A number of records that is counted on."""

RecordsPerPerson = Annotated[int, Field(ge=1, le=MOST_RECORDS)]
"""The most records that one person may have in the table."""

HeldOut = Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)]
"""The chance with which a record is only compared with."""


class MechanismPlan(Frozen, what="the plan"):
    """Everything a run of one method needs besides the table and its schema.

    All of it may be published but what is `CONFIDENTIAL`.

    Attributes:
        kind: which method it is for; see `understudy.mechanisms.registry`.
        domain: fingerprint of the schema the plan was made for.
        policies: per column, what becomes of values outside the schema.
        belonging: settings that only make sense with the value that another has, by name with the
            other's: where the other is chosen anew, the opening's are not kept.
        form_groups: of its settings, in the order of a form; others stand below them.
        tagged: whether plan files name the method.
        left_out: settings that plan files leave out if they are empty, as older files have none.
    """

    kind: ClassVar[str]
    belonging: ClassVar[Mapping[str, str]] = {}
    form_groups: ClassVar[tuple[FieldGroup, ...]] = ()
    tagged: ClassVar[bool] = True
    left_out: ClassVar[frozenset[str]] = frozenset()

    domain: str
    policies: Mapping[str, Policy] = Field(default_factory=dict)

    def check(self, schema: Schema) -> None:
        """Check that the plan was made for this schema and fits it.

        Raises:
            Refusal: it was made for another, or settles values of a column that is not there.
        """
        if self.domain != schema.fingerprint:
            raise Refusal(
                "The plan was made for another schema.",
                "Load the schema it was made for, or make a new plan.",
                field="domain",
            )
        for name in self.policies:
            if name not in schema.names:
                raise Refusal(
                    f"The plan settles values outside the schema for “{name}”, which is no column.",
                    "Name a column of the schema: " + ", ".join(schema.names) + ".",
                    field="policies",
                )

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as a plan file holds them, with the kind of plan if it is tagged."""
        settings = self.model_dump(mode="json")
        empty = {name for name in self.left_out if name in settings and not getattr(self, name)}
        named = {name: value for name, value in settings.items() if name not in empty}
        return {TAG: self.kind, **named} if self.tagged else named

    def publish(self) -> dict[str, Any]:
        """Return the settings that may be published."""
        return {name: each for name, each in self.as_dict().items() if name not in CONFIDENTIAL}

    def to_json(self) -> str:
        """Return the plan file."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class Differing:
    """A setting of several plans.

    Attributes:
        setting: its dotted name in a plan file, such as "test.k".
        values: what it is in each plan, as in the file; None where a plan has no such setting.
    """

    setting: str
    values: tuple[Any, ...]

    @property
    def alike(self) -> bool:
        """Whether the plans share it after all."""
        return all(value == self.values[0] for value in self.values)


def list_all_settings(plans: Sequence[MechanismPlan]) -> tuple[Differing, ...]:
    """Return every setting that one of them has, in the order of a plan file."""
    flat = [dict(_flat(plan.model_dump(mode="json"))) for plan in plans]
    names = dict.fromkeys(name for each in flat for name in each)
    return tuple(Differing(name, tuple(each.get(name) for each in flat)) for name in names)


def _flat(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value
