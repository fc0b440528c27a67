"""A first schema for a table nobody has described yet."""

from __future__ import annotations

from engine.core.refusal import Refusal
from engine.table.authoring.suggestion import Suggestion, suggest_schema
from engine.table.raw import RawTable


def suggested_schema(raw: RawTable) -> tuple[Suggestion, dict[str, str]]:
    """A schema for the columns that can be described, and why the others cannot.

    Raises:
        Refusal: fewer than two can.
    """
    unusable: dict[str, str] = {}
    while True:
        try:
            return suggest_schema(raw, leave_out=tuple(unusable)), _each_alone(unusable)
        except Refusal as refusal:
            name = refusal.field
            if name not in raw.names or name in unusable:
                raise
            unusable[name] = refusal.problem


def _each_alone(problems: dict[str, str]) -> dict[str, str]:
    """Each column’s own sentence, where a refusal went on with those of the columns after it."""
    following = [*list(problems.values())[1:], ""]
    return {
        name: problem.removesuffix(after).strip()
        for (name, problem), after in zip(problems.items(), following, strict=False)
    }
