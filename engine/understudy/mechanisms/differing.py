"""In which settings several plans differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from understudy.mechanisms.plan import MechanismPlan


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


def settings(plans: Sequence[MechanismPlan]) -> tuple[Differing, ...]:
    """Return every setting that one of them has, in the order of a plan file."""
    flat = [dict(_flat(plan.model_dump(mode="json"))) for plan in plans]
    names = dict.fromkeys(name for each in flat for name in each)
    return tuple(Differing(name, tuple(each.get(name) for each in flat)) for name in names)


def differing(plans: Sequence[MechanismPlan]) -> tuple[Differing, ...]:
    """Return the settings in which they are not all alike."""
    return tuple(each for each in settings(plans) if not each.alike)


def _flat(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value
