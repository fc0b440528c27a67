"""A run told to a review board: one idea a slide, from its own settings, statement and figures.

Slides are plain data; `understudy_dashboard/views/present.py` draws them. What comes from the plan
and the statement may be shown to anybody. Slides with figures of the evaluation are internal, and
say so. Nothing here tells when a run was made or how long it took: under one protocol that is a
secret.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import pandas as pd

from understudy.charts.board import worst_pairs, worst_pairs_table
from understudy.charts.enlarging import enlarged
from understudy.charts.kept import kept, kept_table
from understudy.charts.public import PublicPicture, public_pictures
from understudy.evaluation.excess import Excess, stakes_found
from understudy.evaluation.fitness import FURTHER_OFF, Fitness, Use, fitness
from understudy.evaluation.relative_score import Aspect
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.outputs import read_of
from understudy.privacy import wording
from understudy.privacy.budget import Neighbours
from understudy.privacy.strength import AMOUNTS_TO, PRIOR, belief, strength
from understudy_dashboard import sentences, words
from understudy_dashboard.drawings import Drawing

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


WHY: Final = (
    "Every row is somebody.",
    "Taking the names out is not enough: a few facts together, such as age, occupation "
    "and place, are often true of one person only. A synthetic table has other rows, made "
    "up to show what holds of people in general, while what any one person adds to it can be "
    "bounded. The next slides say by how much.",
)
"""Why not the real table: in large letters, and in a few sentences."""

WHY_OF_DAYS: Final = (
    "Where you go is who you are.",
    "Taking the names out is not enough: where somebody lives and works is often true of one "
    "person only, and four places tell most people apart. Made-up people have other homes, other "
    "work and other days, while what any one person adds to them can be bounded. The next slides "
    "say by how much.",
)
"""The same, of tables that say where people are."""


@dataclass(frozen=True)
class Told:
    """The run that is told about.

    Attributes:
        title: what the table is called on the first slide.
        decided: what was run, on which columns, and what that promises.
        said: the statement that went out with the release.
        aspects: what is known of how well the release does.
        excess: how much further off than other real records its table is; None where that was not
            measured.
        steps: how it was made, drawn; none where there is no drawing.
        why: what is said, in large letters and in a few sentences, of why not the real table.
        released: what was released, in a part of a sentence; "" for what is said of any table.
        protected: slides of the method's own on what is protected.
        kept: those on what was kept, where the method measures that otherwise than any.
    """

    title: str
    decided: PlannedRun
    said: Mapping[str, Any]
    aspects: tuple[Aspect, ...] = ()
    excess: Excess | None = None
    steps: tuple[Drawing, ...] = ()
    why: tuple[str, str] = WHY
    released: str = ""
    protected: tuple[Slide, ...] = ()
    kept: tuple[Slide, ...] = ()

    @property
    def stained(self) -> bool:
        """Whether the run used a fixed seed, and promises nothing."""
        return "stain" in self.said

    @property
    def bounded(self) -> bool:
        """Whether anything is promised."""
        return self.decided.guarantee.total.bounded and not self.stained


def slides(told: Told, *, public: bool = False) -> tuple[Slide, ...]:
    """Return the slides in their order.

    Args:
        told: the run.
        public: whether those with internal figures are left out.
    """
    every = (
        _first(told),
        _why(told),
        *told.protected,
        *_learned(told),
        _promised(told),
        _made(told),
        *_foreseen(told),
        *_measured(told),
        *told.kept,
        _not_promised(told),
        _asked(told),
    )
    return tuple(each for each in every if not (public and each.internal))


def _first(told: Told) -> Slide:
    warning = f"**{words.plain(str(told.said['stain']))}**" if told.stained else ""
    return Slide(
        "title",
        words.plain(told.title),
        text=warning or _released(told),
    )


def _released(told: Told) -> str:
    """Return what was released, and that something is promised about it."""
    table, columns = told.said["table"], words.count(len(told.decided.schema), "column")
    if told.released:
        return f"{told.released}, and what is promised about them."
    if table is None:
        return f"Figures made from a table of {columns}, and what is promised about them."
    rows = words.count(table["rows"], "made-up record")
    return f"A synthetic table of {rows} in {columns}, and what is promised about it."


def _why(told: Told) -> Slide:
    big, text = told.why
    return Slide("why", "Why not the real table?", big=big, text=text)


def _promised(told: Told) -> Slide:
    if not told.bounded:
        return Slide(
            "promise",
            "What is promised",
            big="Nothing",
            text="This release was made for comparison or demonstration. It must not be "
            "published as private.",
        )
    total = told.decided.guarantee.total
    said = [
        AMOUNTS_TO[strength(total)],
        wording.guarantee_sentence(
            total,
            told.decided.guarantee.records_told,
            told.decided.guarantee.neighbours,
            read_of(told.decided.outputs),
        ),
        sentences.of_population(told.decided.guarantee.population),
    ]
    return Slide(
        "promise",
        "What is promised",
        big=f"ε = {words.epsilon(total.epsilon)}",
        text=" ".join(each for each in said if each),
    )


def _learned(told: Told) -> tuple[Slide, ...]:
    """Return what a reader can learn at most; nothing to say where nothing is promised."""
    if not told.bounded:
        return ()
    total = told.decided.guarantee.total
    neighbours = told.decided.guarantee.neighbours
    replaced = neighbours is Neighbours.REPLACEMENTS
    found = belief(PRIOR, total, "replaced" if replaced else "presence")
    reached = "all but certain" if wording.says_nothing(found) else wording.at_most_in_words(found)
    return (
        Slide(
            "belief",
            "What one person’s record can show, at most",
            big=f"{words.percent(PRIOR)} → {words.unbroken(reached)}",
            text=words.unbroken(
                wording.belief_sentence(
                    total, of=read_of(told.decided.outputs), neighbours=neighbours
                )
            ),
        ),
    )


def _made(told: Told) -> Slide:
    if told.steps:
        return Slide("making", "How it was made", drawings=told.steps)
    mechanism = told.decided.mechanism
    return Slide("making", "How it was made", big=mechanism.title, text=mechanism.purpose)


def _foreseen(told: Told) -> tuple[Slide, ...]:
    """Return how near the release comes, foreseen from public numbers, so that anybody may see
    it."""
    if told.stained:
        return ()
    found = [each for each in public_pictures(told.decided) if each.foresees]
    return tuple(
        Slide(
            f"foreseen-{each.name}",
            each.title,
            text=words.plain(each.in_short or each.said),
            chart=partial(_large, each),
            alt=each.alt,
        )
        for each in found
    )


def _large(found: PublicPicture) -> Chart:
    return enlarged(found.figure, _LARGER), found.table


def _measured(told: Told) -> tuple[Slide, ...]:
    """Return what was kept and what was lost, where it was measured."""
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
    """Return what the table is fit for, then what it is not and where it is furthest off."""
    excess = told.excess
    if excess is None:
        return ()
    titles = [each.title or each.name for each in told.decided.compared.columns]
    said = fitness(stakes_found(excess), titles)
    return (
        Slide("fit", "What it is fit for", text=FURTHER_OFF, points=_uses(said.fit), internal=True),
        Slide(
            "unfit",
            "What it is not fit for",
            points=_uses(said.unfit),
            internal=True,
        ),
        Slide(
            "lost",
            "What was lost",
            text=_farthest(said),
            chart=lambda: (
                enlarged(worst_pairs(excess, titles), _LARGER),
                worst_pairs_table(excess, titles),
            ),
            alt="The pairs of columns in which the release is further off than other real records",
            internal=True,
        ),
    )


def _uses(uses: Sequence[Use]) -> tuple[str, ...]:
    return tuple(words.plain(str(each)) for each in uses)


def _farthest(said: Fitness) -> str:
    """Return what follows from the chart of the pairs that are furthest off."""
    if said.pairs_hold:
        return (
            "In no pair was half or more of what there is to keep lost, so these can be relied on "
            "too."
        )
    return (
        "A pair in which half or more of what its columns have to do with each other was lost "
        "should not be relied on."
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
    what = "the figures" if told.said["table"] is None else "the table"
    return (
        f"With that, {what} may be published, at {words.budget(told.decided.guarantee.total)}. "
        "Every further release from the same records adds to it."
    )


def _points(said: Sequence[str]) -> tuple[str, ...]:
    return tuple(words.plain(each) for each in said)
