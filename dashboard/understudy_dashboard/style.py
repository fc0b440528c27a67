"""The little that the theme's settings cannot say."""

from __future__ import annotations

from typing import Final

from understudy_dashboard import glossary, tour

_MARKS: Final = """
[class*="st-key-internal-"] {
  border-left: 0.25rem dashed light-dark(#c4690f, #e8a33d);
  padding: 0.25rem 0 0.25rem 0.9rem;
}
[class*="st-key-stain"] {
  border: 0.2rem double light-dark(#b3261e, #ff8a80);
  border-radius: 0.5rem;
  padding: 0.75rem 1rem;
}
.st-key-demonstration {
  border: 1px solid light-dark(#6b4fa0, #b9a3e3);
  border-radius: 0.4rem;
  padding: 0.4rem 0.9rem;
  background: light-dark(#f5f1fc, #221c30);
}
"""

_SHAPES: Final = """
[data-testid="stMain"] [data-testid="stPageLink"] a {
  border: 1px solid light-dark(#00639b, #56b4e9);
  border-radius: 0.4rem;
  padding: 0.35rem 0.9rem;
  width: fit-content;
}
[data-testid="stElementContainer"]:has([data-testid="stVegaLiteChart"])
  [data-testid="stElementToolbar"] { display: none; }
/* Panels side by side have widths of their own, and are drawn smaller where there is less room. */
.st-key-one-pair [data-testid="stVegaLiteChart"] svg { max-width: 100%; height: auto; }
:is(.st-key-sizes, .st-key-deciding)
  :is([data-testid="stNumberInputStepDown"], [data-testid="stNumberInputStepUp"]) {
  display: none;
}
[data-testid="stMain"] [data-testid="stMarkdownContainer"] :is(p, li) { max-width: 80ch; }
[data-testid="stMainBlockContainer"] { padding-top: 2rem; }
/* What a setting does stays in view beside it, however long the form. */
.st-key-by-hand > * > * > [data-testid="stColumn"]:last-child {
  position: sticky;
  top: 3.5rem;
  align-self: flex-start;
}
[data-testid="stMain"] [data-testid="stCaptionContainer"] p { max-width: 95ch; }
:is(.st-key-describing, .st-key-one-column, .st-key-one-bucketing,
    .st-key-deciding, .st-key-keeping)
  > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] { flex-wrap: wrap; }
.st-key-describing > * > * > [data-testid="stColumn"] { min-width: min(100%, 19rem); }
.st-key-one-column > * > * > [data-testid="stColumn"] { min-width: min(100%, 16.5rem); }
.st-key-one-bucketing > * > * > [data-testid="stColumn"] { min-width: min(100%, 16rem); }
"""

_NUMBERS: Final = """
[data-testid="stMetricValue"],
[data-testid="stMarkdownContainer"] table,
[data-testid="stNumberInputField"] { font-variant-numeric: tabular-nums; }
.st-key-meter [data-testid="stMetricValue"] { font-size: 1.45rem; }
.st-key-meter p { margin-bottom: 0.25rem; }
.st-key-meter table { width: 100%; font-size: 0.875rem; }
.st-key-meter :is(th, td) { padding: 0.15rem 0.5rem; }
"""

# The meter has to be in view on a screen 800 pixels high, below a list of ten pages.
_LIST: Final = """
[data-testid="stSidebarNavLinkContainer"] { margin-block: 0; }
[data-testid="stSidebarNavLink"] { padding-block: 0.1rem; margin-block: 0.05rem; }
[data-testid="stSidebarNavItems"], [data-testid="stSidebarNavSeparator"] { margin-bottom: 0; }
[data-testid="stSidebarNavItems"] li:has(a[href$="/ledger"]) {
  border-top: 1px solid light-dark(#cfd6dd, #3a444f);
  margin-top: 0.35rem;
  padding-top: 0.35rem;
}
[data-testid="stSidebarNav"] { padding-bottom: 0; margin-bottom: 0.5rem; }
[data-testid="stSidebarUserContent"] { padding-top: 0.5rem; }
[data-testid="stSidebarHeader"] { margin-bottom: 0.25rem; height: 3.25rem; }
"""

_CONTRAST: Final = """
[data-testid="stBaseButton-primary"]:not(:disabled),
[data-testid="stBaseButton-primary"]:not(:disabled) p,
[data-testid="stMultiSelect"] [data-tag],
[data-testid="stMultiSelect"] [data-tag] * {
  color: light-dark(#ffffff, #0b1116);
}
[data-testid="stCaptionContainer"], [data-testid="stCaptionContainer"] :is(p, li),
[data-has-shortcut] kbd,
input::placeholder, textarea::placeholder, [data-testid="InputInstructions"] {
  color: light-dark(#5b6570, #a4adb6);
  opacity: 1;
}
[data-testid="stPopoverButton"]:is(:hover, :active, :focus-visible, [aria-expanded="true"]),
[data-testid="stBaseButton-tertiary"]:is(:hover, :active, :focus-visible),
[data-testid="stBaseButton-secondary"]:is(:hover, :active, :focus-visible) {
  color: light-dark(#00568a, #7cc4ee);
  border-color: light-dark(#00568a, #7cc4ee);
}
/* Popovers and dialogs stand outside the page: until its theme is known, they follow the system. */
:root { color-scheme: light dark; }
"""

_FOCUS: Final = """
:is(a, button, input, textarea, summary, [tabindex="0"], [role="tab"], [role="slider"],
    [role="switch"], [role="radio"], [role="checkbox"]):focus-visible {
  outline: 0.15rem solid light-dark(#00639b, #7cc4ee) !important;
  outline-offset: 0.12rem;
}
"""

_NARROW: Final = """
@media (max-width: 1000px) {
  [data-testid="stMainBlockContainer"] { padding-left: 1.25rem; padding-right: 1.25rem; }
  [data-testid="stSidebar"][data-collapsed="false"] { width: 14rem !important; }
  [data-testid="stSidebar"] [data-testid="stSidebarContent"] { width: 100%; }
  [data-testid="stMain"]
    [data-testid="stHorizontalBlock"]:not([class*="st-key-with-buttons-"]) { flex-wrap: wrap; }
  [data-testid="stMain"] [data-testid="stColumn"] { min-width: min(100%, 9rem); }
  [data-testid="stMain"] :is(.st-key-deciding, .st-key-keeping)
    > * > * > [data-testid="stColumn"] { min-width: 100%; }
}
"""

# A projector shows 1,024 pixels, and from the back of a room half of them are seen.
_PROJECTED: Final = """
@media (min-width: 1001px) and (max-width: 1100px) {
  html { font-size: 18.3px !important; }
  [data-testid="stSidebar"][data-collapsed="false"] { width: 15rem !important; }
  /* A chart is as wide as its frame looks, and is enlarged then. */
  [data-testid="stFullScreenFrame"]:has([data-testid="stVegaLiteChart"]) {
    zoom: 1.36;
    width: calc(100% / 1.36);
  }
  .st-key-one-pair [data-testid="stFullScreenFrame"]:has([data-testid="stVegaLiteChart"]) {
    zoom: 1;
    width: 100%;
  }
  [data-testid="stMain"] :is(.st-key-deciding, .st-key-keeping)
    > * > * > [data-testid="stColumn"] { min-width: 100%; }
}
"""

_PRINT: Final = """
@media print {
  [data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stToolbar"],
  .st-key-tour, [data-testid="stMain"] :is(button, [data-testid="stPageLink"]) {
    display: none !important;
  }
  [data-testid="stApp"], [data-testid="stAppViewContainer"], [data-testid="stMain"] {
    position: static !important;
    overflow: visible !important;
    height: auto !important;
  }
  [data-testid="stVegaLiteChart"], [class*="st-key-internal-"] > div { break-inside: avoid; }
}
"""

_PARTS: Final = (
    _MARKS, _SHAPES, _LIST, _NUMBERS, _CONTRAST, _FOCUS, _NARROW, _PROJECTED, _PRINT,
    glossary.CSS, tour.CSS,
)  # fmt: skip

CSS: Final = f"<style>{''.join(_PARTS)}</style>"
"""For every page."""
