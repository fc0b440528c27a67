"""What modelling a date by its distance from another gains and costs.

python -m benchmarks durations

Two made-up tables of stays: those of `ruled_tables`, 40,000 with dates in cells of a month, and the
hospital of the samples, 4,000 and 20,000, with times to the minute. A model learns each with both
dates, their order kept by rules, and with the second by how long it is after the first, in one run,
at δ = 10⁻⁹; then the first stays with the admission by the time from birth, which is not suggested,
as it is longer than the range of admissions. A fifth of the records is held out. Distances are
total variations to those, of what is written, means over seeds: of the length of stay, to the day
and in ranges that double, of either date by its cells, and of pairs of columns: with the length of
stay, with the second date, and all. *Broken* counts rows in which the second date comes before the
first, by their texts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from itertools import combinations, product
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.peers.ours import WAYS
from benchmarks.ruled_tables import make_stays, stays_schema
from benchmarks.rules_kept import write_numbers
from benchmarks.size import Size
from understudy.evaluation.cells import Sides
from understudy.evaluation.measures.shares import total_variation
from understudy.privacy.randomness import RandomSource
from understudy.samples.archives import write_hospital
from understudy.table.authoring.first_schema import suggest_first_schema
from understudy.table.encoding import encode
from understudy.table.recodings.recoded_column import Follows, recode_columns
from understudy.table.records import Records, spell_column
from understudy.table.rules.repair import repair_records
from understudy.table.rules.rule import Rule
from understudy.table.sources.reading import read_table

_DELTA: Final = 1e-9
_HELD_OUT: Final = 5
_WAYS: Final = ("calibrated", "marginals")
_HOSPITAL_RULES: Final = (
    "admitted_at <= discharged_at",
    'if (sex == "m") department != "Obstetrics"',
    'if (department == "Obstetrics") diagnosis %in% c("O42", "O80", "O82")',
)


@dataclass(frozen=True)
class Table:
    """A table of stays.

    Attributes:
        make: makes so many records.
        start, end: the two dates.
        most: the longest stay.
        rows: how many records.
    """

    make: Callable[[int], Records]
    start: str
    end: str
    most: int
    rows: int


def _make_hospital(rows: int) -> Records:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hospital.csv"
        write_hospital(rows, path)
        raw = read_table(path)
    schema = suggest_first_schema(raw).schema
    schema = schema.with_rules([Rule(text=text) for text in _HOSPITAL_RULES])
    return encode(raw, schema, {each.name: "clip" for each in schema.columns if each.ordered})


def _make_stays(rows: int) -> Records:
    return make_stays(rows, 7).under(stays_schema())


def _make_from_birth(rows: int) -> Records:
    """Return the stays without the rules on their second date, which would tie three columns."""
    records = _make_stays(rows)
    schema = records.schema
    free = [rule for rule in schema.rules if "discharge" not in rule.names]
    return records.under(schema.with_rules(free))


TABLES: Final[Mapping[str, Table]] = {
    "stays": Table(_make_stays, "admission", "discharge", 365, 40_000),
    "stays from birth": Table(_make_from_birth, "birth", "admission", 36_524, 40_000),
    "hospital": Table(_make_hospital, "admitted_at", "discharged_at", 365, 20_000),
    "small hospital": Table(_make_hospital, "admitted_at", "discharged_at", 365, 4_000),
}
_SHARE: Final[Mapping[Size, float]] = {"full": 1.0, "quick": 0.2, "tiny": 0.02}
_EPSILONS: Final[Mapping[Size, Sequence[float]]] = {
    "full": (0.1, 1.0, 10.0), "quick": (0.1, 1.0), "tiny": (1.0,),
}  # fmt: skip
_SEEDS: Final[Mapping[Size, int]] = {"full": 3, "quick": 1, "tiny": 1}


@dataclass(frozen=True)
class Closeness:
    """How near drawn records come to those held out, in total variation.

    Attributes:
        stay, stay_ranges: the length of stay, to the day and in ranges that double.
        start, end: the dates, by their cells.
        stay_pairs, end_pairs: the mean pair of the length of stay, and of the second date.
        pairs: the mean pair of columns of the file.
        broken: the share of rows in which the second date comes first.
    """

    stay: float
    stay_ranges: float
    start: float
    end: float
    stay_pairs: float
    end_pairs: float
    pairs: float
    broken: float


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Learn every table with both dates, and with the length of stay."""
    return {"rows": [row for name in TABLES for row in _measure_table(name, size)]}


def _measure_table(name: str, size: Size) -> list[dict[str, Any]]:
    table = TABLES[name]
    rows = max(300, int(table.rows * _SHARE[size]))
    every = table.make(rows + rows // _HELD_OUT)
    columns, recodings = recode_columns(
        every.schema.columns, [Follows(table.end, table.start, most=Decimal(table.most))]
    )
    recoded = every.schema.with_recodings(recodings, columns)
    every = repair_records(every.under(recoded.of_file))
    learned = every.take(np.arange(len(every)) >= len(every) // _HELD_OUT)
    held = every.take(np.arange(len(every)) < len(every) // _HELD_OUT)
    schemas = {"dates": recoded.of_file, "stay": recoded}
    found = []
    for way, epsilon in product(_WAYS, _EPSILONS[size]):
        near = {"reals": asdict(_compare(learned.recode(recoded), held.recode(recoded), table))}
        for kind, schema in schemas.items():
            real, each = learned.recode(schema), list[Closeness]()
            for seed in range(_SEEDS[size]):
                made = WAYS[way](real, epsilon, _DELTA, len(real), RandomSource.fixed(seed))
                written = write_numbers(schema, made.codes, seed).restore()
                each.append(_compare(written.recode(recoded), held.recode(recoded), table))
            near[kind] = asdict(Closeness(*np.mean([[*vars(it).values()] for it in each], axis=0)))
        found.append({"table": name, "way": way, "epsilon": epsilon, **near})
    return found


def _compare(made: Records, held: Records, table: Table) -> Closeness:
    """Return how near some records come to those held out, by what is written of them."""
    both = [each.complete(distances=True) for each in (made, held)]
    schema = both[0].schema
    stay = schema.index(made.schema.recodings[0].distance)
    start, end = schema.index(table.start), schema.index(table.end)

    fine = Sides.of(*both)
    coarse = replace(
        fine,
        sizes=tuple(each.bucket_count for each in schema.columns),
        codes=np.array(
            [each.bucket_map[codes] for each, codes in zip(schema.columns, fine.codes, strict=True)]
        ),
    )

    def distance(*places: int, sides: Sides = coarse) -> float:
        return float(total_variation(sides.shares(places))[0])

    pairs = {pair: distance(*pair) for pair in combinations(range(len(schema)), 2)}
    without = [each for pair, each in pairs.items() if stay not in pair]

    def mean_pair(place: int, *others: int) -> float:
        return float(
            np.mean([it for pair, it in pairs.items() if place in pair and not {*others} & {*pair}])
        )

    return Closeness(
        distance(stay, sides=fine),
        distance(stay),
        distance(start),
        distance(end),
        mean_pair(stay, start, end),
        mean_pair(end, stay),
        float(np.mean(without)),
        _share_broken(both[0], start, end),
    )


def _share_broken(records: Records, start: int, end: int) -> float:
    """Return the share of records whose second date comes before the first, by their texts."""
    days = []
    for place in (start, end):
        texts, places = spell_column(records, place)
        value_of = records.schema.columns[place].domain.value_of
        numbers = [value_of(text) for text in texts]
        days.append(np.array([np.nan if it is None else float(it) for it in numbers])[places])
    return float((days[1] < days[0]).mean())


_SHOWN: Final = {
    "stay": "stay", "stay_ranges": "in ranges", "start": "first date", "end": "second date",
    "stay_pairs": "pairs of stay", "end_pairs": "pairs of second date", "pairs": "all pairs",
    "broken": "broken",
}  # fmt: skip


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        f"| table | way | ε | | {' | '.join(_SHOWN.values())} |",
        f"|---|---|---:|---|{'---:|' * len(_SHOWN)}",
    ]
    for row in figures["rows"]:
        for kind, words in (("reals", "other reals"), ("dates", "dates"), ("stay", "stay")):
            values = " | ".join(f"{row[kind][key]:.4f}" for key in _SHOWN)
            lines.append(
                f"| {row['table']} | {row['way']} | {row['epsilon']:g} | {words} | {values} |"
            )
    return "\n".join(lines)
