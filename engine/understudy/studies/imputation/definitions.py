"""How every number beside the printed bounds is defined."""

from __future__ import annotations

from typing import Final

from understudy.studies.reproduction import Definition

ROWS: Final = 1000
"""The number of rows of the tables of bounds."""

DEFINITIONS: Final = (
    Definition(
        "Figure 6.1, without a δ",
        "The prior α, β above which a release is ε-private, for neighbours of which one row is "
        "replaced; n is public.",
        f"The printed theorems at m = {ROWS:,}, beside the smallest α at which the exact law of "
        "every pair of neighbours keeps to ε.",
    ),
    Definition(
        "Figure 6.1, with a δ",
        "Orders of growth, without constants.",
        f"The smallest α at which the exact curve keeps to δ = 1e-6, n = m = {ROWS:,}.",
        "an order of growth is no number, so none is printed beside ours",
    ),
    Definition(
        "Figure 7.1",
        "The range R/σ below which a release is private, in orders of growth; the theorems give "
        "constants.",
        "The theorems' R/σ with m = n, beside the largest at which the exact curve keeps to ε and "
        "δ, with a flat prior.",
        "the figure has no constants, and for rows from the mode not the corollary's growth",
    ),
    Definition(
        "Figure 3.1",
        "Three Beta densities, to illustrate a prior.",
        "–",
        "it shows nothing that was found; no other figure of the source is a picture",
    ),
    Definition(
        "Intervals",
        "Not in the source: rules for several tables are only referred to.",
        "How often 95 % intervals hold a share, in simulated releases under a private prior.",
        "the rules assume a prior that says next to nothing, and private ones do not",
    ),
)
