"""The pMSE mechanism: models chosen by how hard their records are to tell from the real ones."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from understudy.core.arrays import IntArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.defaults import HELD_OUT, ArraysState, MechanismDefaults, held_out
from understudy.mechanisms.mechanism import PlannedRun, in_memory
from understudy.mechanisms.outputs import Chunk, Output, ResumePoint, Workers
from understudy.mechanisms.pmse.gini import MOST_MADE, Gini
from understudy.mechanisms.pmse.guarantee import FEWEST, Costs, guarantee
from understudy.mechanisms.pmse.model_search import ChosenModel, PublicSearch, search
from understudy.mechanisms.pmse.plan import PmsePlan
from understudy.mechanisms.pmse.regressions import Made, common_numbers, draw_needs, simulate_units
from understudy.mechanisms.pmse.released_figures import combine_tables, list_parameters
from understudy.mechanisms.pmse.units import Line, RegressionUnit, lines_of, units_of
from understudy.mechanisms.statement import TABLE
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource, Secret
from understudy.privacy.tape import Tape
from understudy.table.domain import range_of
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.streamed_table import StreamedTable


def drawn_records(
    schema: Schema,
    units: Sequence[RegressionUnit],
    lines: Mapping[int, Line],
    model: ChosenModel,
    source: RandomSource,
    rows: int,
) -> Records:
    """Return records of a model, with the numbers of their measured columns.

    Args:
        schema: the columns.
        units: the regressions.
        lines: of the columns of numbers.
        model: their parameters.
        source: where chance comes from.
        rows: how many.
    """
    uniforms = source.uniforms(len(units) * rows).reshape(len(units), rows)
    moments = [each[None] for each in model.moments]
    made = simulate_units(
        units, lines, model.parameters[None], Made(), draw_needs(units, uniforms), moments
    )
    codes, numbers = [], []
    for place, column in enumerate(schema.columns):
        if column.measured:
            lattice = range_of(column.domain).lattice
            places = lines[place].places_of(made.points[place][0])
            codes.append(lattice.cells_of(places))
            numbers.append(lattice.numbers(places))
        else:
            codes.append(made.codes[place][0])
    measured = np.column_stack(numbers) if numbers else None
    return Records(schema, np.column_stack(codes).astype(np.uint16), measured)


BATCH: Final = 10_000
PARAMETERS: Final = "parameters"
COMBINED: Final = "combined"
_VALUES, _MOMENTS = "values", "moments"


class Pmse(MechanismDefaults[PmsePlan]):
    """The exponential mechanism over models, by their pMSE against the real records."""

    title: ClassVar[str] = "pMSE mechanism"
    purpose: ClassVar[str] = (
        "A simple model of few columns, numbers above all, chosen so that its records are hard to "
        "tell from the real ones, with no δ: where a sequence of regressions describes the table "
        "well. For more than a few columns, or unusual shapes, the calibrated model of seedbased "
        "synthesis gets more from the same ε."
    )
    accepted_columns: ClassVar[str] = (
        "Numbers between public bounds, none missing, and categories, a few values each; the "
        "number of records has to be public."
    )
    plan = PmsePlan
    memory_reason: ClassVar[str] = "Candidates are compared with all records at once"

    def check_schema(self, schema: Schema) -> None:
        """Check that every column can be a regression."""
        units_of(schema, schema.names, 0, narrowest=0.01, middles={})

    def guarantee(self, plan: PmsePlan, schema: Schema) -> Guarantee:
        return guarantee(plan, schema)

    def check_public(self, decided: PlannedRun[PmsePlan]) -> None:
        """Check that the number of records was confirmed, and that the bounds were declared."""
        if decided.plan.public_records is None:
            raise Refusal(
                "The guarantee compares tables of one number of records, and nobody has confirmed "
                "that the number of records of this one is public knowledge.",
                "Say how many records everybody may know the table to have; where that is a "
                "secret, take seedbased synthesis.",
                field="public_records",
            )
        if decided.schema.declaration is None:
            raise Refusal(
                "The prior lies between the bounds of the columns, and nobody has declared them to "
                "be public knowledge.",
                "Declare the schema public, with bounds from a code book and not from the records.",
                field="domain",
            )

    def check_records(self, decided: PlannedRun[PmsePlan], records: int) -> None:
        """Check that the table has as many records as are said to be public, where any are."""
        said = decided.plan.public_records
        if records < FEWEST or said not in (None, records):
            raise Refusal(
                "The table does not have the number of records that the plan says is public, or "
                f"has fewer than {FEWEST}.",
                "Correct the number where the right one is public knowledge.",
                field="public_records",
            )

    def steps(self, plan: PmsePlan) -> int:
        """Return records of all tables."""
        return plan.rows * plan.draws

    def outputs(self, plan: PmsePlan, schema: Schema) -> tuple[Output, ...]:
        """Return a table for each model, the parameters of all, and what several tables say
        together."""
        tables = tuple(
            Output(
                name, "table", about, schema, plan.rows, own_numbers=bool(schema.measured_places)
            )
            for name, about in _tables(plan)
        )
        figures = [Output(PARAMETERS, "figures", "The parameters of each model.")]
        if plan.draws > 1:
            figures.append(Output(COMBINED, "figures", "What the tables say together."))
        return (*tables, *figures)

    def begin(
        self,
        decided: PlannedRun[PmsePlan],
        records: Records | StreamedTable,
        secret: Secret,
        tape: Tape | None,
    ) -> ArraysState:
        """Choose the models."""
        plan, paying = decided.plan, decided.guarantee.account_as(Costs)
        held = in_memory(records, self.memory_reason)
        apart = held_out(len(held), plan.held_out, secret)
        real = held.codes[~apart]
        # Coins may leave more records to compare with than usual, and than can be scored by.
        made = min(max(1, plan.ratio * len(real)), MOST_MADE)
        setting = setting_of(plan, paying, decided.schema, made)
        sensitivity, noise = (
            Gini(setting.chance.shape[1]).sensitivity,
            Noise(secret.source("model"), tape),
        )

        def select(scores: IntArray, share: float) -> int:
            scale = paying.scale(share, sensitivity)
            return noise.choose_best(scores, scale, concentrated=paying.concentrated)

        known: dict[int, IntArray] = {}
        found = [search(setting, paying.stages, real, select, known) for _ in range(plan.draws)]
        return ArraysState(
            {
                HELD_OUT: apart,
                _VALUES: np.stack([each.parameters for each in found]),
                _MOMENTS: np.stack([each.moments for each in found]),
            }
        )

    def release(
        self,
        decided: PlannedRun[PmsePlan],
        records: Records | StreamedTable,
        state: ArraysState,
        secret: Secret,
        workers: Workers,
        reached: ResumePoint,
    ) -> Generator[Chunk, None, None]:
        """Yield the parameters, then every table, a batch at a time."""
        plan, paying = decided.plan, decided.guarantee.account_as(Costs)
        models = [ChosenModel(*each) for each in _read_state(state)]
        if reached.at == 0:
            said = list_parameters(paying.units, models, decided.schema, plan.logarithmic)
            yield Chunk(PARAMETERS, said, 1, 0)
        tables = _Tables(decided, models, secret)
        names = [name for name, _ in _tables(plan)]
        for number in range(max(reached.at - 1, 0), plan.draws * tables.batches):
            table, batch = divmod(number, tables.batches)
            made = tables.piece(table, batch)
            content = made if decided.schema.measured_places else made.codes
            done = table * plan.rows + batch * BATCH + len(made)
            yield Chunk(names[table], content, number + 2, done)
        last = plan.draws * tables.batches + 2
        if plan.draws > 1 and reached.at < last:
            said = combine_tables(decided.schema, tables.every())
            yield Chunk(COMBINED, said, last, self.steps(plan))


@dataclass(frozen=True)
class _Tables:
    """The tables of the models, piece by piece: each is the same whenever it is made.

    Attributes:
        decided: the plan.
        models: that were chosen.
        secret: of the run.
    """

    decided: PlannedRun[PmsePlan]
    models: Sequence[ChosenModel]
    secret: Secret

    @property
    def batches(self) -> int:
        """Of each table."""
        return -(-self.decided.plan.rows // BATCH)

    def piece(self, table: int, batch: int) -> Records:
        """Return one of the tables."""
        plan, schema = self.decided.plan, self.decided.schema
        return drawn_records(
            schema,
            self.decided.guarantee.account_as(Costs).units,
            lines_of(schema, plan.logarithmic),
            self.models[table],
            self.secret.source("attempts", table * self.batches + batch),
            min(BATCH, plan.rows - batch * BATCH),
        )

    def every(self) -> Iterator[Iterator[Records]]:
        """Yield all tables."""
        for table in range(len(self.models)):
            yield (self.piece(table, batch) for batch in range(self.batches))


def setting_of(plan: PmsePlan, paying: Costs, schema: Schema, made: int) -> PublicSearch:
    """Return what is public about the search of a plan.

    Args:
        plan: what was decided.
        paying: its choices.
        schema: the columns.
        made: n_s.
    """
    return PublicSearch(
        schema,
        paying.units,
        lines_of(schema, plan.logarithmic),
        common_numbers(paying.units, made, plan.seed),
        plan.partitions,
        plan.bins,
        plan.price,
        plan.seed,
    )


def _tables(plan: PmsePlan) -> Iterator[tuple[str, str]]:
    if plan.draws == 1:
        yield TABLE, "The synthetic table."
        return
    for turn in range(1, plan.draws + 1):
        yield f"{TABLE}-{turn}", f"The synthetic table of model {turn} of {plan.draws}."


def _read_state(state: ArraysState) -> Iterator[tuple[Any, Any]]:
    values, moments = (state.each[name].astype(np.float64) for name in (_VALUES, _MOMENTS))
    return zip(values, moments, strict=True)


MECHANISM: Final = Pmse()
