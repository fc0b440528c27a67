"""Linear classifiers that learned from a table, beside private ones on real records (Table 8.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.evaluation import intervals
from understudy.evaluation.at_once import each_at_once
from understudy.evaluation.erm import (
    HUBER,
    LOGISTIC,
    Loss,
    Risk,
    objective_perturbation,
    output_perturbation,
    predict,
    signs_of,
)
from understudy.evaluation.features import Features, unit_rows
from understudy.evaluation.finding import Measured, Part
from understudy.evaluation.measure import About
from understudy.evaluation.prediction import (
    blocks_of,
    combined_interval,
    labels,
    leaving_out,
    share_interval,
    target_of,
)
from understudy.evaluation.study import Study, sample_of
from understudy.table.records import Records

ORDINARY = "ordinary, on real records"
OUTPUT = "output perturbation"
OBJECTIVE = "objective perturbation"

Private = Callable[[Risk, FloatArray, float, np.random.Generator], FloatArray]

_PRIVATE: Mapping[str, Private] = {OUTPUT: output_perturbation, OBJECTIVE: objective_perturbation}
_FIFTHS = 5
_SEEDS = "all records used"

_ABOUT = About(
    key="linear-accuracy",
    name="Accuracy of linear classifiers",
    sentence=(
        "How often a logistic regression says the right value of the target for real records: "
        "one that learned from the table, beside private ones that learned from real records "
        "and could be published in its place."
    ),
    low=0.0,
    high=1.0,
    better="higher",
    group="linear",
    parts="classifier",
    source=(
        "VLDB 2017, Table 4; dissertation 2018, Table 8.4; Chaudhuri, Monteleoni and Sarwate 2011"
    ),
)


@dataclass(frozen=True)
class LinearAccuracy:
    """Accuracy on the held-out records, by loss.

    As published, λ is the one with which an ordinary classifier does best: it learns from four
    fifths of the records and is tried on the last fifth. For the private methods that choice is
    itself not covered by their ε.

    The private methods, and the ordinary one they are compared with, learn from all the seeds:
    who would publish such a classifier is not held to the number of records of the tables, and
    noise matters less the more records there are. "Other real records" are the ordinary
    classifier at the number of records of the tables.

    Attributes:
        epsilon: of each private classifier, shared by its parts where the target has more than
            two values.
        penalties: the λ to choose from; the largest of equals is taken.
        losses: which classifiers; the first heads what is found.
        most_seeds: how many seeds are learned from at most.
        most_values: a target of more values is refused, as each has a classifier of its own.
        about: what it says of itself.
    """

    epsilon: float = 1.0
    penalties: tuple[float, ...] = (1e-3, 1e-4, 1e-5, 1e-6)
    losses: tuple[Loss, ...] = (LOGISTIC, HUBER)
    most_seeds: int = 100_000
    most_values: int = 10
    about: About = _ABOUT

    def measure(self, study: Study) -> Mapping[str, Measured]:
        """Ordinary and private classifiers on the seeds, then ordinary ones on every table.

        Raises:
            Refusal: the target cannot be predicted; see `target_of`.
        """
        target = target_of(study, self.most_values)
        contests = [
            _Contest(study, target, loss, self.penalties, _Labelled.of(study.held_out, target))
            for loss in self.losses
        ]
        seeds = sample_of(study.seeds, self.most_seeds, study.random("seeds of linear classifiers"))
        by_loss = each_at_once(lambda each: each.parts(seeds, self.epsilon), contests)
        return {name: _headed([each[name] for each in by_loss]) for name in by_loss[0]}


def _headed(parts: Sequence[Part]) -> Measured:
    """Headed by the first classifier."""
    return Measured(parts[0].value, parts[0].interval, tuple(parts))


@dataclass(frozen=True, eq=False)
class _Labelled:
    """Records as a linear classifier sees them, and what they are."""

    features: Features
    truth: IntArray
    values: int

    @classmethod
    def of(cls, records: Records, target: int) -> _Labelled:
        values = records.schema.columns[target].cardinality
        return cls(unit_rows(records, target), labels(records, target), values)

    def risk(self, loss: Loss, penalty: float) -> Risk:
        """Return what a classifier that learns from these records minimises."""
        return Risk(self.features, signs_of(self.truth, self.values), loss, penalty)

    def right(self, f: FloatArray) -> BoolArray:
        """(records,) whether the classifier is right about each."""
        return np.asarray(predict(self.features, f) == self.truth)


@dataclass(frozen=True, eq=False)
class _Contest:
    """Classifiers of one loss, all tested on the same records."""

    study: Study
    target: int
    loss: Loss
    penalties: tuple[float, ...]
    tested: _Labelled

    def parts(self, seeds: Records, epsilon: float) -> dict[str, Part]:
        """Ordinary and private classifiers on the seeds, then ordinary ones on every table."""
        found = {ORDINARY: self.ordinary(_SEEDS, seeds)}
        found |= {
            name: self.private(name, method, seeds, epsilon) for name, method in _PRIVATE.items()
        }
        tables = self.study.tables
        return found | {each.name: self.ordinary(each.name, each.records) for each in tables}

    def ordinary(self, name: str, records: Records) -> Part:
        """Trained on records without noise."""
        penalty = self._penalty(name, records)
        whole = self._least(name, records)
        right = self.tested.right(whole)
        blocks = blocks_of(self.study, name, records)
        without = [
            self.tested.right(self._risk(each, penalty).least(start=whole)).mean()
            for each in leaving_out(records, blocks)
        ]
        interval = share_interval(right, np.array(without))
        return Part((self.loss.name,), float(right.mean()), interval)

    def private(self, name: str, method: Private, seeds: Records, epsilon: float) -> Part:
        """Return the mean over repeated private trainings on the seeds, with fresh noise each.

        Its interval is about the noise and the records it is tested on.
        """
        risk = self._risk(seeds, self._penalty(_SEEDS, seeds))
        least = self._least(_SEEDS, seeds)
        random = self.study.random(f"{name}, {self.loss.name}")
        shares = np.array(
            [
                self.tested.right(method(risk, least, epsilon, random)).mean()
                for _ in range(max(2, self.study.repeats))
            ]
        )
        value, count = float(shares.mean()), len(self.tested.truth)
        tested = intervals.clopper_pearson(round(value * count), count)
        interval = combined_interval(value, [tested, intervals.mean(shares)])
        return Part((self.loss.name,), value, interval)

    def _penalty(self, name: str, records: Records) -> float:
        """Return the λ with which learning from four fifths of the records does best on the
        last."""

        def choose() -> float:
            random = self.study.random(f"fifths of {name}")
            last = intervals.deal(len(records), random, _FIFTHS) == 0
            tried = _Labelled.of(records.take(last), self.target)
            most_first = sorted(self.penalties, reverse=True)
            known = records.take(~last)
            # From large to small, each from where the last one ended.
            f, shares = None, []
            for penalty in most_first:
                f = self._risk(known, penalty).least(start=f)
                shares.append(tried.right(f).mean())
            return most_first[int(np.argmax(shares))]

        return self.study.once(f"penalty of {self._purpose(name)}", choose)

    def _least(self, name: str, records: Records) -> FloatArray:
        """Return the ordinary classifier."""

        def train() -> FloatArray:
            return self._risk(records, self._penalty(name, records)).least()

        return self.study.once(f"minimum of {self._purpose(name)}", train)

    def _purpose(self, name: str) -> str:
        return f"{self.loss.name} for {self.target} on {name}, λ in {self.penalties}"

    def _risk(self, records: Records, penalty: float) -> Risk:
        return _Labelled.of(records, self.target).risk(self.loss, penalty)


MEASURE = LinearAccuracy()
