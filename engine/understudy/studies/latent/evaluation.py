"""All tables and figures of the published evaluation, in their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts.palette import SERIES, SHAPES
from understudy.studies.comparison import Comparison, ComparisonEntry, document_of
from understudy.studies.document import Picture
from understudy.studies.latent.claims import claims
from understudy.studies.latent.models import NO_GUARANTEE, StudySetting, simulate_setting
from understudy.studies.latent.publication import FULL, PUBLISHED_SEEDS, LatentStudySizes
from understudy.studies.latent.tables import (
    figure_9_1,
    figure_9_2,
    figure_9_3,
    table_9_1,
    table_9_2,
    table_9_3,
    table_9_4,
    table_9_5,
    without_seeds,
)
from understudy.studies.reproduction import Document, ReproductionRequest, Told

_WIDTH, _HEIGHT = 480, 240
_COLOURS: Final = (*SERIES, "#8B9097", "#BA8A12", "#404040")
_DASHES: Final = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
_TOLD: Final = "Told from held-out records, γ"
_THRESHOLDS: Final = np.arange(1, 56) * 1_000


def pictures(made: StudySetting, tables: Iterable[Comparison]) -> tuple[Picture, ...]:
    """Return figures 9.1 to 9.4.

    Args:
        made: candidates and their scores.
        tables: all comparisons, those of figures among them.
    """
    found = {each.name: each.entries for each in tables}
    # The forest comes last.
    of_sizes = found["Figure 9.2"]
    sizes = [each for each in of_sizes if each.of[2] == of_sizes[-1].of[2]]
    return (
        _classifiers(found["Figure 9.1"]),
        _lines("figure-9-2", "Told by a random forest, by how many are released",
               ("Released", _TOLD), _points(sizes, 0, (1,))),
        _lines("figure-9-3", "With seeds and without, by C", ("C", _TOLD),
               _points(found["Figure 9.3"], 1, (0, 2))),
        _lines("figure-9-4", "Candidates that some seed could make with κ < t",
               ("t", "Share of candidates"), _betas(made)),
    )  # fmt: skip


def _points(
    entries: Iterable[ComparisonEntry], across: int, called: tuple[int, ...]
) -> pd.DataFrame:
    """Return what is drawn: the cell that is across, and those that name the line."""
    return pd.DataFrame(
        [
            {
                "line": ", ".join(each.of[at] for at in called),
                "x": float(each.of[across].replace(",", "")),
                "y": each.ours,
            }
            for each in entries
        ]
    )


def _betas(made: StudySetting) -> pd.DataFrame:
    ours = _THRESHOLDS * len(made.seeds) / PUBLISHED_SEEDS
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "line": name,
                    "x": _THRESHOLDS,
                    "y": np.searchsorted(np.sort(each.least), ours) / len(each.least),
                }
            )
            for name, each in made.candidates.items()
        ],
        ignore_index=True,
    )


def _lines(name: str, title: str, axes: tuple[str, str], numbers: pd.DataFrame) -> Picture:
    lines = list(dict.fromkeys(numbers["line"]))
    few = numbers["x"].nunique() < 20
    chart = (
        alt.Chart(numbers, title=title)
        .mark_line(point={"size": 40} if few else False)
        .encode(
            x=alt.X("x:Q", title=axes[0]),
            y=alt.Y("y:Q", title=axes[1]),
            color=alt.Color("line:N", sort=lines, scale=_of(lines, _COLOURS), title=None),
            shape=alt.Shape("line:N", sort=lines, scale=_of(lines, SHAPES), title=None),
            strokeDash=alt.StrokeDash("line:N", sort=lines, scale=_of(lines, _DASHES), title=None),
        )
        .properties(width=_WIDTH, height=_HEIGHT)
    )
    return Picture(name, title, chart, numbers)


def _classifiers(entries: Iterable[ComparisonEntry]) -> Picture:
    title = "Told from held-out records by five classifiers"
    numbers = pd.DataFrame(
        [{"records": each.of[0], "classifier": each.of[1], "told": each.ours} for each in entries]
    )
    classifiers = list(dict.fromkeys(numbers["classifier"]))
    chart = (
        alt.Chart(numbers, title=title)
        .mark_point(filled=True, size=70)
        .encode(
            x=alt.X("told:Q", title=_TOLD),
            y=alt.Y("records:N", sort=list(dict.fromkeys(numbers["records"])), title=None),
            color=alt.Color("classifier:N", sort=classifiers,
                            scale=_of(classifiers, _COLOURS), title=None),
            shape=alt.Shape("classifier:N", sort=classifiers,
                            scale=_of(classifiers, SHAPES), title=None),
        )
        .properties(width=_WIDTH, height=_HEIGHT)
    )  # fmt: skip
    return Picture("figure-9-1", title, chart, numbers)


def _of(names: list[str], values: Sequence[Any]) -> alt.Scale:
    return alt.Scale(domain=names, range=[values[at % len(values)] for at in range(len(names))])


_TITLE: Final = "Latent models of medical records, run again"
_WORDS: Final = (
    NO_GUARANTEE,
    "The published records, discharges of 2013 from hospitals of the United States, are sold under "
    "an agreement and are not here. Ours are simulated, with the same 42 flags and the published "
    "shares of four of them, so numbers cannot be equal; what can be compared is the order, and "
    "how numbers move with k, ε and C. Where a note gives a range, ours lie within it or not: what "
    "came out on such records before this was built, widened by a quarter for PCA and by half for "
    "the network, whose training varies.",
    "What is published as “VAE-3” weighs the divergence of mini-batches, not of records; it is "
    "AE-3 here. “true VAE-3” is a variational autoencoder of that width, and not in the source.",
)


def reproduce(
    sizes: LatentStudySizes, seed: int, asked: ReproductionRequest, told: Told
) -> Document:
    """Return the whole evaluation.

    Args:
        sizes: how much is done.
        seed: where chance and the stays start.
        asked: as it was asked for.
        told: called before each stage.
    """
    made = simulate_setting(sizes, seed, told)
    told("measuring distances")
    tables = [table_9_1(made)]
    told("telling records apart")
    tables.append(figure_9_1(made))
    tables.append(table_9_2())
    told("testing releases of several sizes")
    tables.append(figure_9_2(made))
    told("testing at several ε")
    tables += [table_9_3(made), without_seeds(made)]
    told("the sub-population")
    tables += table_9_4(made)
    tables += [figure_9_3(made, told), table_9_5(made)]
    words = (*_WORDS, _sizes(sizes))
    found = document_of(_TITLE, words, asked, tables, claims(tables), judged=sizes == FULL)
    return Document(found.sections, found.data, pictures(made, tables))


def _sizes(sizes: LatentStudySizes) -> str:
    scaled = (
        "" if sizes.seeds == PUBLISHED_SEEDS
        else f" Every k and t is scaled from {PUBLISHED_SEEDS:,} seeds to these, and stands as "
        "printed."
    )  # fmt: skip
    return (
        f"{sizes.training:,} stays to fit to, {sizes.seeds:,} seeds, {sizes.candidates:,} "
        f"candidates of each model and as many held-out stays; {sizes.epochs} epochs.{scaled}"
    )
