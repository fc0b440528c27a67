"""A slide on a wall: large letters, one idea."""

from __future__ import annotations

from typing import Final

import streamlit as st

from understudy_dashboard import drawings
from understudy_dashboard.internal import internal
from understudy_dashboard.parts.pictures import picture
from understudy_dashboard.slides import Slide

_NOT_FOR_RELEASE: Final = "Computed from confidential records without noise. Not for release."
"""Said of a slide: it is not for one pair of eyes."""


def draw(slide: Slide) -> None:
    """Draw one slide."""
    with st.container(key="slide"):
        if slide.internal:
            with internal("slide", _NOT_FOR_RELEASE):
                _drawn(slide)
        else:
            _drawn(slide)


def _drawn(slide: Slide) -> None:
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
            picture(figure, table, key=f"slide-{slide.name}", alt=slide.alt)


CSS: Final = (
    drawings.CSS
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
