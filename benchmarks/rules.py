"""What rules cost: fits and candidates with and without them, and rules over columns of many
values.

The same simulated census, less the records that break one of nine rules, is learned from by the
same plan under a schema with the rules and one without. Attempts are made by the network that was
learned under rules, and by the same one without them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, TypeVar

import numpy as np

from benchmarks.census import SeedbasedStudySizes, parts
from benchmarks.size import Size
from understudy.mechanisms.seedbased.attempts import BATCH, Decision, Synthesizer, release
from understudy.mechanisms.seedbased.model_fit import learn
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.bayesnet.network import BayesianNetwork, Structure, families
from understudy.models.categorical import ConditionalTable
from understudy.models.omega import Omega
from understudy.models.sequential import Sequential
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.privacy.randomness import RandomSource
from understudy.table.buckets import ByWidth
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.records import Records
from understudy.table.rules.masks import compile_masks, order_for
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema
from understudy.table.split import Split

_RULES: Final = (
    'if (AGEP < 20) MAR == "5"',
    'if (AGEP < 25) SCHL != "24"',
    'if (AGEP < 20) !(SCHL %in% c("20", "21", "22", "23", "24"))',
    'if (RELP == "1") MAR == "1"',
    'if (WKHP < 10) WAGP == "<=50K"',
    'if (AGEP < 20) WAGP == "<=50K"',
    'if (OCCP == "MIL") COW %in% c("3", "4", "5")',
    'if (OCCP == "MIL") AGEP <= 65',
    'if (SCHL %in% c("1", "2", "3")) OCCP != "MED"',
)
_SIZES: Final[Mapping[Size, SeedbasedStudySizes]] = {
    "full": SeedbasedStudySizes(),
    "quick": SeedbasedStudySizes().tenth(),
    "tiny": SeedbasedStudySizes(2_000, 1_000, 1_000, 0),
}
_TEST: Final = PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0)
_BATCHES: Final[Mapping[Size, int]] = {"full": 16, "quick": 8, "tiny": 1}
_ROUNDS: Final[Mapping[Size, int]] = {"full": 7, "quick": 5, "tiny": 1}
_FITS: Final[Mapping[Size, int]] = {"full": 3, "quick": 3, "tiny": 1}
_OMEGAS: Final[Mapping[str, Omega]] = {
    "ω = 9": Omega(low=9, high=9),
    "ω ∈ [5, 11] hidden": Omega(low=5, high=11),
    "ω ∈ [5, 10] announced": Omega(low=5, high=10, reading="announced"),
}
_CELLS: Final = 985

T = TypeVar("T")


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Time fits and attempts in turn with and without rules, and rules over wide columns."""
    split = parts(_SIZES[size])
    plain = split.seeds.schema
    ruled = plain.with_rules([Rule(text=each) for each in _RULES])
    tables = {name: _cut(split, ruled, schema) for name, schema in _named(plain, ruled)}
    models: dict[str, dict[str, Sequential]] = {}
    fits: dict[str, dict[str, float]] = {}
    for kind in ("calibrated", "network"):
        seconds: dict[str, list[float]] = {name: [] for name in tables}
        found: dict[str, Sequential] = {}
        for _ in range(_FITS[size]):
            for name, table in tables.items():
                schema = table.seeds.schema
                plan = Plan.of(schema, test=_TEST, model={"kind": kind, "epsilon": 1.0})
                taken, learned = _timed(
                    lambda p=plan, s=schema, t=table: learn(p, s, t, RandomSource.secure())
                )
                seconds[name].append(taken)
                found[name] = learned.network
        fits[kind] = {name: float(np.median(each)) for name, each in seconds.items()}
        network = found["ruled"]
        assert isinstance(network, BayesianNetwork)
        free = replace(network, schema=network.schema.with_rules(()))
        models[kind] = {"plain": free, "ruled": network}
    return {
        "records": len(tables["ruled"].seeds),
        "rules": len(_RULES),
        "fits": fits,
        "rates": {
            f"{kind}, {name}": _rates(models[kind], tables, omega, size)
            for kind in models
            for name, omega in _OMEGAS.items()
        },
        "wide": {name: _time_wide(schema, size) for name, schema in _wide_schemas().items()},
    }


def _named(plain: Schema, ruled: Schema) -> tuple[tuple[str, Schema], ...]:
    return ("plain", plain), ("ruled", ruled)


def _cut(split: Split, ruled: Schema, schema: Schema) -> Split:
    """Return the records that break no rule, under a schema."""

    def keep(records: Records) -> Records:
        return Records(schema, records.codes[ruled.relations.hold(list(records.codes.T))])

    return Split(
        keep(split.seeds), keep(split.structure), keep(split.parameters), keep(split.held_out)
    )


def _rates(
    models: Mapping[str, Sequential], tables: Mapping[str, Split], omega: Omega, size: Size
) -> dict[str, float]:
    """Return the attempts a second of each, which take turns."""
    source, count = RandomSource.secure(), _BATCHES[size] * BATCH
    made = {
        name: Synthesizer(KeptAttributes(models[name], omega), table.seeds)
        for name, table in tables.items()
    }
    seconds: dict[str, list[float]] = {name: [] for name in made}
    for turn in range(_ROUNDS[size] + 1):
        for name, each in made.items():
            taken, _ = _timed(lambda e=each: release(e, Decision(_TEST, 0.01), 0, count, source))
            if turn:
                seconds[name].append(taken)
    return {name: count / float(np.median(each)) for name, each in seconds.items()}


def _wide_schemas() -> dict[str, Schema]:
    dates = tuple(_days(name) for name in ("start", "end"))
    others = tuple(
        Column(name=f"k{at}", domain=Categories(values=tuple(map(str, range(3 + at % 9)))))
        for at in range(40)
    )
    order = "start <= end"
    nine = (
        order,
        *(f'if (k{at} == "0") k{at + 5} == "1"' for at in range(0, 25, 5)),
        'if (k1 == "0") start < 1000',
        'if (k2 == "0" & k3 == "1") k4 %in% c("0", "1")',
        'if (end < 500) k7 == "1"',
    )
    return {
        "order of two columns of 30,000 days": _under(dates, (order,)),
        "42 columns, nine rules, that order among them": _under((*dates, *others), nine),
    }


def _days(name: str) -> Column:
    width = 30_000 // _CELLS
    days = Continuous(
        minimum=Decimal(0),
        maximum=Decimal(width * _CELLS),
        step=Decimal(width),
        precision=Decimal(1),
    )
    return Column(name=name, domain=days, buckets=ByWidth(width=Decimal(width * 50)))


def _under(columns: tuple[Column, ...], texts: tuple[str, ...]) -> Schema:
    return Schema(columns=columns, rules=tuple(Rule(text=each) for each in texts))


def _time_wide(schema: Schema, size: Size) -> dict[str, float]:
    """Return the seconds that a schema's rules, their masks, and rows of a random network take; in
    it the second column hangs on the first."""
    relating, relations = _timed(lambda: schema.relations)
    compiling, masks = _timed(
        lambda: compile_masks(relations, order_for(relations, range(len(schema))))
    )
    parents: list[tuple[int, ...]] = [()] * len(schema)
    parents[1] = (0,)
    structure, random = Structure.of(parents), np.random.default_rng(1)
    tables = (
        ConditionalTable.from_probabilities(
            random.random((each.configurations, column.cardinality))
        )
        for each, column in zip(families(schema, structure), schema.columns, strict=True)
    )
    network = BayesianNetwork(schema, structure, tuple(tables))
    rows = 1_000 if size == "tiny" else 100_000
    drawing, drawn = _timed(lambda: network.records(rows, RandomSource.fixed(1)))
    scoring, _ = _timed(
        lambda: [network.log_likelihood(place, list(drawn)) for place in network.order]
    )
    return {
        "relating": relating,
        "compiling": compiling,
        "masks": len(masks),
        "rows": rows,
        "drawing": drawing,
        "scoring": scoring,
        "broken": int((~relations.hold(list(drawn))).sum()),
    }


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def table(figures: Mapping[str, Any]) -> str:
    """Return the figures as Markdown."""
    lines = [
        f"Simulated census, {figures['records']:,} seeds that break none of {figures['rules']} "
        "rules; one core.",
        "",
        "| | without rules | with rules | ratio |",
        "|---|---:|---:|---:|",
    ]
    for kind, each in figures["fits"].items():
        share = each["ruled"] / each["plain"]
        lines.append(
            f"| fit, {kind}, s | {each['plain']:.2f} | {each['ruled']:.2f} | {share:.2f} |"
        )
    for name, each in figures["rates"].items():
        share = each["ruled"] / each["plain"]
        lines.append(
            f"| attempts / s, {name} | {each['plain']:,.0f} | {each['ruled']:,.0f} | {share:.2f} |"
        )
    lines += [
        "",
        "| seconds | rules | masks | draw 100,000 rows | score them | broken |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, each in figures["wide"].items():
        lines.append(
            f"| {name} | {each['relating']:.2f} | {each['compiling']:.2f} | "
            f"{each['drawing']:.2f} | {each['scoring']:.2f} | {each['broken']} |"
        )
    return "\n".join(lines)
