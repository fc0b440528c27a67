"""The figures of every result that is there, worked out once and kept beside it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers.methods import Method
from benchmarks.peers.ours import marginals
from benchmarks.peers.running import Run, done, made, result
from benchmarks.peers.tables import Bench
from benchmarks.peers.worth import VERSION, Figures, Judge
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

REALS, MARGINALS = "other reals", "marginals, without noise"

_KEPT = "figures.json"


@dataclass(frozen=True)
class Evaluated:
    """One run and what it is worth.

    Attributes:
        run: which.
        figures: as of `Judge.made`.
        taken: what the driver said of time and memory.
    """

    run: Run
    figures: Figures
    taken: Mapping[str, Any]


@dataclass(frozen=True)
class Standing:
    """Everything there is to say of one table.

    Attributes:
        table: its name.
        notes: sentences that a reader of the figures needs.
        target: the column that was predicted.
        made: how many records every method made.
        references: the figures of other reals and of the un-noised marginals.
        runs: those there are.
    """

    table: str
    notes: tuple[str, ...]
    target: str
    made: int
    references: Mapping[str, Figures]
    runs: tuple[Evaluated, ...]

    def of(self, method: Method, epsilon: float) -> tuple[Evaluated, ...]:
        """The runs of one method at one ε, by seed."""
        found = [
            each
            for each in self.runs
            if each.run.method == method.key and each.run.epsilon == epsilon
        ]
        return tuple(sorted(found, key=lambda each: each.run.seed))


def standing(bench: Bench, runs: Iterable[Run], results: Path) -> Standing:
    """Judge what is there of these runs."""
    kept = _Kept(bench)

    def judged(run: Run) -> Figures:
        def worth(judge: Judge) -> Figures:
            return judge.made(Records(bench.schema, made(run, results)))

        return kept.figures(run.folder(results), worth)

    found = [
        Evaluated(run, judged(run), result(run, results))
        for run in runs
        if run.table == bench.name and done(run, results)
    ]
    folder = results / bench.name / "references"
    references = {
        REALS: kept.figures(folder / "reals", lambda judge: judge.other_reals()),
        MARGINALS: kept.figures(
            folder / "marginals", lambda judge: judge.made(_without_noise(bench))
        ),
    }
    return Standing(bench.name, bench.notes, bench.target, bench.made, references, tuple(found))


def _without_noise(bench: Bench) -> Records:
    source = RandomSource.fixed(1)
    drawn = marginals(bench.learned, float("inf"), 1.0, bench.made, source)
    return Records(bench.schema, drawn.codes)


class _Kept:
    """Figures in folders, and the judge that is called where there are none."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._judge: Judge | None = None
        self._known_by = {
            "version": VERSION,
            "table": bench.fingerprint,
            "target": bench.target,
        }

    def figures(self, folder: Path, judged: Callable[[Judge], Figures]) -> Figures:
        """Those in the folder, or as `judged` and kept there."""
        path = folder / _KEPT
        if path.exists():
            kept = json.loads(path.read_text(encoding="utf-8"))
            figures: Figures = kept.pop("figures")
            if kept == self._known_by:
                return figures
        print(f"judging {folder}", file=sys.stderr)
        if self._judge is None:
            self._judge = Judge.of(self._bench)
        figures = judged(self._judge)
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        unfinished.write_text(
            json.dumps({**self._known_by, "figures": figures}, indent=1), encoding="utf-8"
        )
        unfinished.replace(path)
        return figures
