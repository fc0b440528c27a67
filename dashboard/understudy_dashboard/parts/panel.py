"""What a run promises and what its table is fit for, in panels that several pages show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from understudy.evaluation.fitness import FURTHER_OFF, Fitness, Use
from understudy.privacy.accounting.guarantee import Guarantee
from understudy_dashboard import words

TITLE = "What does this promise?"


@dataclass(frozen=True)
class PanelScope:
    """What a guarantee is about, in sentences.

    Attributes:
        protects: whom it protects.
        sees: what a reader may see without weakening it.
        assumes: what it rests on.
        leaves_out: what it says nothing about.
        formula: each of its formulas, and what that is of.
    """

    protects: str
    sees: Sequence[str]
    assumes: Sequence[str]
    leaves_out: Sequence[str]
    formula: Sequence[tuple[str, str]]

    @classmethod
    def of(cls, found: Guarantee) -> PanelScope | None:
        """Return the panel of a guarantee; None where nothing is promised."""
        if not found.total.bounded:
            return None
        said = found.scope
        return cls(
            said.protects,
            said.reader_sees,
            said.assumes,
            said.not_covered,
            [(each["of"], each["text"]) for each in said.formulas],
        )

    @classmethod
    def of_statement(cls, guarantee: Mapping[str, Any]) -> PanelScope | None:
        """Return the panel of a statement that goes with a table; None where it promises nothing.
        What a statement of an earlier version does not say is left empty."""
        if guarantee.get("epsilon") is None:
            return None
        return cls(
            guarantee.get("protects", ""),
            guarantee.get("reader_sees", ()),
            guarantee.get("assumes", ()),
            guarantee.get("not_covered", ()),
            [(each["of"], each["text"]) for each in guarantee.get("formula", ())],
        )


def draw_panel(scope: PanelScope | None, key: str) -> None:
    """Draw the panel, the formulas behind a switch.

    Args:
        scope: what is promised; None says that nothing is.
        key: names the panel on its page.
    """
    if scope is None:
        st.markdown("Nothing is promised about any single record.")
        return
    left, right = st.columns(2, gap="large")
    with left:
        if scope.protects:
            st.markdown(f"**Who is protected.** {words.escape(scope.protects)}")
        _draw_lines("What a reader may see.", scope.sees)
        _draw_lines("What it does not cover.", scope.leaves_out)
    with right:
        _draw_lines("What it rests on.", scope.assumes)
    if scope.formula and st.toggle("Show the formulas", key=f"formula-{key}"):
        for of, text in scope.formula:
            st.markdown(f"**For {words.escape(of)}**")
            st.code(text, language=None, wrap_lines=True)


def _draw_lines(heading: str, sentences: Sequence[str]) -> None:
    if not sentences:
        return
    lines = "\n".join(f"- {words.escape(each)}" for each in sentences)
    st.markdown(f"**{heading}**\n{lines}")


EVERY: Final = "All of them by name"


def draw_fitness(told: Fitness) -> None:
    """Draw both lists beside each other, with a reason each."""
    draw_uses(told.fit, told.unfit)
    st.caption(
        f"Measured beside as many other real records, which are off by chance, too. {FURTHER_OFF}"
        if told.found
        else "Expected from public numbers alone, of columns that are tied as usual. Inspect "
        "measures it afterwards."
    )


def draw_uses(fit: Sequence[Use], unfit: Sequence[Use]) -> None:
    """Draw both lists beside each other, without how they were come to."""
    left, right = st.columns(2)
    with left:
        _draw_listed("Fit for", ":material/check_circle:", fit)
    with right:
        _draw_listed("Not fit for", ":material/block:", unfit)


def _draw_listed(title: str, icon: str, uses: Sequence[Use]) -> None:
    st.markdown(f"**{icon} {title}**")
    st.markdown(
        "\n".join(f"- **{words.escape(each.what)}**: {words.escape(each.why)}" for each in uses)
    )
    named = [each for each in uses if each.every]
    if named:
        with st.expander(EVERY):
            for each in named:
                why = words.escape(f"{each.why[:1].upper()}{each.why[1:]}:")
                lines = "\n".join(f"- {words.escape(line)}" for line in each.every)
                st.markdown(f"{why}\n{lines}")
