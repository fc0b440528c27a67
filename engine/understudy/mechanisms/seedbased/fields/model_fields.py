"""Fields of the model, of marks, and of where each record goes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from understudy.core.numerals import percent
from understudy.mechanisms.fields import (
    COLUMNS,
    POLICIES,
    Field,
    FieldGroup,
    Option,
    Place,
    Switch,
    Values,
    Words,
    holds,
)
from understudy.mechanisms.kinds import Choice, GroupsOfColumns, Number, OfColumns, Scale, Text
from understudy.mechanisms.seedbased.models import INSTALLED, MODELS, USUAL
from understudy.models.about import ModelAbout

TEST: Final = FieldGroup("The test", "Privacy test")
CANDIDATES: Final = FieldGroup("Candidates", "Run")
PROMISE: Final = FieldGroup("The promise", "Run")
MODEL: Final = FieldGroup("The model", "Model")
RECORDS: Final = FieldGroup("Where each record goes", "Records")


def seedless(values: Values) -> bool:
    """Return whether every column is always drawn afresh, as far as is known."""
    low, high, columns = (values.get(name) for name in ("omega_low", "omega_high", COLUMNS))
    return columns is not None and low == high == columns


def is_tested(values: Values) -> bool:
    """Return whether candidates are tested."""
    return not seedless(values)


def has_gamma(values: Values) -> bool:
    """Return whether the test weighs likelihoods within a factor."""
    return is_tested(values) and values.get("test") != "relative-sensitivity"


def has_noise(values: Values) -> bool:
    """Return whether candidates are tested with noise, as far as is known."""
    return is_tested(values) and values.get("epsilon0", ...) is not None


def a_range(values: Values) -> bool:
    """Return whether ω is a range."""
    return values.get("omega_low") != values.get("omega_high")


def rows_only(values: Values) -> bool:
    """Return whether nothing is counted but rows."""
    return seedless(values) and values.get("protocol") != "releases"


def at_once(values: Values) -> bool:
    """Return whether the model is learned from all the records it may see together."""
    return _about(values).at_once


def has_posterior(values: Values) -> bool:
    """Return whether the model's probabilities can be drawn from a posterior."""
    return _about(values).posterior


def has_marks(values: Values) -> bool:
    """Return whether what is marked as important counts for more in what the model learns."""
    return _about(values).marked


def _about(values: Values) -> ModelAbout:
    return MODELS[values.get("kind", USUAL)]


OUTSIDE: Final = f"{INSTALLED}:"
"""What comes before the name of a third-party model on the command line."""


@dataclass(frozen=True)
class _Model(Choice):
    """A kind of model, or a third-party one by its name."""

    def read(self, text: str) -> str:
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
            "different records, so they do not add up.",
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


@dataclass(frozen=True)
class _Together(GroupsOfColumns):
    """Pairs and triples of columns, on the command line with commas within and semicolons
    between."""

    def read(self, text: str) -> Any:
        """Answer as `Kind`; names that hold a comma or semicolon as in a plan file, in JSON."""
        if text.lstrip().startswith("["):
            return super().read(text)
        return [[name.strip() for name in group.split(",")] for group in text.split(";")]


THE_MARKS: Final = (
    Field(
        name="target",
        words=Words(
            label="Target",
            meaning="The column that others are used to explain: every pair with it counts for "
            "more.",
            help="The column that analyses will explain or predict, such as an outcome. Every "
            "pair with it counts for more when the budget is divided.",
        ),
        kind=OfColumns(),
        group=MODEL,
        places=(Place("target", "marks.target"),),
        unit="column",
        option=Option(
            "The column that others are used to explain: every pair with it gets more of the "
            "budget, and others less (default: none)."
        ),
        stands="elsewhere",
        applies=has_marks,
        may_be_empty=True,
    ),
    Field(
        name="survive",
        words=Words(
            label="Columns that must survive",
            meaning="They, and every pair of them with another column, count for more.",
            help="Columns that matter more than others, by themselves and with others.",
        ),
        kind=OfColumns(several=True),
        group=MODEL,
        places=(Place("survive", "marks.columns"),),
        unit="columns",
        option=Option(
            "Columns that matter more than others, with commas between: they get more of the "
            "budget, and others less (default: none).",
            name="--must-survive",
        ),
        stands="elsewhere",
        applies=has_marks,
        usual=[],
    ),
    Field(
        name="together",
        words=Words(
            label="Pairs and triples that must survive",
            meaning="How these columns hang together counts for much more than other pairs.",
            help="Two or three columns each, whose relation must survive: a marked pair is "
            "measured before others, and more precisely. A triple is measured once its pairs are "
            "known.",
        ),
        kind=_Together(),
        group=MODEL,
        places=(Place("together", "marks.together"),),
        unit="A,B;C,D,E",
        option=Option(
            "Pairs and triples of columns that must survive, with commas within each and "
            "semicolons between them: they get more of the budget, and others less (default: "
            "none).",
        ),
        stands="elsewhere",
        applies=has_marks,
        usual=[],
    ),
)


_SHARES: Final = (
    Place("seeds", "shares.seeds", "Share of records that are seeds", "Seeds"),
    Place("structure", "shares.structure", "Share that shows the structure", "Structure"),
    Place("parameters", "shares.parameters", "Share that shows the parameters", "Parameters"),
    Place("held_out", "shares.held_out", "Share held out", "Held out"),
)


def _show_shares(values: Values) -> str:
    return " · ".join(percent(values[place.name]) for place in _SHARES)


THE_RECORDS: Final = (
    Field(
        name="shares",
        words=Words(
            label="Shares of the records",
            meaning="Seeds, structure, parameters, held out to compare with. A coin decides for "
            "each record.",
            help="Each record goes to one of four parts by a coin of its own: seeds for "
            "candidates, records that show which columns depend on which, records that show how, "
            "and records held out to compare with. The calibrated model is learned from the two "
            "middle parts together. A plan that copies nothing needs no seeds.",
        ),
        kind=Text(),
        group=RECORDS,
        places=_SHARES,
        unit="S,T,P,H",
        option=Option(
            "The chance that a record serves as a seed, for the structure, for the parameters, or "
            "is held out; together 1 (default 0.3,0.3,0.3,0.1)."
        ),
        stands="folded",
        variants=(
            (
                seedless,
                Words(
                    label="Shares of the records",
                    meaning="Left aside, structure, parameters, held out to compare with. A coin "
                    "decides for each record.",
                ),
            ),
            (
                at_once,
                Words(
                    label="Shares of the records",
                    meaning="Seeds, structure, parameters, held out to compare with. A coin "
                    "decides for each record. The model is learned from the two middle parts "
                    "together.",
                ),
            ),
        ),
        shown=_show_shares,
    ),
    replace(POLICIES, group=RECORDS),
)
