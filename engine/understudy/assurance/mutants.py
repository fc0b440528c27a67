"""Mutants: parts of every method, of its learners and of its readers, broken on purpose."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from understudy.assurance import marks, model_queries, reading, scores, training
from understudy.assurance.check import Check, Effort, MeasuredValue
from understudy.assurance.hostile_files import UTF_8, HostileLayout
from understudy.assurance.marks import shipped_marked
from understudy.assurance.model_queries import (
    measure_peeking,
    measure_spending,
    shrink_made_up,
    structure_asked,
)
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.calibrated.fit import Particles
from understudy.models.calibrated.learner import CalibratedLearner, Measurements
from understudy.models.calibrated.measurement import MeasuredMarginal, measure
from understudy.models.calibrated.questions import Way
from understudy.models.calibrated.selection import Shortlist, Views, attributes
from understudy.models.calibrated.triples import TripleLook
from understudy.models.count_tables import CountSource
from understudy.models.marks import MARKED, Importance, Places
from understudy.models.third_party.private_pgm import SENSITIVITY
from understudy.models.views import Marginal
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.declared_reading import Reading
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.records import Records
from understudy.table.row_rules import RowRule, find_rows
from understudy.table.sources.reading import read_table


def days_if_all_are(data: bytes) -> RawTable:
    """Return a Parquet file in which points in time are days only where every one is a midnight."""
    raw = read_table(data, name="table.parquet")
    stored = pq.read_schema(io.BytesIO(data))
    columns = []
    for name in raw.names:
        texts, places = raw.distinct(name)
        if pa.types.is_timestamp(stored.field(name).type) and any(" " in each for each in texts):
            texts = [f"{each} 00:00:00" if each and " " not in each else each for each in texts]
        columns.append(text_column(places.astype(np.int64), texts))
    return RawTable(table_of(raw.names, columns), raw.reading)


def as_their_type_is_written(data: bytes) -> RawTable:
    """Return a Parquet file in which a number is written as its column's type is: 5 or 5.0."""
    raw = read_table(data, name="table.parquet")
    stored = pq.read_table(io.BytesIO(data))
    columns = []
    for name, column in zip(raw.names, stored.columns, strict=True):
        found = raw.arrow.column(name).chunk(0)
        if pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
            texts = ["" if each is None else str(each) for each in column.to_pylist()]
            found = text_column(np.arange(len(texts)), texts)
        columns.append(found)
    return RawTable(table_of(raw.names, columns), raw.reading)


def encoding_of_the_file(layout: HostileLayout, data: bytes) -> RawTable:
    """Return a text file in UTF-8 if all of it is, and else in the usual encoding of Windows."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return _read(layout, layout.reading.changed(encoding="cp1252"), data)
    return layout.read(data)


def quote_of_the_file(layout: HostileLayout, data: bytes) -> RawTable:
    """Return a text file whose quotation mark is the double one if a line begins with it."""
    quote = '"' if b'\n"' in data else None
    return _read(layout, layout.reading.changed(quote=quote), data)


def spelling_of_the_file(layout: HostileLayout, data: bytes) -> RawTable:
    """Return a text file in which a point stands between thousands if some number has a comma."""
    raw = layout.read(data)
    columns = []
    for name in raw.names:
        texts, places = raw.distinct(name)
        if any(_COMMA.fullmatch(text) for text in texts):
            texts = [text.replace(".", "").replace(",", ".") for text in texts]
        columns.append(text_column(places.astype(np.int64), texts))
    return RawTable(table_of(raw.names, columns), raw.reading)


def rows_after_the_names(layout: HostileLayout, data: bytes) -> RawTable:
    """Return a text file that ends where the names of its columns come again."""
    raw = layout.read(data)
    columns = [raw.distinct(name) for name in raw.names]
    again = np.flatnonzero(find_rows((RowRule(kind="names"),), raw.names, columns))
    return raw.take(np.arange(again[0])) if len(again) else raw


_COMMA: Final = re.compile(r"\d+,\d+")


def _read(layout: HostileLayout, reading: Reading, data: bytes) -> RawTable:
    """Return a file read by one reading, as if that were the declared one."""
    return replace(read_table(data, reading, name="table.csv"), reading=layout.reading)


@dataclass(frozen=True)
class _Informed(CalibratedLearner):
    """Is told the exact number of records."""

    count: int = 1


@dataclass(frozen=True)
class _Twice(CalibratedLearner):
    """Measures twice in each round for the price of once, and forgets the first time."""

    def _run_round(
        self,
        rows: CountSource,
        model: Particles,
        told: Measurements,
        asked: tuple[Marginal, ...],
        noise: Noise,
    ) -> Measurements:
        super()._run_round(rows, model, told, asked, noise)
        return super()._run_round(rows, model, told, asked, noise)


@dataclass(frozen=True)
class _Peeking(CalibratedLearner):
    """Divides each round by what columns come to without noise."""

    def _run_round(
        self,
        rows: CountSource,
        model: Particles,
        told: Measurements,
        asked: tuple[Marginal, ...],
        noise: Noise,
    ) -> Measurements:
        counts = rows.tables([each.marginal for each in told.alone])
        exact = tuple(
            replace(each, counts=table.astype(float))
            for each, table in zip(told.alone, counts, strict=True)
        )
        return super()._run_round(rows, model, replace(told, alone=exact), asked, noise)


@dataclass(frozen=True)
class _Counting(_Informed):
    """Lets made-up records stand for as many as there are."""

    def _draw_records(
        self, network: BayesianNetwork, records: float, source: RandomSource, times: float
    ) -> Particles:
        return super()._draw_records(network, float(self.count), source, times)


@dataclass(frozen=True)
class _Knowing(CalibratedLearner):
    """Asks for the number of records, and goes by the exact one."""

    def _count_records(self, rows: CountSource, noise: Noise) -> float:
        super()._count_records(rows, noise)
        return float(len(rows))


@dataclass(frozen=True)
class _Deciding(_Informed):
    """Decides by the exact number of records whether pairs are asked about."""

    def way(self, records: float) -> Way:
        return super().way(float(self.count))

    def list_candidates(self, records: float) -> tuple[Marginal, ...]:
        return super().list_candidates(float(self.count))


@dataclass(frozen=True)
class _Choosing(CalibratedLearner):
    """Spends as much on choices as on counts, and does not charge it."""

    def shortlist(self, way: Way) -> Shortlist | None:
        found = super().shortlist(way)
        return found and replace(found, spend=self.of_a_round)


@dataclass(frozen=True)
class _Surely(CalibratedLearner):
    """Chooses the pairs that are furthest off, without noise."""

    def shortlist(self, way: Way) -> Shortlist | None:
        found = super().shortlist(way)
        return found and replace(found, spend=Allowance(0.0, "none"))


@dataclass(frozen=True)
class _KnowingLevels(_Informed):
    """Chooses the level at which columns are counted by the exact number of records."""

    def column_views(self, records: float) -> Views:
        return super().column_views(float(self.count))


@dataclass(frozen=True)
class _LevelsForFree(CalibratedLearner):
    """Counts a column at each level for what its finest is counted for."""

    def _measure_columns(
        self, rows: CountSource, views: Views, spend: Allowance, noise: Noise
    ) -> tuple[MeasuredMarginal, ...]:
        for level in range(1, max(map(len, views))):
            above = tuple(each[level:] or each[:1] for each in views)
            super()._measure_columns(rows, above, spend, noise)
        return super()._measure_columns(rows, views, spend, noise)


@dataclass(frozen=True)
class _TriplesForFree(CalibratedLearner):
    """Looks at triples for as much as the last round may spend, and leaves all of it."""

    def triple_parts(self, look: TripleLook) -> tuple[Allowance, Allowance]:
        return self.of_a_round, self.of_a_round


@dataclass(frozen=True)
class _KnowingTriples(_Informed):
    """Decides by the exact number of records how triples are looked at."""

    def look_at_triples(self, records: float) -> TripleLook:
        look = super().look_at_triples(records)
        return replace(look, share=look.share * (1 + self.count % 2))


@dataclass(frozen=True)
class _Regretting(CalibratedLearner):
    """Asks for columns in the currency of pairs before it turns to the other."""

    def _learn_columns(self, rows: CountSource, views: Views, noise: Noise) -> Measurements:
        self._measure_columns(rows, views, self.allowance.part(self.spend.alone), noise)
        return super()._learn_columns(rows, views, noise)


def _break_learner(
    kind: type[CalibratedLearner], budget: Budget, records: Records
) -> CalibratedLearner:
    """Return the learner as it is shipped, broken so."""
    broken = _replace_class(kind, shrink_made_up(budget, records))
    return replace(broken, count=len(records)) if isinstance(broken, _Informed) else broken


def _replace_class(kind: type[CalibratedLearner], whole: CalibratedLearner) -> CalibratedLearner:
    """Return a learner of this class, with all that another was given."""
    return kind(**{each.name: getattr(whole, each.name) for each in fields(whole)})


@dataclass(frozen=True)
class _Uncharged(CalibratedLearner):
    """Measures what is marked with the part of the round, beside what that was divided among."""

    def _run_round(
        self,
        rows: CountSource,
        model: Particles,
        told: Measurements,
        asked: tuple[Marginal, ...],
        noise: Noise,
    ) -> Measurements:
        found = super()._run_round(rows, model, told, asked, noise)
        marked = tuple(each for each in asked if self.importance.of(attributes(each)) > 1)
        measure(rows, marked, [1.0] * len(marked), self.of_a_round, noise)
        return found


@dataclass(frozen=True)
class _Generous(CalibratedLearner):
    """Gives a round as many times its share as the heaviest mark weighs."""

    @property
    def of_a_round(self) -> Allowance:
        usual = super().of_a_round
        heaviest = max(self.importance.above.values(), default=1.0)
        return Allowance(usual.amount * heaviest, usual.currency)


def _break_marked(
    kind: type[CalibratedLearner], budget: Budget, importance: Importance, records: Records
) -> CalibratedLearner:
    """Return the learner under marks as it is shipped, broken so."""
    return _replace_class(kind, shipped_marked(budget, importance, records))


def _weigh_by_records(
    budget: Budget, importance: Importance, records: Records
) -> CalibratedLearner:
    """Return a learner that takes weights from the records: a pair weighs more the more often both
    coins agree."""
    codes = records.codes
    weights: dict[Places, float] = {
        pair: MARKED + float((codes[:, pair[0]] == codes[:, pair[1]]).sum())
        for pair in ((0, 1), (0, 2), (1, 2))
    }
    return shipped_marked(budget, Importance({**importance.above, **weights}), records)


Measure = Callable[[Effort], MeasuredValue]


def list_reading_mutants() -> tuple[Check, ...]:
    """Mutants of how files are read."""
    return tuple(_reading())


def list_learning_mutants() -> tuple[Check, ...]:
    """Mutants of how models are learned."""
    return (*_structure(), *_list_calibrated(), *_third_party(), *training.list_mutants())


def _reading() -> Iterator[Check]:
    """Yield what decides how a value is read is found out from the whole file."""
    mutants: tuple[tuple[str, str, Measure], ...] = (
        (
            "days if all are midnights",
            "one record at 10:30 more, and the days of all others are written otherwise",
            partial(_parquet, days_if_all_are),
        ),
        (
            "numbers as their type is written",
            "one record with a fraction more, and 5 is 5.0",
            partial(_parquet, as_their_type_is_written),
        ),
        (
            "the encoding of the whole file",
            "one text that is not UTF-8 more, and all others are read otherwise",
            partial(_text_file, encoding_of_the_file),
        ),
        (
            "the spelling of numbers of the whole file",
            "one number with a comma more, and the points of all others stand between thousands",
            partial(_text_file, spelling_of_the_file),
        ),
        (
            "the quotation mark of the whole file",
            "one line that begins with it more, and the cells of all others change",
            partial(_text_file, quote_of_the_file),
        ),
        (
            "names that come again tell of a second header",
            "one line that names the columns more, and all records after it are none",
            partial(_text_file, rows_after_the_names),
        ),
    )
    for name, what, test in mutants:
        yield Check.mutant(f"reading, {name}", what, test)


def _parquet(broken: reading.Reader, effort: Effort) -> MeasuredValue:
    pairs = reading.TYPED["Parquet"].neighbours()
    return reading.compare_readings(reading.some(pairs, effort), broken)


def _text_file(broken: Callable[[HostileLayout, bytes], RawTable], effort: Effort) -> MeasuredValue:
    return reading.text_file(UTF_8, partial(broken, UTF_8), effort)


def _structure() -> Iterator[Check]:
    """Learning of the structure."""
    yield Check.mutant(
        "structure, half the noise",
        "noise of half the scale on each entropy",
        partial(structure_asked, noise=0.5),
    )


REVEAL_COUNT: Final = partial(_break_learner, _Counting)
DECIDE_BY_COUNT: Final = partial(_break_learner, _Deciding)

_LEARNERS: Final[tuple[tuple[str, str, Measure], ...]] = (
    (
        "half the noise on tables",
        "noise of half the scale on every table and misfit",
        partial(measure_spending, drawn=0.5),
    ),
    (
        "a share spent twice",
        "everything measured twice in each round",
        partial(measure_spending, make=partial(_break_learner, _Twice)),
    ),
    (
        "levels for free",
        "columns counted at each level for what one of them costs",
        partial(measure_spending, make=partial(_break_learner, _LevelsForFree), tables="levels"),
    ),
    (
        "levels by the true number of records",
        "the finest level that is counted is chosen by how many records there are",
        partial(measure_peeking, make=partial(_break_learner, _KnowingLevels), tables="levels"),
    ),
    (
        "triples for free",
        "looks at triples take what the last round may spend, and all of it is left",
        partial(measure_spending, make=partial(_break_learner, _TriplesForFree), tables="parity"),
    ),
    (
        "triples by the true number of records",
        "the exact number says what looks at triples take, and not the noisy one",
        partial(measure_peeking, make=partial(_break_learner, _KnowingTriples), tables="parity"),
    ),
    (
        "the true number of records",
        "made-up records weigh as many as there are, and not the noisy number",
        partial(measure_peeking, make=REVEAL_COUNT),
    ),
    (
        "rounds divided by exact counts",
        "columns counted without noise say what goes to columns and what to pairs",
        partial(measure_peeking, make=partial(_break_learner, _Peeking)),
    ),
    (
        "the currency by the true number of records",
        "the exact number says whether columns are paid in ε, and not the noisy one",
        partial(measure_peeking, make=partial(_break_learner, _Knowing)),
    ),
    (
        "pairs asked about by the true number of records",
        "the exact number says whether asking about pairs gains, and not the noisy one",
        partial(measure_peeking, make=DECIDE_BY_COUNT),
    ),
    (
        "choices not charged",
        "pairs to ask about are chosen with as much as they are counted with, beside that",
        partial(measure_spending, make=partial(_break_learner, _Choosing), tables="choices"),
    ),
    (
        "choices without noise",
        "the pairs that are furthest off are asked about",
        partial(measure_peeking, make=partial(_break_learner, _Surely), tables="choices"),
    ),
    (
        "paid in both currencies",
        "columns are asked for in ρ before all of ε is spent on them",
        partial(measure_spending, make=partial(_break_learner, _Regretting)),
    ),
)
"""Learners that ask for more than they pay for."""

_MARKS: Final[tuple[tuple[str, str, Measure], ...]] = (
    (
        "marked tables not charged",
        "what is marked is measured beside what a round divides, with the part of a round",
        partial(marks.measure_round_spending, make=partial(_break_marked, _Uncharged)),
    ),
    (
        "shares that add to more than one",
        "a round spends as many times its part as the heaviest mark weighs",
        partial(marks.measure_round_spending, make=partial(_break_marked, _Generous)),
    ),
    (
        "weights taken from the records",
        "a pair weighs more the more often its values agree",
        partial(marks.measure_round_spending, make=_weigh_by_records),
    ),
)
"""Learners that pay more for what is marked."""

_CHOICES: Final[tuple[tuple[str, str, Measure], ...]] = (
    (
        "half the sensitivity of a choice",
        f"{SENSITIVITY // 2} for how far a score of parents moves",
        partial(scores.parents_moved, sensitivity=SENSITIVITY // 2),
    ),
    (
        "counts by the true number of records",
        "what is read off together follows from how many records there are",
        partial(scores.model_counts, compare=scores.by_their_number),
    ),
    (
        "misfits noised as if there were one",
        "noise that does not grow with the number of candidates",
        partial(scores.misfits_cost, thinned=True),
    ),
    (
        "half the scale of the exponential mechanism",
        "e^{2·score/s}",
        partial(scores.exponential_moved, drawn=0.5),
    ),
    (
        "half the scale of permute-and-flip",
        "e^{2(score − best)/s}",
        partial(scores.flipped_moved, drawn=0.5),
    ),
)
"""Choices and counts that move further than is said."""


def _list_calibrated() -> Iterator[Check]:
    """Learning the calibrated model."""
    for name, what, test in (*_LEARNERS, *_MARKS, *_CHOICES):
        yield Check.mutant(f"calibrated model, {name}", what, test)


def _third_party() -> Iterator[Check]:
    """Measuring for Private-PGM."""
    yield Check.mutant(
        "Private-PGM, half the noise",
        "noise of half the scale on every table",
        partial(model_queries.measure_tree_spending, drawn=0.5),
    )
    yield Check.mutant(
        "Private-PGM, the true number of records",
        "the estimate is told how many records there are",
        partial(model_queries.measure_tree_peeking, measuring=model_queries.hand_on_count),
    )
