"""A run told to a review board: one idea a slide, from its own settings, statement and figures.

Slides are plain data; `dashboard/views/present.py` draws them. What comes from the plan and the
statement may be shown to anybody. Slides with figures of the evaluation are internal, and say so.
Nothing here tells when a run was made or how long it took: under one protocol that is a secret.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from dashboard import drawings, sentences, words
from dashboard.drawings import Drawing
from engine.charts.board import worst_pairs, worst_pairs_table
from engine.charts.enlarging import enlarged
from engine.charts.kept import kept, kept_table
from engine.evaluation.aspects import Aspect
from engine.evaluation.study import RELEASED
from engine.mechanisms.seedbased.evaluation.figures import Figures
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.promise import Promise
from engine.privacy import wording
from engine.privacy.belief import belief
from engine.privacy.strength import AMOUNTS_TO, PRIOR, strength
from engine.table.schema import Schema

_LARGER: Final = 1.4
"""How much larger a chart is than on a page."""

Chart = tuple[Any, pd.DataFrame]


@dataclass(frozen=True)
class Slide:
    """One screen.

    Attributes:
        name: names it among the slides.
        title: its one idea.
        big: a number or a few words, in the largest letters.
        text: a few sentences, in Markdown.
        points: things side by side in rank, in Markdown.
        drawings: pictures with a sentence each, from left to right.
        chart: makes a chart and its table; None where there is none.
        alt: what the chart shows, for who cannot see it.
        internal: whether it shows what was computed from confidential records without noise.
    """

    name: str
    title: str
    big: str = ""
    text: str = ""
    points: tuple[str, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    chart: Callable[[], Chart] | None = None
    alt: str = ""
    internal: bool = False


@dataclass(frozen=True)
class Told:
    """The run that is told about.

    Attributes:
        title: what the table is called on the first slide.
        plan, schema, made: what was run, on which columns, and what that promises.
        said: the statement that went out with the release.
        aspects: what is known of how well the release does.
        figures: what was measured when the run ended; None where nothing was.
    """

    title: str
    plan: Plan
    schema: Schema
    made: Promise
    said: Mapping[str, Any]
    aspects: tuple[Aspect, ...] = ()
    figures: Figures | None = None

    @property
    def stained(self) -> bool:
        """Whether the run used a fixed seed, and promises nothing."""
        return "stain" in self.said

    @property
    def bounded(self) -> bool:
        """Whether anything is promised."""
        return self.made.total.bounded and not self.stained


def slides(told: Told, *, public: bool = False) -> tuple[Slide, ...]:
    """The slides in their order.

    Args:
        told: the run.
        public: whether those with internal figures are left out.
    """
    every = (
        _first(told),
        _why(),
        *_learned(told),
        _promised(told),
        _made(told),
        *_measured(told),
        _not_promised(told),
        _asked(told),
    )
    return tuple(each for each in every if not (public and each.internal))


def _first(told: Told) -> Slide:
    columns = words.count(len(told.schema), "column")
    warning = f"**{words.plain(str(told.said['stain']))}**" if told.stained else ""
    return Slide(
        "title",
        words.plain(told.title),
        text=warning
        or f"A synthetic table of {words.count(told.said['table']['rows'], 'made-up record')} in "
        f"{columns}, and what is promised about it.",
    )


def _why() -> Slide:
    return Slide(
        "why",
        "Why not the real table?",
        big="Every row is somebody.",
        text="Taking the names out is not enough: a few facts together, such as age, occupation "
        "and place, are often true of one person only. A synthetic table has other rows, made "
        "up to show what holds of people in general, while what any one person adds to it can be "
        "bounded. The next slides say how far it is.",
    )


def _promised(told: Told) -> Slide:
    if not told.bounded:
        return Slide(
            "promise",
            "What is promised",
            big="Nothing",
            text="This release was made for comparison or demonstration. It must not be "
            "published as private.",
        )
    total = told.made.total
    said = [
        AMOUNTS_TO[strength(total)],
        wording.guarantee_sentence(total, told.plan.records_per_person),
        sentences.of_population(told.plan, told.made),
    ]
    return Slide(
        "promise",
        "What is promised",
        big=f"ε = {words.epsilon(total.epsilon)}",
        text=" ".join(each for each in said if each),
    )


def _learned(told: Told) -> tuple[Slide, ...]:
    """What a reader can learn at most; nothing to say where nothing is promised."""
    if not told.bounded:
        return ()
    total = told.made.total
    worst = belief(PRIOR, total, "value")
    reached = "all but certain" if wording.says_nothing(worst) else wording.at_most_in_words(worst)
    return (
        Slide(
            "belief",
            "What a reader learns about one person, at most",
            big=f"{words.percent(PRIOR)} → {words.unbroken(reached)}",
            text=words.unbroken(wording.belief_sentence(total)),
        ),
    )


def _made(told: Told) -> Slide:
    seedless = told.made.seeds is None
    steps = _from_the_model(told) if seedless else _from_seeds(told)
    return Slide("making", "How it was made", drawings=steps)


def _from_the_model(told: Told) -> tuple[Drawing, ...]:
    columns = len(told.schema)
    return (
        drawings.noisy_counts(
            "Records are **counted**, "
            + (
                "without noise, to compare."
                if told.plan.model.epsilon is None
                else "and random noise is added to every count, which blurs what one record adds."
            )
        ),
        drawings.record(
            columns,
            0,
            f"From these counts alone, **every record is made up**: all {columns} columns, one "
            "after another.",
        ),
        drawings.table(
            "Nothing is copied from a real record. **Making more records shows nothing more.**"
        ),
    )


def _from_seeds(told: Told) -> tuple[Drawing, ...]:
    plan, columns = told.plan, len(told.schema)
    kept_columns = columns - plan.omega.high
    range_ = "" if plan.omega.fixed else f" to {columns - plan.omega.low}"
    return (
        drawings.record(
            columns,
            kept_columns,
            f"A real record is drawn. **{kept_columns}{range_} of {columns} columns are kept**, "
            "and the others are made up by a model learned "
            f"{'without' if plan.model.epsilon is None else 'with'} noise.",
        ),
        drawings.crowd(
            f"It is released only if **about {plan.test.k:,} real records** could have made it "
            f"as easily. {'Noise blurs' if plan.test.epsilon0 else 'No noise blurs'} that number.",
        ),
        drawings.gate(
            f"{_tried(plan)} What fails is **never seen** by anybody.",
        ),
    )


def _tried(plan: Plan) -> str:
    if plan.protocol == "releases":
        return f"This goes on until {words.count(plan.attempts, 'record')} have passed."
    return f"This is tried {plan.attempts:,} times."


def _measured(told: Told) -> tuple[Slide, ...]:
    """What was kept and what was lost, where it was measured."""
    return (*_kept(told.aspects), *_lost(told))


def _kept(aspects: tuple[Aspect, ...]) -> tuple[Slide, ...]:
    if not aspects:
        return ()
    return (
        Slide(
            "kept",
            "What was kept",
            chart=lambda: (enlarged(kept(aspects), _LARGER), kept_table(aspects)),
            alt="Where the release stands between marginals and other real records",
            internal=True,
        ),
    )


def _lost(told: Told) -> tuple[Slide, ...]:
    figures = told.figures
    if figures is None or not any(each.name == RELEASED for each in figures.compared):
        return ()
    compared, titles = figures.compared, [each.title or each.name for each in told.schema.columns]
    return (
        Slide(
            "lost",
            "What was lost",
            text="Whoever studies how these columns go together should not rely on this table.",
            chart=lambda: (
                enlarged(worst_pairs(compared, titles), _LARGER),
                worst_pairs_table(compared, titles),
            ),
            alt="The pairs of columns in which the release differs most from real records",
            internal=True,
        ),
    )


def _not_promised(told: Told) -> Slide:
    return Slide(
        "not-promised",
        "What is not promised",
        points=_points(told.said["guarantee"]["not_covered"])
        or ("Anything: this release is not private.",),
    )


def _asked(told: Told) -> Slide:
    said = told.said["guarantee"]
    return Slide(
        "signing",
        "What the board is asked to confirm",
        points=_points(said["assumes"]) or ("Nothing: this release must not be published.",),
        text=_spends(told),
    )


def _spends(told: Told) -> str:
    if not told.bounded:
        return ""
    return (
        f"With that, the table may be published, at {words.budget(told.made.total)}. Every "
        "further release from the same records adds to it."
    )


def _points(said: Sequence[str]) -> tuple[str, ...]:
    return tuple(words.plain(each) for each in said)
