"""The settings of a plan of seedbased synthesis in words, its terms, and how its cost grows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from engine.charts.settings import MODELS, TESTS, ranged
from engine.core import numerals
from engine.core.numerals import count, percent
from engine.mechanisms.mechanism import Decided
from engine.mechanisms.seedbased.evaluation.figures import Figures
from engine.mechanisms.seedbased.guarantee import promise_of
from engine.mechanisms.seedbased.looking import plan_of
from engine.mechanisms.seedbased.plan import Plan
from engine.privacy.accounting.account import Account
from engine.privacy.accounting.growth import growth
from engine.report.papers import Figure, Looked, Setting
from engine.report.svg import Curve, curve

_POINTS: Final = 24


class SeedbasedPapers:
    """What there is to be said of plans of seedbased synthesis."""

    terms: tuple[tuple[str, str], ...] = (
        ("Attempt", "A record is drawn as a seed, a candidate is made from it, and the privacy "
         "test lets the candidate through or not."),
        ("Buckets", "The coarser values that a column takes where it helps to predict another."),
        ("Candidate", "A proposed synthetic record, before the privacy test."),
        ("Plausible seeds", "Records that could have made the candidate about as likely as its "
         "own seed did. The privacy test asks for enough of them."),
        ("Seed", "A record that a candidate is made from: some of its values are copied, the "
         "others are drawn from the model."),
    )  # fmt: skip

    def settings(self, decided: Decided) -> tuple[Setting, ...]:
        """All settings of a plan."""
        plan, columns = plan_of(decided), len(decided.schema)
        return (
            *_how_many(plan, columns),
            *_from_seeds(plan, columns),
            *_model(plan),
            *_people(plan),
        )

    def figure(self, decided: Decided) -> Figure | None:
        """How the ε of the attempts grows with their number."""
        seeds = promise_of(decided.guarantee).seeds
        return None if seeds is None else _growth(seeds, plan_of(decided).t)

    def looked(self, folder: Path, decided: Decided) -> Looked | None:
        """Distances, and how often candidates were expected to pass."""
        figures = Figures.load(folder)
        if figures is None:
            return None
        plan = plan_of(decided)
        sample = next((each for each in figures.samples if each.is_of(plan.omega)), None)
        if sample is None:
            return Looked(figures.compared)
        rate = sample.pass_rate(plan.test, promise_of(decided.guarantee).pass_cap)
        said = f"About {percent(rate)} of the candidates were expected to pass the privacy test."
        return Looked(figures.compared, (said,))


PAPERS: Final = SeedbasedPapers()


def _growth(seeds: Account, t: int | None) -> Figure | None:
    """How the ε of the attempts grows with their number; None where nothing is promised."""
    if seeds.unit is None or not seeds.record.bounded:
        return None
    counts = np.union1d(
        np.geomspace(1, max(100_000, 10 * seeds.count), _POINTS).round().astype(np.int64),
        [seeds.count],
    )
    grown = growth(seeds, counts, t=t)
    what = f"{seeds.counts}s"
    here = f"this run: {seeds.counted}, ε = {numerals.epsilon(seeds.record.epsilon)}"
    alt = (
        f"ε for one record against the number of {what}, rising; {here}. Both axes are logarithmic."
    )
    drawn = Curve(
        counts.tolist(),
        grown.total.tolist(),
        (seeds.count, seeds.record.epsilon),
        here,
        f"number of {what} that look at a seed",
        "ε for one record",
    )
    return Figure(curve(drawn, alt), alt)


def _how_many(plan: Plan, columns: int) -> Iterator[Setting]:
    if plan.omega.low == columns and plan.protocol == "attempts":
        yield Setting(
            "Rows", f"{plan.attempts:,}",
            "All drawn from the model. Any other number would cost the same.",
        )  # fmt: skip
        return
    if plan.protocol == "attempts":
        yield Setting(
            "What a reader may see", "every attempt",
            "How many candidates were made, and how many of them were released, may be known.",
        )  # fmt: skip
        yield Setting("N", count(plan.attempts, "attempt"), "Fixed before the run.")
        return
    yield Setting(
        "What a reader may see", "the released records only",
        "How many attempts they took, and how long, stays with the custodian.",
    )  # fmt: skip
    yield Setting("m", count(plan.attempts, "record"), "Fixed before the run.")
    if plan.pass_floor is not None:
        yield Setting(
            "Pass floor", f"{100 * plan.pass_floor:.12g} %",
            "The share of attempts that is sure to pass, declared before the run.",
        )  # fmt: skip


def _from_seeds(plan: Plan, columns: int) -> Iterator[Setting]:
    if plan.omega.low == columns:
        yield Setting(
            "ω", f"{ranged(str(plan.omega))} of {columns} columns",
            "All columns of every record are drawn from the model; nothing is copied from a "
            "record, so no test is needed.",
        )  # fmt: skip
        return
    yield Setting(
        "ω", f"{ranged(str(plan.omega))} of {columns} columns",
        "So many columns of a candidate are drawn from the model; the others are copied from its "
        "seed.",
    )  # fmt: skip
    test = plan.test
    yield Setting("Privacy test", TESTS[test.kind].lower(), "How plausible seeds are counted.")
    yield Setting("k", f"{test.k:,}", "So many plausible seeds a candidate needs.")
    gamma = getattr(test, "gamma", None)
    if gamma is not None:
        yield Setting("γ", f"{gamma:g}", "How alike likelihoods of plausible seeds have to be.")
    noise = "no noise" if test.epsilon0 is None else f"{test.epsilon0:g}"
    yield Setting("ε0", noise, "What is spent on blurring k; noise of scale 1/ε0 is added to it.")
    yield Setting("Seed records, at least", f"{plan.seeds_at_least:,}", "So many are counted on.")


def _model(plan: Plan) -> Iterator[Setting]:
    kind, outside = MODELS[plan.model.kind], plan.model.outside
    if outside is None:
        yield Setting("Model", kind, "What candidates are drawn from.")
    else:
        yield Setting(
            "Model", f"{kind} “{outside.name}”",
            "What candidates are drawn from. What it promises is the word of whoever made it.",
        )  # fmt: skip
    spent = "no noise" if plan.model.epsilon is None else f"{plan.model.epsilon:g}"
    yield Setting(
        "ε of the model", spent,
        "What learning the model may spend."
        if plan.model.at_once
        else "For which columns depend on which, and the same for how; they see different records.",
    )  # fmt: skip
    shares = plan.shares
    yield Setting(
        "Shares of the records",
        " · ".join(percent(each) for each in shares.each),
        "Seeds, structure, parameters, held out to compare with. A coin decides for each record."
        + (" The model is learned from the two middle parts together." * plan.model.at_once),
    )


def _people(plan: Plan) -> Iterator[Setting]:
    yield Setting(
        "Records per person, at most", f"{plan.records_per_person:,}",
        "The guarantee holds for all of them together.",
    )  # fmt: skip
    yield Setting(
        "δ", f"{plan.delta:g}", "What is added to e^ε times the probability; so much was allowed."
    )
    if plan.public_records is not None:
        yield Setting(
            "Records, publicly known to be there", f"{plan.public_records:,}",
            "Confirmed by the custodian before the run; not counted in the table.",
        )  # fmt: skip
    if plan.sampling is not None:
        yield Setting(
            "Sampling", f"{plan.sampling:.12g}",
            "The table is claimed to be a secret random sample, taken with this chance.",
        )  # fmt: skip
    if plan.chosen_by_looking:
        yield Setting(
            "Chosen by looking", "yes",
            "The settings were adopted after looking at figures computed from these records "
            "without noise. The guarantee does not cover what that choice shows.",
        )  # fmt: skip
