"""The settings of the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from understudy.mechanisms.fields import Field, Option, Place, Switch, Values, Words
from understudy.mechanisms.kinds import Choice, Number, Scale
from understudy.mechanisms.seedbased.fields.groups import MODEL, at_once, has_posterior, holds
from understudy.mechanisms.seedbased.models import INSTALLED, MODELS

OUTSIDE: Final = f"{INSTALLED}:"
"""What comes before the name of a third-party model on the command line."""


@dataclass(frozen=True)
class _Model(Choice):
    """A kind of model, or a third-party one by its name."""

    def read(self, text: str) -> str:
        """As `Kind`."""
        if text.startswith(OUTSIDE):
            return text
        named = {name: said for name, said in self.words.items() if name != INSTALLED}
        return Choice({**named, f"{OUTSIDE}NAME": ""}).read(text)


def _show_model(values: Values) -> str:
    chosen, said = values.get("outside"), MODELS[values["kind"]].title
    return said if chosen is None else f"{said} “{chosen.name}”"


THE_MODEL: Final = (
    Field(
        name="kind",
        words=Words(
            label="Model",
            meaning="What rows are drawn from.",
            help="**Calibrated** buys each piece of knowledge for its price (single columns, which "
            "columns go together, the pairs where it is still off) and fits one model to all of "
            "it: the closest for what it costs. **Published network** is the procedure of the "
            "literature, to compare with. **Independent columns** is simple, cheap, and blind to "
            "any relation between columns: best only where there are too few records for more. A "
            "**third-party model** is one of another package that is installed beside Understudy, "
            "and is taken on its own word.",
        ),
        kind=_Model({kind: each.title for kind, each in MODELS.items()}),
        group=MODEL,
        places=(
            Place("kind", "model.kind", "Model"),
            Place("outside", "model.outside", "Third-party model"),
        ),
        option=Option(
            "The calibrated model, the Bayesian network as published, every attribute on its own, "
            "or a model that another package brings, on its own word (default calibrated).",
            name="--model",
            metavar="calibrated, network, marginals or outside:NAME",
        ),
        stands="folded",
        variants=(
            (
                holds("kind", INSTALLED),
                Words(
                    label="Model",
                    meaning="What rows are drawn from. What it promises is the word of "
                    "whoever made it.",
                ),
            ),
        ),
        shown=_show_model,
    ),
    Field(
        name="model_epsilon",
        words=Words(
            label="ε of the model",
            meaning="For which columns depend on which, and the same for how; they see different "
            "records.",
            help="What learning the model may spend, in all. The published network spends as much "
            "on learning which columns depend on which as on learning how; the two look at "
            "different records, so the larger counts, not the sum.",
        ),
        kind=Number(Scale(0.01, 100), or_none=True),
        group=MODEL,
        places=(Place("model_epsilon", "model.epsilon"),),
        option=Option(
            "ε for learning the model; of the published network, for structure and parameters "
            "each, which see different records (default 1). “none” learns without noise, for "
            "comparison only: nothing is then promised."
        ),
        variants=(
            (at_once, Words(label="ε of the model", meaning="What learning the model may spend.")),
        ),
        none="no noise",
        usual=1.0,
        switch=Switch(
            "noiseless",
            "Model without noise",
            "The model is learned from the exact counts, to see what the noise costs. Nothing is "
            "then promised.",
            on="none",
            caution="The model would be learned from exact counts of confidential records, and "
            "nothing is promised. Use this to compare, not to release.",
        ),
        told=True,
    ),
    Field(
        name="estimate",
        words=Words(
            label="How probabilities are estimated",
            meaning="From the noisy counts.",
            help="The mean of what the noisy counts suggest, or one draw from what they leave "
            "open. Both cost the same.",
        ),
        kind=Choice({"mean": "mean", "sampled": "one draw"}),
        group=MODEL,
        places=(Place("estimate", "model.estimate"),),
        option=Option(
            "Probabilities are the mean of what the noisy counts allow, or a draw from it (default "
            "mean)."
        ),
        stands="folded",
        applies=has_posterior,
    ),
)
