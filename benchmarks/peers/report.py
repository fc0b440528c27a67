"""What was found, as tables in Markdown and as one JSON object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from benchmarks.peers.evaluating import MARGINALS, REALS, Evaluated, Standing
from benchmarks.peers.methods import METHODS, Method
from benchmarks.peers.running import DELTA
from benchmarks.peers.worth import ABOUT, Figures

_ABOVE, _GAP = "above", "gap"
_DERIVED = {_ABOVE: "tv2 med above reals", _GAP: "% of the gap"}


@dataclass(frozen=True)
class Several:
    """One number of several seeds.

    Attributes:
        value: the median.
        low, high: the ends of what the seeds gave.
    """

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Several:
        """Of at least one value."""
        return cls(median(values), min(values), max(values))


@dataclass(frozen=True)
class Row:
    """One line of a table.

    Attributes:
        name: the method, or the reference.
        seeds: which seeds there are of it.
        records: how many records it made; None for a reference.
        figures: by the keys of `ABOUT`, and of what is derived from them.
        guarantee: by the method's own account; "" for a reference.
        fit, million: seconds of one core; None for a reference and where it was not timed.
        peak: bytes.
    """

    name: str
    seeds: tuple[int, ...]
    figures: dict[str, Several]
    guarantee: str = ""
    records: int | None = None
    fit: float | None = None
    million: float | None = None
    peak: float | None = None


def derived(figures: Figures, reals: Figures, marginals: Figures) -> Figures:
    """What a reader of the bar looks for: how far the median pair is above the floor of the other
    reals, and what share of the way from the marginals to the reals the accuracy has come."""
    way = reals["accuracy"] - marginals["accuracy"]
    return {
        _ABOVE: figures["pair_median"] - reals["pair_median"],
        _GAP: (figures["accuracy"] - marginals["accuracy"]) / way if way else float("nan"),
    }


def rows(found: Standing, epsilon: float) -> list[Row]:
    """The references, then every method of which there is a run at this ε."""
    reals, marginals = found.references[REALS], found.references[MARGINALS]

    def figures(each: Sequence[Figures]) -> dict[str, Several]:
        whole = [{**one, **derived(one, reals, marginals)} for one in each]
        return {key: Several.of([one[key] for one in whole]) for key in (*ABOUT, *_DERIVED)}

    references = [Row(name, (), figures([each])) for name, each in found.references.items()]
    methods = [
        _row(method, runs, figures([run.figures for run in runs]))
        for method in METHODS.values()
        if (runs := found.of(method, epsilon))
    ]
    return references + methods


def _row(method: Method, runs: Sequence[Evaluated], figures: dict[str, Several]) -> Row:
    taken = [run.taken for run in runs]
    millions = [each["million"]["core"] for each in taken if each["million"]]
    return Row(
        method.title,
        tuple(run.run.seed for run in runs),
        figures,
        method.guarantee,
        round(median(each["records"] for each in taken)),
        median(each["fit"]["core"] for each in taken),
        median(millions) if millions else None,
        median(each["peak_bytes"] for each in taken),
    )


def markdown(standings: Sequence[Standing], epsilons: Sequence[float]) -> str:
    """A table for every table and ε of which there is a run, and what the guarantees cover."""
    parts = [
        part
        for found in standings
        for part in (_heading(found), *(_table(found, epsilon) for epsilon in epsilons))
        if part
    ]
    return "\n\n".join([*parts, _covers(standings)])


def as_data(standings: Sequence[Standing], epsilons: Sequence[float]) -> dict[str, Any]:
    """The same, for a program."""
    return {
        "delta": DELTA,
        "tables": {
            found.table: {
                "notes": found.notes,
                "target": found.target,
                "made": found.made,
                "epsilons": {
                    f"{epsilon:g}": [asdict(row) for row in rows(found, epsilon)]
                    for epsilon in epsilons
                },
            }
            for found in standings
        },
    }


def _heading(found: Standing) -> str:
    return (
        f"### {found.table}\n\n{' '.join(found.notes)} Asked for are {found.made:,} records; "
        f"predicted is {found.target}."
    )


def _table(found: Standing, epsilon: float) -> str:
    lines = rows(found, epsilon)
    if not any(line.seeds for line in lines):
        return ""
    heads = [
        "method", "guarantee", "seeds", "records", *ABOUT.values(), *_DERIVED.values(),
        "fit s", "1M s", "fit + 1M s", "peak GB",
    ]  # fmt: skip
    return "\n".join(
        [
            f"**{found.table}, ε = {epsilon:g}, δ = {DELTA:g}**",
            "",
            _line(heads),
            "|---|---|---:|" + "---:|" * (len(heads) - 3),
            *(_line(_cells(line)) for line in lines),
        ]
    )


def _cells(line: Row) -> list[str]:
    both = None if line.fit is None or line.million is None else line.fit + line.million
    return [
        line.name,
        line.guarantee or "–",
        f"{len(line.seeds)}" if line.seeds else "–",
        "–" if line.records is None else f"{line.records:,}",
        *(_spread(line.figures[key], _share if key == _GAP else _decimals) for key in
          (*ABOUT, *_DERIVED)),
        *(_seconds(each) for each in (line.fit, line.million, both)),
        "–" if line.peak is None else f"{line.peak / 1e9:.2f}",
    ]  # fmt: skip


def _spread(several: Several, shown: Callable[[float], str]) -> str:
    value, low, high = (shown(each) for each in (several.value, several.low, several.high))
    return value if low == high else f"{value} ({low}–{high})"


def _decimals(value: float) -> str:
    return f"{value:.4f}".replace("0.", ".", 1)


def _share(value: float) -> str:
    return f"{100 * value:.0f}"


def _seconds(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _covers(standings: Sequence[Standing]) -> str:
    used = {run.run.method for found in standings for run in found.runs}
    return "\n".join(
        [
            "What each guarantee covers, by the method's own account:",
            "",
            *(
                f"- {method.title}: {method.guarantee}; {method.covers}."
                for key, method in METHODS.items()
                if key in used
            ),
            "",
            "Figures are medians over the seeds, with the least and the most in brackets. Seconds "
            "are of one core; the peak is that of fitting and of making the records above.",
        ]
    )
