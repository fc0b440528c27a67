"""How long exact curves of Bayesian imputation take, and what its Privacy page asks for."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from benchmarks.size import Size
from understudy.charts.public import public_pictures
from understudy.mechanisms.imputation import accounting
from understudy.mechanisms.imputation.charts.public import rows_curve
from understudy.mechanisms.imputation.curves.drawn import (
    Cells,
    DrawAmounts,
    drawn_epsilon,
    worst_curve,
)
from understudy.mechanisms.imputation.parts import parts
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.mechanisms.registry import plan_run
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema

DELTA = 1e-6
_RECORDS: Mapping[Size, tuple[int, ...]] = {
    "full": (1000, 10_000, 100_000), "quick": (1000, 10_000), "tiny": (100,),
}  # fmt: skip
_ROUNDS = 3


def measure(*, size: Size = "full") -> dict[str, Any]:
    """ε over all tables, as many rows as records; and a change of a setting on the page."""
    return {
        "delta": DELTA,
        "milliseconds": {
            records: {
                f"{cells} categories, {name}": _median(
                    lambda n=records, k=cells, of=of: drawn_epsilon(Cells(k, 20.0, n), of(n), DELTA)  # type: ignore[misc]
                )
                for cells in (2, 5)
                for name, of in _DRAWN.items()
            }
            for records in _RECORDS[size]
        },
        "page_milliseconds": {
            name: _median(lambda settings=settings: _page(settings))  # type: ignore[misc]
            for name, settings in _PLANS.items()
        },
    }


_DRAWN: Mapping[str, Callable[[int], DrawAmounts]] = {
    "the parameter": lambda _: DrawAmounts(1, None),
    "rows from one draw": lambda n: DrawAmounts(1, n),
    "rows from own draws": lambda n: DrawAmounts(n, 1),
    "five tables": lambda n: DrawAmounts(5, n // 5),
}
_SCHEMA = Schema(
    columns=(
        Column(name="sex", domain=Categories(values=("f", "m"))),
        Column(name="town", domain=Categories(values=("a", "b", "c"))),
        Column(name="age", domain=Grid(minimum=Decimal(18), maximum=Decimal(90))),
    )
)
_PLANS: Mapping[str, Mapping[str, Any]] = {
    "one column of two": {"columns": ("sex",)},
    "one column of three": {"columns": ("town",)},
    "one of numbers": {"columns": ("age",), "deviations": {"age": 15.0}},
    "all three": {"deviations": {"age": 15.0}},
    "all three, imputed": {"deviations": {"age": 15.0}, "release": "imputations"},
}


def _page(settings: Mapping[str, Any]) -> None:
    """The figures, the two pictures, and the curve of the slider of rows."""
    plan = ImputationPlan(
        domain=_SCHEMA.fingerprint, records=10_000, rows=10_000, strength=20.0, **settings
    )
    made = plan_run(plan, _SCHEMA)
    public_pictures(made)
    rows_curve(parts(plan, _SCHEMA)[0], DELTA, 1000)


def _median(call: Callable[[], object]) -> float:
    """Milliseconds of the processor, of what has not been asked before."""
    taken = []
    for _ in range(_ROUNDS):
        for cached in (worst_curve, accounting._at, accounting._curve):
            cached.cache_clear()
        start = time.process_time()
        call()
        taken.append(1000 * (time.process_time() - start))
    return sorted(taken)[_ROUNDS // 2]


def table(figures: dict[str, Any]) -> str:
    """The figures as Markdown tables."""
    sizes = list(figures["milliseconds"])
    lines = [
        f"ε at δ = {figures['delta']:g} over all tables, as many rows as records, α = 20, in "
        "milliseconds.",
        "",
        f"| | {' | '.join(f'n = {each:,}' for each in sizes)} |",
        f"|---|{'---:|' * len(sizes)}",
    ]
    for name in figures["milliseconds"][sizes[0]]:
        row = (f"{figures['milliseconds'][each][name]:.0f}" for each in sizes)
        lines.append(f"| {name} | {' | '.join(row)} |")
    lines += ["", "| A change of a setting on the page, n = m = 10,000 | ms |", "|---|---:|"]
    lines += [f"| {name} | {each:.0f} |" for name, each in figures["page_milliseconds"].items()]
    return "\n".join(lines)
