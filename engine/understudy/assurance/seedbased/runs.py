"""Runs of seedbased synthesis with each model, and of its acceptance test, on records that would
hurt, and the coins of those runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, Final

import numpy as np

from understudy.acceptance import measurement
from understudy.acceptance.outcome import NAME, noisy_numbers
from understudy.acceptance.statistics import AcceptanceTest, DistanceOf, MeanOf, ShareOf
from understudy.assurance import real_runs
from understudy.assurance.check import Check
from understudy.assurance.real_runs import (
    OWN_COUNTED,
    SCHEMA,
    SEEDS,
    Asked,
    Begun,
    Break,
    Coins,
    K,
    Pair,
    Runs,
    Trial,
    equal_records,
    pair_codes,
    question_cost,
    transcript_epsilon,
)
from understudy.assurance.seedbased.one_attempt import KINDS, NAMES
from understudy.core.arrays import IntArray, TextArray
from understudy.mechanisms.mechanism import Arrays, PlannedRun
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased import acceptance as accepting
from understudy.mechanisms.seedbased import model_fit
from understudy.mechanisms.seedbased.mechanism import Seedbased
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.models.bayesnet.structure import StructureLearner
from understudy.models.calibrated import measurement as measurement_of_tables
from understudy.models.calibrated.measurement import MeasuredMarginal
from understudy.models.omega import Omega
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    TestKind,
    privacy_test,
)
from understudy.privacy.randomness import Secret
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.known_totals import KnownTotals
from understudy.table.records import Records
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema
from understudy.table.split import Shares, assign_parts

_SCHEMA: Final = Schema(
    columns=(
        Column(name="kind", domain=Categories(values=("a", "b", "c"))),
        Column(name="size", domain=Grid(minimum=Decimal(0), maximum=Decimal(3)), missing=True),
        Column(name="flag", domain=Categories(values=("no", "yes"))),
    )
)
_RULED: Final = _SCHEMA.with_rules(
    [Rule(text='if (kind == "a") flag == "no"'), Rule(text='if (flag == "yes") size >= 1')]
)


def count_totals(records: Records) -> Schema:
    """Return the schema of records with totals that count them."""
    schema, totals = records.schema, []
    for names in (("kind", "flag"), ("size",)):
        places = [schema.index(name) for name in names]
        labels = [schema.columns[place].labels for place in places]
        cells, counts = np.unique(records.codes[:, places], axis=0, return_counts=True)
        lines = [
            (tuple(of[code] for of, code in zip(labels, cell, strict=True)), number)
            for cell, number in zip(cells.tolist(), counts.tolist(), strict=True)
        ]
        totals.append(KnownTotals(columns=names, of="table", source="-", lines=tuple(lines)))
    return schema.with_totals(totals)


_COUNTED: Final = np.array([[0, 0, 0], [1, 1, 1], [2, 3, 1], [1, 4, 0]] * 5, dtype=np.uint16)
_KNOWN: Final = count_totals(Records(_SCHEMA, _COUNTED))
_PARTS: Final = np.array(["seeds", "structure", "parameters", "held out"])
_ASKED: Final = (
    ShareOf(column="kind", values=("a",)),
    MeanOf(column="size"),
    DistanceOf(columns=("kind", "size")),
)
_SHARES: Final = Shares(seeds=0.2, structure=0.3, parameters=0.3, held_out=0.2)
_MANY: Final = 4_000


def _trials() -> tuple[Trial, ...]:
    return (
        _calibrated_trial("the calibrated model, ρ", Budget(2.0, 5e-4)),
        _calibrated_trial("the calibrated model, ε", Budget(0.3, 1e-12)),
        _calibrated_trial("the calibrated model, two records a person", Budget(2.0, 5e-4), 2),
        _network_trial("the published network, ε", Budget(2.0, 1e-6)),
        _network_trial("the published network, ρ", Budget(0.1, 5e-4)),
        _marginals(),
        _calibrated_trial("under rules, the calibrated model", Budget(2.0, 5e-4), schema=_RULED),
        _network_trial("under rules, the published network", Budget(2.0, 1e-6), _RULED),
        _marginals("under rules, columns by themselves", _RULED),
        _totals_trial("marginals", _KNOWN),
        _totals_trial("calibrated", _KNOWN.with_totals(_KNOWN.totals[:1])),
        _acceptance_trial(_ASKED[:1], 0.999),
        _acceptance_trial(_ASKED[1:2], 0.999),
        # What a distance moves by depends on the table that the others are held beside.
        _acceptance_trial(_ASKED[2:], 0.8),
        _acceptance_trial(_ASKED, 0.8),
    )


def _plan(
    model: str, epsilon: float, schema: Schema = _SCHEMA, **settings: Any
) -> PlannedRun[Plan]:
    """Return a plan in which only the last attempt draws all of a record afresh, so that there are
    seeds."""
    usual = {
        "omega": Omega(low=2, high=3),
        "attempts": 20,
        "delta": 1e-6,
        "model": {"kind": model, "epsilon": epsilon},
        "shares": _SHARES,
        "noisy_tables": True,
    }
    return plan_run(Plan.of(schema, **{**usual, **settings}), schema)


def _parts_of(kept: Arrays) -> TextArray:
    return np.asarray(_PARTS[kept["parts"].astype(np.int64)])


def _pairs(rows: int = 12, schema: Schema = _SCHEMA) -> tuple[Pair, ...]:
    """Return pairs with a last record that is like no other, one of a rare code, missing, and one
    of equals."""
    first, last, missing = [0, 0, 0], [2, 3, 1], [1, 4, 0]
    mixed = [[each % 3, each % 5, each % 2] for each in range(rows)]
    cases = (
        ("like no other", [first] * rows, last),
        ("missing", mixed, missing),
        ("one of equals", [last] * rows, last),
    )
    return tuple(pair_codes(schema, *each) for each in cases)


def _read_part(decided: PlannedRun[Plan], part: str) -> Budget:
    """Return what a part of the guarantee says."""
    return next(each.cost for each in decided.guarantee.parts if each.of == part)


_DEALT: Final = frozenset({"parts"})


def _calibrated_trial(
    name: str, budget: Budget, persons: int = 1, schema: Schema = _SCHEMA
) -> Trial:
    decided = _plan(
        "calibrated", budget.epsilon, schema, delta=budget.delta, records_per_person=persons
    )
    spend = question_cost(_read_part(decided, "model"))
    return Trial(
        name,
        decided,
        _pairs(schema=schema)[:1],
        _parts_of,
        {"structure": spend, "parameters": spend},
        ("held out", "seeds"),
        {"all": 0.9},
        _DEALT,
        {"seeds": frozenset()},
        needed=frozenset({"seeds"}),
        coins=_coins,
        chosen=_as_if_many,
    )


def _coins(records: Records, secret: Secret) -> TextArray:
    """Deal the records as a run does."""
    return _parts_of({"parts": assign_parts(len(records), _SHARES, secret.source("split"))})


def _as_if_many(records: Records, names: TextArray) -> Iterator[IntArray]:
    """Yield answers by which there are so many records that the calibrated model asks about pairs
    too."""
    yield np.array([_MANY])
    for size in records.schema.cardinalities.tolist():
        yield np.full(size, _MANY // size)


def _network_trial(name: str, budget: Budget, schema: Schema = _SCHEMA) -> Trial:
    decided = _plan("network", budget.epsilon, schema, delta=budget.delta)
    paid = _read_part(decided, "structure")
    learner = StructureLearner.within(
        schema, Budget(budget.epsilon, decided.guarantee.account_as(Promise).record_delta)
    )

    def structure(one: Asked, other: Asked) -> Mapping[str, float]:
        counted = one[0].cost(other[0])
        entropies = transcript_epsilon(one[1:2], other[1:2], paid.delta - learner.miss)
        return {"the structure": (counted + entropies) / paid.epsilon}

    def choose_answers(_: Records, names: TextArray) -> Iterator[IntArray]:
        # The most that the noisy number of records may be, except for a chance that δ pays for.
        count = int((names == "structure").sum())
        yield np.array([count + learner.margin - 1])

    return Trial(
        name,
        decided,
        _pairs(60, schema)[:1],
        _parts_of,
        {"structure": structure, "parameters": question_cost(_read_part(decided, "parameters"))},
        ("held out", "seeds"),
        {"the structure": 0.85, "all": 0.99},
        _DEALT,
        {"seeds": frozenset()},
        needed=frozenset({"seeds"}),
        chosen=choose_answers,
    )


def _marginals(name: str = "columns by themselves", schema: Schema = _SCHEMA) -> Trial:
    shares = Shares(seeds=0.0, structure=0.0, parameters=0.6, held_out=0.4)
    decided = _plan("marginals", 1.0, schema, omega=Omega(low=3, high=3), shares=shares)
    return Trial(
        name,
        decided,
        # Of the others, records break a rule.
        _pairs(schema=schema)[: 1 if schema.rules else None],
        _parts_of,
        {"parameters": question_cost(_read_part(decided, "parameters"))},
        ("held out",),
        {"all": 0.99},
        _DEALT,
    )


def _totals_trial(model: str, schema: Schema) -> Trial:
    """Return the trial of a release by known totals: what it comes to follows from what was
    measured."""
    shares = Shares(seeds=0.0, structure=0.3, parameters=0.3, held_out=0.4)
    settings = {"omega": Omega(low=3, high=3), "shares": shares, "delta": 5e-4}
    decided = _plan(model, 2.0, schema, **settings)
    part = "model" if model == "calibrated" else "parameters"
    spend = question_cost(_read_part(decided, part))
    calibrated = model == "calibrated"
    learned = ("structure", "parameters") if calibrated else ("parameters",)
    return Trial(
        f"known totals, {model}",
        decided,
        _pairs(schema=schema)[:1],
        _parts_of,
        dict.fromkeys(learned, spend),
        ("held out",),
        {"all": 0.9},
        _DEALT,
        slow=calibrated,
        chosen=_as_if_many if calibrated else lambda *_: iter(()),
    )


def _acceptance_trial(asked: tuple[Any, ...], least: float) -> Trial:
    """Return the trial in which records held out are measured once there is a table, with noise
    that was drawn before."""
    test = AcceptanceTest(epsilon=1.5, statistics=asked)
    shares = Shares(seeds=0.0, structure=0.0, parameters=0.95, held_out=0.05)
    decided = _plan(
        "marginals", 50.0, attempts=200, omega=Omega(low=3, high=3), shares=shares, acceptance=test
    )
    return Trial(
        f"acceptance: {', '.join(each.kind for each in asked)}",
        decided,
        _pairs(60),
        _parts_of,
        {"parameters": question_cost(_read_part(decided, "parameters"))},
        ("held out",),
        {"measured": least, "all": 0.99},
        _DEALT,
        {"held out": frozenset()},
        later={"held out": partial(_measure_published, test)},
    )


def _measure_published(
    test: AcceptanceTest,
    decided: PlannedRun[Plan],
    pair: Pair,
    secret: Secret,
    first: Begun,
    second: Begun,
) -> tuple[Mapping[str, float], bool]:
    """Return how far the published numbers move under the same noise, in units of that noise; and
    whether the outputs are the same if it makes up for that."""
    noise = first.draws.asked[-2 * len(test.statistics) :]
    scales = np.array([each.scale for each in noise]).reshape(-1, 2)
    one, other = (
        np.array(noisy_numbers(_figures(decided, records, each, secret)))
        for records, each in ((pair.one, first), (pair.other, second))
    )
    cost = float((np.abs(one - other) / scales).sum())
    shifted = replace(second.state, acceptance_noise=second.state.acceptance_noise + one - other)
    again = real_runs.outputs(decided, pair.other, Begun(shifted, second.draws), secret)
    same = again == real_runs.outputs(decided, pair.one, first, secret)
    return {"measured": cost / test.epsilon}, same


def _figures(
    decided: PlannedRun[Plan], records: Records, of: Begun, secret: Secret
) -> Mapping[str, Any]:
    name = f"{NAME} ".encode()
    found = (each for each in real_runs.outputs(decided, records, of, secret))
    (figures,) = (each for each in found if each.startswith(name))
    said: Mapping[str, Any] = json.loads(figures[figures.index(b"{") :])
    return said


def tell_exactly(found: MeasuredMarginal, counts: IntArray) -> MeasuredMarginal:
    """Return what was measured, the counts of records in the place of the noisy ones that are
    released."""
    return replace(found, answers=tuple(replace(each, counts=counts) for each in found.answers))


def learn_rule(records: Records) -> Records:
    """Return records whose schema has a rule that was read off them: which kinds have the flag."""
    schema = records.schema
    kinds = np.unique(records.codes[records.codes[:, 2] == 1, 0])
    names = ", ".join(f'"{schema.columns[0].texts[code]}"' for code in kinds)
    then = f"kind %in% c({names})" if names else 'flag == "no"'
    learned = schema.with_rules((*schema.rules, Rule(text=f'if (flag == "yes") {then}')))
    return Records(learned, records.codes)


RUNS: Final = Runs(
    Plan.kind,
    "Seedbased synthesis",
    _trials,
    (
        Break(
            "an acceptance test of a tenth of its noise",
            "noise of scale K/(10ε): ten times the ε of the published figures",
            measurement.draw_noise,
            "noise.integers(nothing, scale)",
            "noise.integers(nothing, scale / 10)",
            "acceptance",
        ),
        Break(
            "an acceptance test beside the tape",
            "a run that goes on measures again, on the same debit",
            accepting.noise,
            'Noise(secret.source("acceptance"), tape)',
            'Noise(secret.source("acceptance"))',
            "acceptance",
        ),
        Break(
            "an acceptance test of all records",
            "records that the model is learned from are measured too",
            Seedbased.release,
            "split.held_out, state)",
            "records, state)",
            "acceptance",
        ),
        Break(
            "records held out are learned from",
            "what is only to be compared with is counted",
            Seedbased.begin,
            "deal_records(records, parts)",
            "deal_records(records, (parts - (parts == 3)).astype(parts.dtype))",
        ),
        Break(
            "seeds are learned from",
            "who pays for attempts pays for the model too: the total is a sum",
            Seedbased.begin,
            "deal_records(records, parts)",
            "deal_records(records, (parts + 2 * (parts == 0)).astype(parts.dtype))",
        ),
        Break(
            "a rule learned from the table",
            "what occurs in no record is called impossible, and is neither counted nor drawn",
            Seedbased.begin,
            "deal_records(records, parts)",
            f"deal_records(__import__({__name__!r}, fromlist=['_']).learn_rule(records), parts)",
            "under rules",
        ),
        Break(
            "a total taken from the table",
            "as many rows are released as the table has records",
            Seedbased.release,
            "Goal.of(plan, made), deal_records",
            "Goal(len(records), None), deal_records",
            "under rules",
        ),
        Break(
            "known totals taken from the table",
            "rows are allotted by what the table holds, and not by what is declared and disclosed",
            Seedbased.release,
            "allot_records(plan, decided.schema,",
            f"allot_records(plan, __import__({__name__!r}, fromlist=['_'])"
            ".count_totals(Records(decided.schema, records.codes)),",
            "known totals",
        ),
        Break(
            "known totals of the model taken from the table",
            "what is followed without noise was counted in the records",
            Seedbased.begin,
            "learn(plan, decided.schema, split",
            f"learn(plan, __import__({__name__!r}, fromlist=['_'])"
            ".count_totals(Records(decided.schema, records.codes)), split",
            "known totals, calibrated",
        ),
        Break(
            "noisy tables of exact counts",
            "what is released as the noisy tables of the model is without its noise",
            measurement_of_tables.measure,
            "_measured_table(rows.schema, marginal, part, part.table(counts, noise))",
            f"__import__({__name__!r}, fromlist=['_']).tell_exactly("
            "_measured_table(rows.schema, marginal, part, part.table(counts, noise)), counts)",
            "the calibrated model, ε",
        ),
        Break(
            "twice the budget of the model",
            "the learner is told that it may spend more than is added up",
            model_fit.promised_budget,
            "Budget(plan.model.epsilon, made.record_delta)",
            "Budget(2 * plan.model.epsilon, made.record_delta)",
        ),
    ),
)


_ATTEMPTS: Final = 20_000


def list_coin_checks() -> tuple[Check, ...]:
    """Return the checks of what is thrown and how many pass."""
    return tuple(check for kind in KINDS for check in _coins_of_test(kind).checks())


def list_coin_mutants() -> tuple[Check, ...]:
    """Return the same checks of coins that are broken."""
    return tuple(check for kind in KINDS for check in _coins_of_test(kind).mutants())


def _coins_of_test(kind: TestKind) -> Coins:
    plan = Plan.of(
        SCHEMA,
        test=privacy_test(kind, K, 1.0),
        omega=Omega(low=0, high=0),
        attempts=_ATTEMPTS,
        delta=1e-6,
        model={"kind": "marginals", "epsilon": 1.0},
        shares=Shares(seeds=SEEDS, structure=0.0, parameters=1 - SEEDS, held_out=0.0),
    )
    decided = plan_run(plan, SCHEMA)
    account = decided.guarantee.account_as(Promise).seeds
    assert account is not None
    counts_own = kind == "plausible-deniability"
    breaks = (
        Break(
            "nothing is turned away",
            "candidates pass by the test alone, with no ρ",
            Seedbased.release,
            "Decision(plan.test, made.pass_cap)",
            "Decision(plan.test, 0.0)",
        ),
        Break(
            "half the noise on k",
            "coins of twice the ε0 that is added up",
            Seedbased.release,
            "Decision(plan.test, made.pass_cap)",
            'Decision(plan.test.model_copy(update={"epsilon0": 2.0}), made.pass_cap)',
        ),
        _OWN[kind],
    )
    return Coins(
        f"Seedbased synthesis, {NAMES[kind]}",
        decided,
        equal_records(counts_own=counts_own),
        _parts_of,
        account,
        counts_own,
        breaks=breaks,
    )


_OWN: Final = {
    "plausible-deniability": Break(
        "a record too many is counted",
        "every candidate scores one more than there are",
        PlausibleDeniability.scores,
        "return plausible",
        "return plausible + 1",
    ),
    "relative-sensitivity": OWN_COUNTED,
}
