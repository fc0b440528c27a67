"""Our distances beside those of SDMetrics, on the same two simulated tables: `make sdmetrics`.

SDMetrics needs an older pandas than ours, so it lives in an environment of its own. Ours writes
two tables and our figures into a folder; SDMetrics reads them there and says how far it is off.

    python -m benchmarks.sdmetrics_check write FOLDER
    python -m benchmarks.sdmetrics_check compare FOLDER
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from understudy.table.records import Records

RECORDS = 20_000
ROWS = 1_000
"""Records whose rows are looked for: SDMetrics asks for them one by one."""

Figures = dict[str, dict[str, float]]
"""By metric of SDMetrics, and by the names of the columns, separated by commas."""


def write(folder: Path) -> None:
    """Write simulated records, others with every column shuffled, and our figures."""
    import numpy as np

    from understudy.samples import census
    from understudy.table.records import Records

    schema = census.schema()
    random = np.random.default_rng(2013)
    shuffled = [random.permutation(column) for column in census.simulate(RECORDS, 1).T]
    tables = {
        "table": Records(schema, np.column_stack(shuffled)),
        "held_out": Records(schema, census.simulate(RECORDS, 2)),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([schema.names, *records.codes.tolist()])
    (folder / "ours.json").write_text(json.dumps(_ours(**tables), indent=1), encoding="utf-8")


def _ours(table: Records, held_out: Records) -> Figures:
    import numpy as np

    from understudy.evaluation.cells import Sides
    from understudy.evaluation.measures.shares import (
        kullback_leibler,
        missing,
        share_invented,
        total_variation,
    )

    names = table.schema.names
    sides = Sides.of(table, held_out)
    rows = np.arange(ROWS)
    few = Sides.of(table.take(rows), held_out.take(rows))
    singles = {name: sides.shares([place]) for place, name in enumerate(names)}
    pairs = {
        f"{names[one]},{names[other]}": sides.shares([one, other])
        for one, other in combinations(range(len(names)), 2)
    }
    prefixes = {",".join(names[:many]): few.shares(range(many)) for many in (2, 3, 4, len(names))}
    return {
        "TVComplement": {name: 1 - total_variation(each)[0] for name, each in singles.items()},
        "ContingencySimilarity": {
            name: 1 - total_variation(each)[0] for name, each in pairs.items()
        },
        # SDMetrics smooths in its own way, so neither does, on the pairs that can do without.
        "DiscreteKLDivergence": {
            name: 1 / (1 + kullback_leibler(each, smoothing=0)[0])
            for name, each in pairs.items()
            if missing(each)[0] == share_invented(each)[0] == 0
        },
        "NewRowSynthesis": {name: share_invented(each)[0] for name, each in prefixes.items()},
    }


def compare(folder: Path) -> None:
    """Ask SDMetrics for the same figures and print how far they are from ours."""
    import pandas as pd
    import sdmetrics

    ours: Figures = json.loads((folder / "ours.json").read_text(encoding="utf-8"))
    table, held_out = (
        pd.read_csv(folder / f"{name}.csv", dtype=str) for name in ("table", "held_out")
    )
    print(f"SDMetrics {sdmetrics.__version__}, {len(table):,} records a side\n")
    print("| metric | compared | ours, from | to | largest difference |")
    print("|---|---:|---:|---:|---:|")
    for metric, figures in ours.items():
        theirs = dict(_theirs(metric, figures, table, held_out))
        off = max(abs(figures[name] - theirs[name]) for name in figures)
        least, most = min(figures.values()), max(figures.values())
        print(f"| {metric} | {len(figures)} | {least:.4f} | {most:.4f} | {off:.1e} |")


def _theirs(
    metric: str, figures: dict[str, float], table: pd.DataFrame, held_out: pd.DataFrame
) -> Iterator[tuple[str, float]]:
    from sdmetrics.column_pairs import ContingencySimilarity, DiscreteKLDivergence
    from sdmetrics.single_column import TVComplement
    from sdmetrics.single_table import NewRowSynthesis

    for name in figures:
        columns = name.split(",")
        ours, real = table[columns], held_out[columns]
        found: Any
        if metric == "TVComplement":
            found = TVComplement.compute(real[name], ours[name])
        elif metric == "ContingencySimilarity":
            found = ContingencySimilarity.compute(real, ours)
        elif metric == "DiscreteKLDivergence":
            # Theirs is of the synthetic from the real records; ours is the other way round.
            found = DiscreteKLDivergence.compute(ours, real)
        else:
            about = {"columns": {column: {"sdtype": "categorical"} for column in columns}}
            found = NewRowSynthesis.compute(real[:ROWS], ours[:ROWS], about)
        yield name, float(found)


if __name__ == "__main__":
    {"write": write, "compare": compare}[sys.argv[1]](Path(sys.argv[2]))
