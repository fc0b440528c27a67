"""What of accuracy is released beside the table; asked on a form and by a verb of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from understudy.core.numerals import percent, significant
from understudy.mechanisms.fields import Field, Group, Place, Words
from understudy.mechanisms.kinds import AsJson, Flag, Kind, Number, Share

ACCURACY: Final = Group("Figures of accuracy that may be published", "Accuracy")


@dataclass(frozen=True)
class _Statistics(AsJson):
    """Statistics of an acceptance test, read as they stand in a plan file."""

    def show(self, value: Any) -> str:
        """Return what is measured, and how far each may be off."""
        # Forms and options read this table before anything of a plan is needed.
        from understudy.acceptance.statistics import AcceptanceTest, MeanOf, in_words

        said = []
        for each in AcceptanceTest.read({"epsilon": 1, "statistics": value}).statistics:
            told = significant if isinstance(each, MeanOf) else percent
            limit = "" if each.limit is None else f", limit {told(each.limit)}"
            said.append(f"{in_words(each, {})}{limit}")
        return "; ".join(said)


def _field(name: str, label: str, meaning: str, kind: Kind, path: str) -> Field:
    return Field(
        name=name,
        words=Words(label=label, meaning=meaning),
        kind=kind,
        group=ACCURACY,
        places=(Place(name, path),),
        stands="elsewhere",
    )


THE_ACCURACY: Final = (
    _field(
        "acceptance_statistics",
        "Acceptance test, what is measured",
        "Figures that are measured with noise on records held out, and released.",
        _Statistics(),
        "acceptance.statistics",
    ),
    _field(
        "acceptance_epsilon",
        "Acceptance test, ε of all figures together",
        "What the figures of the acceptance test cost one record that is held out.",
        Number(),
        "acceptance.epsilon",
    ),
    _field(
        "acceptance_confidence",
        "Acceptance test, confidence of its intervals",
        "How often such an interval holds what it is about.",
        Share(),
        "acceptance.confidence",
    ),
    _field(
        "noisy_tables",
        "Noisy tables are released",
        "Whether the noisy tables that the model is learned from are released too.",
        Flag(),
        "noisy_tables",
    ),
)
