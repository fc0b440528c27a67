"""A first schema for a table nobody has described yet."""

from __future__ import annotations

from typing import Final

from understudy.core.numerals import count
from understudy.core.refusal import Refusal
from understudy.table.authoring.suggestion import Suggestion, suggest_schema
from understudy.table.raw import RawTable

_NAMED: Final = 3
"""The most columns whose reasons are given where too few can be used."""


def suggested_schema(raw: RawTable) -> tuple[Suggestion, dict[str, str]]:
    """Return a schema for the columns that can be described, and why the others cannot.

    Raises:
        Refusal: fewer than two can.
    """
    unusable: dict[str, str] = {}
    remedies: list[str] = []
    while True:
        try:
            return suggest_schema(raw, leave_out=tuple(unusable)), _each_alone(unusable)
        except Refusal as refusal:
            name = refusal.field
            if name not in raw.names or name in unusable:
                raise _too_few(refusal, raw, unusable, remedies) from None
            unusable[name] = refusal.problem
            remedies.append(refusal.remedy)


def _too_few(
    refusal: Refusal, raw: RawTable, unusable: dict[str, str], remedies: list[str]
) -> Refusal:
    """Return the refusal of a table too few columns of which can be used, with what is wrong with
    the others: that is what there is to mend, and not how many are left."""
    if not unusable:
        return refusal
    usable = count(len(raw.names) - len(unusable), "column")
    reasons = list(_each_alone(unusable).values())
    more = f" The same or the like holds of {len(reasons) - _NAMED:,} more."
    return Refusal(
        f"Only {usable} of this table can be used, and 2 are needed. "
        f"{' '.join(reasons[:_NAMED])}{more if len(reasons) > _NAMED else ''}",
        remedies[0],
        field=refusal.field,
    )


def _each_alone(problems: dict[str, str]) -> dict[str, str]:
    """Return each column’s own sentence, where a refusal went on with those of the columns after
    it."""
    following = [*list(problems.values())[1:], ""]
    return {
        name: problem.removesuffix(after).strip()
        for (name, problem), after in zip(problems.items(), following, strict=False)
    }
