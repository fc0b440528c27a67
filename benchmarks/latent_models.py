"""Models of tables of flags at equal ε: latent ones, the calibrated one, independent columns.

python -m benchmarks latent-models, and with a real table of flags:
python -m benchmarks.latent_models --survey national2018.csv

Each is learned from four fifths of the records at δ = 10⁻⁹ and makes as many as the last fifth has,
with which it is compared. “Other reals” are records that nothing was learned from where there are
such, and some of those learned from otherwise.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from benchmarks.flag_tables import Bits, Flags, of_survey, simulated
from benchmarks.size import Size
from understudy.core.refusal import Refusal
from understudy.evaluation.cells import count_flag_pairs, pair_shares
from understudy.evaluation.classifiers import FOREST
from understudy.evaluation.measure import Study, Table
from understudy.evaluation.measures.distinguishing import distinguishing_advantage
from understudy.evaluation.measures.shares import total_variation
from understudy.mechanisms.expected_utility import Known, foreseen
from understudy.mechanisms.outputs import ResumePoint, Workers
from understudy.mechanisms.registry import method_named, opening_plan, plan_run
from understudy.models.bayesnet.parameters import ParameterLearner, learn_marginals
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.records import Records
from understudy.table.schema import Schema

_DELTA: Final = 1e-9
_HELD_OUT: Final = 5
_REALS: Final = "other reals"
_ROWS: Final[Mapping[Size, int]] = {"full": 80_000, "quick": 20_000, "tiny": 1_500}
_SPLITS: Final[Mapping[Size, int]] = {"full": 3, "quick": 1, "tiny": 1}
_EPSILONS: Final[Mapping[Size, tuple[float, ...]]] = {
    "full": (1.0, 0.1), "quick": (1.0,), "tiny": (1.0,),
}  # fmt: skip

Made = Callable[[Records, Budget, int, RandomSource], Bits]
"""Learns from records within a budget and makes so many."""


@dataclass(frozen=True)
class Row:
    """What one model is worth, medians over splits.

    Attributes:
        table, epsilon, model: which; ε is 0 for real records.
        pair: mean total variation of pairs to the held-out records.
        told: γ of a forest that tells the records from held-out ones.
        predicts: mean area under the curve of five targets, of forests that learn from the records
            and are tested on held-out ones.
        seconds: of processor time, learning and making.
        foreseen: the distance of a typical counted pair by noise and chance, as the method says it
            beforehand; 0 where it says nothing.
    """

    table: str
    epsilon: float
    model: str
    pair: float
    told: float
    predicts: float
    seconds: float
    foreseen: float


def calibrated(records: Records, budget: Budget, many: int, source: RandomSource) -> Bits:
    """By the calibrated model."""
    learned = CalibratedLearner.within(records.schema, budget).learn(
        records, Noise(source), source.child()
    )
    return np.ascontiguousarray(learned.network.records(many, source).T).astype(bool)


def marginals(records: Records, budget: Budget, many: int, source: RandomSource) -> Bits:
    """By independent columns."""
    learner = ParameterLearner.within(records.schema, budget)
    network = learn_marginals(records, learner, Noise(source))
    return np.ascontiguousarray(network.records(many, source).T).astype(bool)


def by_method(kind: str, given: Mapping[str, Any]) -> Made:
    """By a method of this program that makes one table of records, with some of its settings; its
    plan has `epsilon`, `delta` and `rows`."""

    def made(records: Records, budget: Budget, many: int, source: RandomSource) -> Bits:
        wanted = {
            "epsilon": budget.epsilon, "delta": budget.delta, "rows": many,
            "held_out": 0.0, "public_records": len(records),
        }  # fmt: skip
        known = method_named(kind).plan.model_fields
        settings = {**given, **{name: each for name, each in wanted.items() if name in known}}
        decided = plan_run(opening_plan(kind, records.schema, settings), records.schema)
        total = decided.guarantee.total
        assert total.epsilon <= budget.epsilon * (1 + 1e-9), "it spends more than it may"
        secret = Secret.fixed(int(source.below(1 << 30, 1)[0]))
        method = method_named(kind)
        state = method.begin(decided, records, secret, None)
        chunks = method.release(decided, records, state, secret, Workers(), ResumePoint())
        tables = [each.content for each in chunks if each.output == decided.tables[0].name]
        codes = [each.codes if isinstance(each, Records) else each for each in tables]
        return np.concatenate(codes).astype(bool)

    return made


MODELS: Final[Mapping[str, Made]] = {"calibrated": calibrated, "marginals": marginals}
LATENT: Final = "latent"
_FORESEEN: Final[Mapping[str, str]] = {"calibrated": "seedbased", "latent, factors": LATENT}
"""The models that a method begins with, and so says something of beforehand."""
VARIANTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "latent, factors": {"model": "factors"},
    "latent, factors, 8 flags counted": {"model": "factors", "most_ones": 8},
    "latent, principal": {"model": "principal"},
    "latent, variational": {"model": "variational"},
}
"""The latent models that are compared, and their settings."""


def models(schema: Schema) -> Mapping[str, Made]:
    """What is compared on these columns: with the latent models that this program has."""
    found = dict(MODELS)
    for name, given in VARIANTS.items():
        with suppress(Refusal):
            opening_plan(LATENT, schema, dict(given))
            found[name] = by_method(LATENT, given)
    return found


def measure(*, size: Size = "full") -> dict[str, Any]:
    """Every model on the simulated discharges."""
    return compared([simulated(_ROWS[size])], _EPSILONS[size], _SPLITS[size])


def compared(tables: Sequence[Flags], epsilons: Sequence[float], splits: int) -> dict[str, Any]:
    """Every model on every table, at every ε."""
    rows = []
    for each in tables:
        parts = [_dealt(each, split) for split in range(splits)]
        rows.append(_row(each, 0.0, _REALS, [_others(*part) for part in parts], parts))
        for epsilon in epsilons:
            for name, made in models(each.schema).items():
                # A model that refuses so few records has no row.
                with suppress(Refusal):
                    found = [_run(each, made, Budget(epsilon, _DELTA), *part) for part in parts]
                    rows.append(_row(each, epsilon, name, found, parts))
    return {"rows": [asdict(row) for row in rows]}


Places = npt.NDArray[np.int64]


def _dealt(table: Flags, split: int) -> tuple[Places, Places]:
    """Places of the records that are learned from, and of those held out."""
    mixed = np.random.default_rng((1, split)).permutation(len(table.bits))
    held = len(mixed) // _HELD_OUT
    return mixed[held:], mixed[:held]


@dataclass(frozen=True, eq=False)
class _Run:
    """Records that were made, and how long it took; where a place stands, they are real."""

    bits: Bits
    seconds: float


def _others(learned: Places, held: Places) -> Places:
    return learned[: len(held)]


def _run(table: Flags, made: Made, budget: Budget, learned: Places, held: Places) -> _Run:
    begun = time.process_time()
    bits = made(table.records(learned), budget, len(held), RandomSource.fixed(int(held[0])))
    return _Run(bits, time.process_time() - begun)


def _row(
    table: Flags,
    epsilon: float,
    model: str,
    found: Sequence[_Run | Places],
    parts: Sequence[tuple[Places, Places]],
) -> Row:
    runs = [each if isinstance(each, _Run) else _Run(table.bits[each], 0.0) for each in found]
    worth = [
        (
            _pair(run.bits, table.bits[held]),
            _told(table, run.bits, held),
            _predicts(table, run.bits, table.bits[held]),
            run.seconds,
        )
        for run, (_, held) in zip(runs, parts, strict=True)
    ]
    told = [float(each) for each in np.median(worth, axis=0)]
    return Row(table.name, epsilon, model, *told, _foreseen(table, epsilon, model, parts[0]))


def _foreseen(table: Flags, epsilon: float, model: str, part: tuple[Places, Places]) -> float:
    """What the method says of a typical pair beforehand, by public numbers alone."""
    kind = _FORESEEN.get(model)
    if kind is None:
        return 0.0
    learned, held = part
    # A plan of a custodian learns from nine records in ten; here, from all.
    known = Known(round(len(learned) / 0.9), 1, epsilon, _DELTA, len(held))
    found = foreseen([method_named(kind)], table.schema, known)
    return found[kind].pair or 0.0 if kind in found else 0.0


def _pair(made: Bits, held: Bits) -> float:
    return float(
        total_variation(pair_shares(count_flag_pairs(made), count_flag_pairs(held))).mean()
    )


def _told(table: Flags, made: Bits, held: Places) -> float:
    real = table.records(held)
    study = Study((), real, key=1, seeds=real, models={}, target="", repeats=1)
    records = Records(table.schema, made.astype(np.uint16))
    one, other = Table("real", "reals", real), Table("made", "synthetic", records)
    return distinguishing_advantage(study, one, other, (FOREST,)).value


def _predicts(table: Flags, made: Bits, held: Bits) -> float:
    """Mean over the targets; a half where what was made holds one value alone."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import roc_auc_score

    areas = []
    for target in table.targets:
        seen, told = table.apart_from(target), table.names.index(target)
        if len(np.unique(made[:, told])) < 2 or len(np.unique(held[:, told])) < 2:
            areas.append(0.5)
            continue
        forest = RandomForestClassifier(100, min_samples_leaf=20, random_state=1)
        forest.fit(made[:, seen], made[:, told])
        areas.append(roc_auc_score(held[:, told], forest.predict_proba(held[:, seen])[:, 1]))
    return float(np.mean(areas))


def table(figures: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| table | ε | model | pair | foreseen | told | predicts | seconds |",
        "|---|---:|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['table']} | {row['epsilon'] or '–'} | {row['model']} | {row['pair']:.4f} "
        f"| {_or_dash(row['foreseen'])} | {row['told']:.2f} | {row['predicts']:.3f} "
        f"| {row['seconds']:.1f} |"
        for row in figures["rows"]
    ]
    return "\n".join(lines)


def _or_dash(value: float) -> str:
    return f"{value:.4f}" if value else "–"


def main() -> None:
    """Print the comparison of the tables that are named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.latent_models", description=__doc__)
    parser.add_argument("--survey", type=Path, help="NIST's excerpt of the survey of 2018, as CSV")
    parser.add_argument("--simulated", action="store_true", help="the simulated discharges too")
    parser.add_argument("--epsilon", type=float, action="append", help="as without: 1 and 0.1")
    parser.add_argument("--splits", type=int, default=3, help="as without: 3")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    chosen = parser.parse_args()
    tables = [of_survey(chosen.survey)] if chosen.survey else []
    tables += [simulated()] if chosen.simulated or not tables else []
    figures = compared(tables, chosen.epsilon or _EPSILONS["full"], chosen.splits)
    print(json.dumps(figures, indent=2) if chosen.json else table(figures))


if __name__ == "__main__":
    main()
