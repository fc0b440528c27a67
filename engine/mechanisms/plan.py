"""What a custodian decides before a run: one frozen value, one file, whichever the method."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field

from engine.core.validation import Frozen
from engine.table.fitting import Policy

TAG: Final = "mechanism"
"""Under this name a plan file says which method it is for; without it, seedbased synthesis."""

CONFIDENTIAL: Final = frozenset({"policies"})
"""What of a plan is not published: that stray values had to be settled tells that there were
some."""

PUBLIC_RECORDS: Final = "public_records"
"""The setting of a plan that counts on a number of records: how many the custodian confirmed to be
publicly known to be in the table at least; None where nobody has said."""


@dataclass(frozen=True)
class NamesColumn:
    """Marks a setting that is the name of a column of the table."""


ColumnName = Annotated[str, NamesColumn()]
"""The name of a column: a form offers those there are, and an opening plan takes the first."""


class MechanismPlan(Frozen, what="the plan"):
    """Everything a run of one method needs besides the table and its schema.

    All of it may be published but what is `CONFIDENTIAL`.

    Attributes:
        kind: which method it is for; see `engine.mechanisms.registry`.
        domain: fingerprint of the schema the plan was made for.
        policies: per column, what becomes of values outside the schema.
    """

    kind: ClassVar[str]

    domain: str
    policies: Mapping[str, Policy] = Field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The settings as a plan file holds them, with the kind of plan."""
        return {TAG: self.kind, **self.model_dump(mode="json")}

    def published(self) -> dict[str, Any]:
        """The settings that may be published."""
        return {name: each for name, each in self.as_dict().items() if name not in CONFIDENTIAL}

    def to_json(self) -> str:
        """The plan file."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"
