"""The slides of a run, their drawings, and how one is drawn on a wall."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import pandas as pd
import streamlit as st

from understudy.charts.excess import worst_pairs, worst_pairs_table
from understudy.charts.export import enlarge
from understudy.charts.kept import chart_kept, kept_table
from understudy.charts.public import PublicPicture, public_pictures
from understudy.evaluation.excess import Excess, stakes_found
from understudy.evaluation.fitness import FURTHER_OFF, Fitness, Use, fitness
from understudy.evaluation.relative_score import Aspect
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.outputs import read_of
from understudy.privacy import wording
from understudy.privacy.budget import Neighbours
from understudy.privacy.strength import AMOUNTS_TO, PRIOR, belief, strength
from understudy_dashboard import words
from understudy_dashboard.frame import mark_internal
from understudy_dashboard.parts.pictures import draw_picture

_WIDTH, _HEIGHT = 240, 150
_KEPT: Final = "var(--kept)"
_MADE: Final = "var(--made)"
_MOST_CELLS: Final = 12

CSS: Final = """
.drawing { --kept: light-dark(#00639b, #56b4e9); --made: light-dark(#007a57, #3fbf95);
  --quiet: light-dark(#5b6570, #a4adb6); display: block; width: 100%; max-width: 26rem; }
"""


@dataclass(frozen=True)
class SlideDrawing:
    """A drawing and what it says.

    Attributes:
        svg: the drawing.
        text: one or two sentences, in Markdown.
    """

    svg: str
    text: str


def draw_record(columns: int, kept: int, text: str) -> SlideDrawing:
    """Return a record of a real table above one made from it, what is kept filled alike.

    Args:
        columns: how many columns it has.
        kept: how many of them are copied; 0 where nothing is.
        text: what to say.
    """
    cells = min(columns, _MOST_CELLS)
    same = 0 if kept == 0 else max(1, round(kept * cells / columns))
    wide = (_WIDTH - 20) / cells
    parts = []
    for at in range(cells):
        x = 10 + at * wide
        if kept:
            parts.append(_draw_cell(x, 22, wide, _KEPT, filled=at < same))
            if at < same:
                parts.append(_draw_arrow(x + wide / 2, 56, x + wide / 2, 88))
        parts.append(
            _draw_cell(x, 95 if kept else 60, wide, _KEPT if at < same else _MADE, filled=True)
        )
    return make_drawing(parts, "A record: some cells are copied, the others are new.", text)


def draw_crowd(text: str) -> SlideDrawing:
    """Return many records that could have made the same candidate."""
    parts = [_draw_circle(24 + 24 * (at % 5), 24 + 26 * (at // 5), 8, _KEPT) for at in range(20)]
    parts += [_draw_arrow(142, 75, 172, 75), _draw_cell(180, 60, 50, _MADE, filled=True, height=30)]
    return make_drawing(parts, "Many records that could all have made one candidate.", text)


def draw_gate(text: str) -> SlideDrawing:
    """Draw candidates at a gate: some go on into a table, the others to nowhere."""
    parts = [_draw_circle(18, 30 + 22 * at, 7, _MADE) for at in range(5)]
    parts += [
        f'<path d="M92 12 V58 M92 92 V138" stroke="{_KEPT}" stroke-width="6"/>',
        _draw_arrow(32, 75, 82, 75),
        _draw_arrow(102, 75, 148, 75),
    ]
    parts += [_draw_cell(156, 42 + 22 * at, 74, _MADE, filled=True, height=16) for at in range(3)]
    parts.append('<path d="M50 104 l16 16 m0 -16 l-16 16" stroke="var(--quiet)" stroke-width="4"/>')
    return make_drawing(parts, "Candidates at a gate; some pass into a table.", text)


def draw_noisy_counts(text: str) -> SlideDrawing:
    """Draw bars of counts, with a band of noise at the top of each."""
    heights = (52, 88, 70, 104, 40, 64)
    parts = []
    for at, height in enumerate(heights):
        x, top = 18 + 36 * at, 138 - height
        parts.append(
            f'<rect x="{x}" y="{top}" width="24" height="{height}" fill="{_KEPT}" opacity="0.85"/>'
        )
        parts.append(
            f'<path d="M{x + 12} {top - 16} v32 M{x + 4} {top - 16} h16 M{x + 4} {top + 16} h16" '
            'stroke="var(--quiet)" stroke-width="3"/>'
        )
    return make_drawing(parts, "Bars of counts, each with noise at its top.", text)


def draw_table(text: str) -> SlideDrawing:
    """Return a table of any length."""
    parts = [
        _draw_cell(30 + 46 * column, 14 + 25 * row, 46, _MADE, filled=True, height=19)
        for row in range(5)
        for column in range(4)
    ]
    return make_drawing(parts, "A table of made-up records.", text)


def make_drawing(parts: list[str], alt: str, text: str) -> SlideDrawing:
    """Return a drawing of shapes on a field of 240 by 150.

    Args:
        parts: elements of SVG, coloured by `--kept`, `--made` and `--quiet`.
        alt: what it shows, for who cannot see it.
        text: what to say.
    """
    svg = (
        f'<svg class="drawing" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{alt}" '
        f'fill="none">{"".join(parts)}</svg>'
    )
    return SlideDrawing(svg, text)


def _draw_cell(
    x: float, y: float, wide: float, colour: str, *, filled: bool, height: float = 30
) -> str:
    inside = colour if filled else "none"
    return (
        f'<rect x="{x + 1.5:.1f}" y="{y}" width="{wide - 3:.1f}" height="{height}" rx="2" '
        f'fill="{inside}" stroke="{colour}" stroke-width="2"/>'
    )


def _draw_circle(x: float, y: float, radius: float, colour: str) -> str:
    return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}"/>'


def _draw_arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    """Return a line with a head, straight across or straight down."""
    head = (
        f"M{to_x - 7:.1f} {to_y - 6:.1f} L{to_x:.1f} {to_y:.1f} L{to_x - 7:.1f} {to_y + 6:.1f}"
        if y == to_y
        else f"M{to_x - 6:.1f} {to_y - 7:.1f} L{to_x:.1f} {to_y:.1f} L{to_x + 6:.1f} {to_y - 7:.1f}"
    )
    return (
        f'<path d="M{x:.1f} {y:.1f} L{to_x:.1f} {to_y:.1f} {head}" stroke="var(--quiet)" '
        'stroke-width="3"/>'
    )


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
    drawings: tuple[SlideDrawing, ...] = ()
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
class RunFacts:
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
    steps: tuple[SlideDrawing, ...] = ()
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


def list_slides(told: RunFacts, *, public: bool = False) -> tuple[Slide, ...]:
    """Return the slides in their order.

    Args:
        told: the run.
        public: whether those with internal figures are left out.
    """
    every = (
        _make_title_slide(told),
        _make_reason_slide(told),
        *told.protected,
        *_list_belief_slides(told),
        _make_promise_slide(told),
        _make_making_slide(told),
        *_list_foresight_slides(told),
        *_list_measured_slides(told),
        *told.kept,
        _make_limits_slide(told),
        _make_questions_slide(told),
    )
    return tuple(each for each in every if not (public and each.internal))


def _make_title_slide(told: RunFacts) -> Slide:
    warning = f"**{words.escape(str(told.said['stain']))}**" if told.stained else ""
    return Slide(
        "title",
        words.escape(told.title),
        text=warning or _describe_release(told),
    )


def _describe_release(told: RunFacts) -> str:
    """Return what was released, and that something is promised about it."""
    table, columns = told.said["table"], words.count(len(told.decided.schema), "column")
    if told.released:
        return f"{told.released}, and what is promised about them."
    if table is None:
        return f"Figures made from a table of {columns}, and what is promised about them."
    rows = words.count(table["rows"], "made-up record")
    return f"A synthetic table of {rows} in {columns}, and what is promised about it."


def _make_reason_slide(told: RunFacts) -> Slide:
    big, text = told.why
    return Slide("why", "Why not the real table?", big=big, text=text)


def _make_promise_slide(told: RunFacts) -> Slide:
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
        words.describe_population(told.decided.guarantee.population),
    ]
    return Slide(
        "promise",
        "What is promised",
        big=f"ε = {words.epsilon(total.epsilon)}",
        text=" ".join(each for each in said if each),
    )


def _list_belief_slides(told: RunFacts) -> tuple[Slide, ...]:
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
            big=f"{words.percent(PRIOR)} → {words.keep_together(reached)}",
            text=words.keep_together(
                wording.belief_sentence(
                    total, of=read_of(told.decided.outputs), neighbours=neighbours
                )
            ),
        ),
    )


def _make_making_slide(told: RunFacts) -> Slide:
    if told.steps:
        return Slide("making", "How it was made", drawings=told.steps)
    mechanism = told.decided.mechanism
    return Slide("making", "How it was made", big=mechanism.title, text=mechanism.purpose)


def _list_foresight_slides(told: RunFacts) -> tuple[Slide, ...]:
    """Return how near the release comes, foreseen from public numbers, so that anybody may see
    it."""
    if told.stained:
        return ()
    found = [each for each in public_pictures(told.decided) if each.foresees]
    return tuple(
        Slide(
            f"foreseen-{each.name}",
            each.title,
            text=words.escape(each.in_short or each.said),
            chart=partial(_enlarge, each),
            alt=each.alt,
        )
        for each in found
    )


def _enlarge(found: PublicPicture) -> Chart:
    return enlarge(found.figure, _LARGER), found.table


def _list_measured_slides(told: RunFacts) -> tuple[Slide, ...]:
    """Return what was kept and what was lost, where it was measured."""
    return (*_list_kept_slides(told.aspects), *_list_lost_slides(told))


def _list_kept_slides(aspects: tuple[Aspect, ...]) -> tuple[Slide, ...]:
    if not aspects:
        return ()
    return (
        Slide(
            "kept",
            "What was kept",
            chart=lambda: (enlarge(chart_kept(aspects), _LARGER), kept_table(aspects)),
            alt="Where the release stands between marginals and other real records",
            internal=True,
        ),
    )


def _list_lost_slides(told: RunFacts) -> tuple[Slide, ...]:
    """Return what the table is fit for, then what it is not and where it is furthest off."""
    excess = told.excess
    if excess is None:
        return ()
    titles = [each.title or each.name for each in told.decided.measured_schema.columns]
    said = fitness(stakes_found(excess), titles)
    return (
        Slide(
            "fit",
            "What it is fit for",
            text=FURTHER_OFF,
            points=_list_uses(said.fit),
            internal=True,
        ),
        Slide(
            "unfit",
            "What it is not fit for",
            points=_list_uses(said.unfit),
            internal=True,
        ),
        Slide(
            "lost",
            "What was lost",
            text=_describe_farthest(said),
            chart=lambda: (
                enlarge(worst_pairs(excess, titles), _LARGER),
                worst_pairs_table(excess, titles),
            ),
            alt="The pairs of columns in which the release is further off than other real records",
            internal=True,
        ),
    )


def _list_uses(uses: Sequence[Use]) -> tuple[str, ...]:
    return tuple(words.escape(str(each)) for each in uses)


def _describe_farthest(said: Fitness) -> str:
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


def _make_limits_slide(told: RunFacts) -> Slide:
    return Slide(
        "not-promised",
        "What is not promised",
        points=_list_points(told.said["guarantee"]["not_covered"])
        or ("Anything: this release is not private.",),
    )


def _make_questions_slide(told: RunFacts) -> Slide:
    said = told.said["guarantee"]
    return Slide(
        "signing",
        "What the board is asked to confirm",
        points=_list_points(said["assumes"]) or ("Nothing: this release must not be published.",),
        text=_describe_spending(told),
    )


def _describe_spending(told: RunFacts) -> str:
    if not told.bounded:
        return ""
    what = "the figures" if told.said["table"] is None else "the table"
    return (
        f"With that, {what} may be published, at "
        f"{words.format_budget(told.decided.guarantee.total)}. "
        "Every further release from the same records adds to it."
    )


def _list_points(said: Sequence[str]) -> tuple[str, ...]:
    return tuple(words.escape(each) for each in said)


_NOT_FOR_RELEASE: Final = "Computed from confidential records without noise. Not for release."
"""Said of a slide: it is not for one pair of eyes."""


def draw_slide(slide: Slide) -> None:
    """Draw one slide."""
    with st.container(key="slide"):
        if slide.internal:
            with mark_internal("slide", _NOT_FOR_RELEASE):
                _draw_body(slide)
        else:
            _draw_body(slide)


def _draw_body(slide: Slide) -> None:
    st.title(slide.title, anchor=False)
    if slide.big:
        with st.container(key="big"):
            st.markdown(slide.big)
    if slide.points:
        st.markdown("\n".join(f"- {point}" for point in slide.points))
    if slide.text:
        st.markdown(slide.text)
    if slide.drawings:
        for place, drawing in zip(st.columns(len(slide.drawings)), slide.drawings, strict=True):
            with place:
                # Streamlit takes drawings out of st.html. Nothing in these comes from outside.
                st.markdown(drawing.svg, unsafe_allow_html=True)
                st.markdown(drawing.text)
    if slide.chart is not None:
        figure, table = slide.chart()
        with st.container(key="slide-chart"):
            draw_picture(figure, table, key=f"slide-{slide.name}", alt=slide.alt)


WALL_CSS: Final = (
    CSS
    + """
[data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stExpandSidebarButton"],
.st-key-tour, .st-key-demonstration { display: none !important; }
[data-testid="stMainBlockContainer"] { max-width: none; padding: 2vh 5vw 4rem; }
html { font-size: 16px !important; }
.st-key-slide { min-height: calc(98vh - 5rem); justify-content: center; }
.st-key-slide h1 { font-size: clamp(2rem, 3.4vw, 4.5rem); padding-bottom: 0.4em; }
.st-key-slide :is(p, li) {
  font-size: clamp(1.4rem, 1.9vw, 2.4rem) !important;
  line-height: 1.45 !important;
  max-width: 68ch !important;
}
.st-key-slide li { margin-bottom: 0.45em; }
.st-key-slide:has(li:nth-child(5)) :is(p, li) {
  font-size: clamp(1.25rem, 1.55vw, 1.9rem) !important;
  max-width: 80ch !important;
}
.st-key-big p {
  font-size: clamp(3rem, 7vw, 9rem) !important;
  font-weight: 700;
  line-height: 1.15 !important;
  max-width: none !important;
  font-variant-numeric: tabular-nums;
}
.st-key-slide [data-testid="stColumn"] p { font-size: clamp(1.25rem, 1.5vw, 1.9rem) !important; }
.st-key-slide.st-key-slide [data-testid="stCaptionContainer"] p {
  font-size: 1.1rem !important;
  max-width: none !important;
}
.st-key-slide [data-testid="stWidgetLabel"] p { font-size: 1rem !important; }
.st-key-slide .stMarkdownBadge { font-size: 1.1rem !important; }
.st-key-slide [data-testid="stFullScreenFrame"]:has([data-testid="stVegaLiteChart"]) {
  zoom: 1;
  width: 100%;
}
.st-key-slide [data-testid="stPopover"] { display: none; }
.st-key-turning {
  position: fixed;
  inset: auto 0 0 0;
  z-index: 10;
  align-items: center;
  justify-content: center;
  padding: 0.4rem;
  background: light-dark(#ffffff, #12161b);
}
"""
)
"""While slides are on the wall: nothing else beside them, and letters to be read from the back."""
