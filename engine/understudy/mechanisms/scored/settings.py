"""What a proposer can be asked for: each of its own settings described once, by whoever brings it.

A plan holds them as numbers by name. The form of a method and the check of a plan are made from
the declarations alone, so neither has to know a proposer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from understudy.core.numerals import significant
from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Words
from understudy.mechanisms.kinds import Flag, Number, Share, Whole

Numbers = Mapping[str, float]


@dataclass(frozen=True)
class ProposerSetting:
    """A setting of a proposer.

    Attributes:
        name: in a plan.
        words: what is said of it.
        kind: what values it takes; of a flag, 1 is yes.
        usual: what it is where it is left out.
        low, high: between which it lies, both included.
    """

    name: str
    words: Words
    kind: Whole | Number | Share | Flag
    usual: float
    low: float = 0.0
    high: float = 1.0

    def takes(self, value: float) -> bool:
        """Return whether it may be this."""
        whole = isinstance(self.kind, Whole | Flag)
        return self.low <= value <= self.high and not (whole and value != math.floor(value))

    @property
    def range(self) -> str:
        """What it may be, in a phrase."""
        if isinstance(self.kind, Flag):
            return "1 for yes, or 0"
        number = "a whole number" if isinstance(self.kind, Whole) else "a number"
        return f"{number} from {significant(self.low)} to {significant(self.high)}"


def settings_in_full(
    proposer: str, settings: Sequence[ProposerSetting], numbers: Numbers
) -> Numbers:
    """Return all settings of a proposer: those of a plan, and the others as usual.

    Args:
        proposer: its name, for messages.
        settings: what it can be asked for.
        numbers: those of the plan.

    Raises:
        Refusal: one is unknown, or out of range.
    """
    known = {each.name: each for each in settings}
    strange = next((name for name in numbers if name not in known), None)
    if strange is not None:
        raise Refusal(
            f"The proposer “{proposer}” has no setting “{strange}”.",
            "Leave it out" + (f", or choose from: {', '.join(known)}." if known else "."),
            field="numbers",
        )
    for name, value in numbers.items():
        if not known[name].takes(value):
            raise Refusal(
                f"“{known[name].words.label}” has to be {known[name].range}.",
                f"Correct it, or leave it out for {significant(known[name].usual)}.",
                field=f"numbers.{name}",
            )
    return {name: float(numbers.get(name, each.usual)) for name, each in known.items()}
