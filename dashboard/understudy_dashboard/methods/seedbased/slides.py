"""How seedbased synthesis makes a table, drawn for a slide."""

from __future__ import annotations

from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy_dashboard import drawings, words
from understudy_dashboard.drawings import Drawing


def making(decided: PlannedRun[Plan]) -> tuple[Drawing, ...]:
    """From the model alone where no attempt looks at a seed, and else from seeds."""
    plan, columns = decided.plan, len(decided.schema)
    if decided.guarantee.account_as(Promise).seeds is None:
        return _from_the_model(plan, columns)
    return _from_seeds(plan, columns)


def _from_the_model(plan: Plan, columns: int) -> tuple[Drawing, ...]:
    return (
        drawings.noisy_counts(
            "Records are **counted**, "
            + (
                "without noise, to compare."
                if plan.model.epsilon is None
                else "and random noise is added to every count, which blurs what one record adds."
            )
        ),
        drawings.record(
            columns,
            0,
            f"From these counts alone, **every record is made up**: all {columns} columns, one "
            "after another.",
        ),
        drawings.table(
            "Nothing is copied from a real record. **Making more records shows nothing more.**"
        ),
    )


def _from_seeds(plan: Plan, columns: int) -> tuple[Drawing, ...]:
    kept_columns = columns - plan.omega.high
    range_ = "" if plan.omega.fixed else f" to {columns - plan.omega.low}"
    return (
        drawings.record(
            columns,
            kept_columns,
            f"A real record is drawn. **{kept_columns}{range_} of {columns} columns are kept**, "
            "and the others are made up by a model learned "
            f"{'without' if plan.model.epsilon is None else 'with'} noise.",
        ),
        drawings.crowd(
            f"It is released only if **about {plan.test.k:,} real records** could have made it "
            f"as easily. {'Noise blurs' if plan.test.epsilon0 else 'No noise blurs'} that number.",
        ),
        drawings.gate(
            f"{_tried(plan)} What fails is **never seen** by anybody.",
        ),
    )


def _tried(plan: Plan) -> str:
    if plan.protocol == "releases":
        return f"This goes on until {words.count(plan.attempts, 'record')} have passed."
    return f"This is tried {plan.attempts:,} times."
