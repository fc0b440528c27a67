"""To how many other columns each can be related, before anything is spent: public numbers only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from understudy.mechanisms.seedbased.learning import promised_terms
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.privacy.accounting.unit_counts import MISS_SHARE, records_needed
from understudy.table.column import Column
from understudy.table.schema import Schema


def known_records(plan: Plan, made: Promise, records: int | None) -> int:
    """Return how many records a plan can count on.

    Args:
        plan: the settings.
        made: what it promises.
        records: how many the table is publicly known to have; None goes by the promise, and by the
            seeds that are counted on.
    """
    # Where no record becomes a seed, the table has at least as many as were to be seeds.
    return (
        records
        or made.records_at_least
        or records_needed(
            plan.seeds_at_least, plan.shares.seeds or 1.0, MISS_SHARE * made.record_delta
        )
    )


def related(
    plan: Plan, schema: Schema, made: Promise, records: int | None = None
) -> Mapping[str, int] | None:
    """With how many other columns the counts of each can be afforded, as far as is foreseen.

    Args:
        plan: the settings.
        schema: the columns, in the buckets that are asked about.
        made: what the plan promises.
        records: as of `known_records`.

    Returns:
        By column; None for a model of another's, of which nothing is known beforehand.
    """
    terms = replace(promised_terms(plan, schema, made), schema=schema)
    found = plan.model.learner.foreseen(terms, known_records(plan, made, records), plan.attempts)
    if found is None:
        return None
    counted = np.isfinite(found.pairs)
    np.fill_diagonal(counted, False)
    return dict(zip(schema.names, counted.sum(axis=1).tolist(), strict=True))


def related_in(
    plan: Plan,
    schema: Schema,
    made: Promise,
    choices: Sequence[Column],
    records: int | None = None,
) -> tuple[int, ...] | None:
    """With how many other columns a column can be related in each of these buckets, with the levels
    above them.

    Args:
        plan, schema, made, records: as of `related`.
        choices: the column, in other buckets each.
    """
    found = []
    for each in choices:
        counts = related(plan, schema.replace(each), made, records)
        if counts is None:
            return None
        found.append(counts[each.name])
    return tuple(found)
