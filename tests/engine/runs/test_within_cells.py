"""Released numbers: drawn evenly within released cells, from codes and the run's secret alone."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from datetime import date
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.runs.asked import finished
from tests.support import within_cells
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.privacy.randomness import RandomSource, Secret
from understudy.report import files
from understudy.report.dictionary import COLUMNS, MEASURED, columns_csv, describe_column
from understudy.report.outputs import SyntheticTable, read_released_csv
from understudy.report.outputs import read_released_table as table_of
from understudy.report.report import make_glances
from understudy.runs.folder import TABLE
from understudy.runs.resources import Resources
from understudy.runs.table_file import ReleasedCsv, ReleasedParquet, WithinCells, read_first_records
from understudy.runs.work import Job
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.dates import Dates
from understudy.table.encoding import to_csv_bytes
from understudy.table.records import Records, as_arrow
from understudy.table.schema import Schema

WEIGHT = Column(
    name="weight",
    domain=Continuous(minimum=30, maximum=150, precision="0.5", step=7, unit="kg"),
    missing=True,
)
SCORE = Column(name="score", domain=Continuous(minimum=-1, maximum=1, precision="0.25", step=1))
SEX = Column(name="sex", domain=Categories(values=("m", "f")))
SCHEMA = Schema(columns=(WEIGHT, SEX, SCORE))
Codes = npt.NDArray[np.uint16]


def codes(count: int, seed: int = 1) -> Codes:
    """Any codes, those of missing among them."""
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.integers(0, each, count) for each in SCHEMA.cardinalities]).astype(
        np.uint16
    )


def confidential(codes: Codes, seed: int) -> Records:
    """Records that hold these codes, and other numbers with every seed."""
    return WithinCells(SCHEMA, Secret.fixed(seed)).records(codes, 0)


def test_every_number_of_a_cell_is_drawn_equally_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact: of as many consecutive words as a cell has numbers, each comes to another number."""
    (held,) = {int(each) for each in SCHEMA.columns[0].domain.lattice.held_by(np.array([3]))}  # type: ignore[union-attr]
    monkeypatch.setattr(
        RandomSource, "words", lambda self, count: np.arange(count, dtype=np.uint64) // 2
    )
    same = np.tile(np.array([[3, 0, 0]], dtype=np.uint16), (held, 1))
    numbers = within_cells(SCHEMA).records(same, 0).numbers
    assert numbers is not None
    counted = Counter(numbers[:, 0].tolist())
    assert set(counted.values()) == {1}
    assert sorted(counted) == [51 + 0.5 * place for place in range(14)]


def test_the_last_cell_reaches_to_the_maximum() -> None:
    last = np.tile(np.array([[WEIGHT.domain.size - 1, 0, 1]], dtype=np.uint16), (2_000, 1))
    numbers = within_cells(SCHEMA).records(last, 0).numbers
    assert numbers is not None
    assert sorted(set(numbers[:, 0].tolist())) == [149, 149.5, 150]
    assert sorted(set(numbers[:, 1].tolist())) == [0, 0.25, 0.5, 0.75, 1]


def test_released_days_follow_the_declared_weekdays() -> None:
    """Those of every month, none of which was declared never to occur."""
    domain = Dates.read(
        {"minimum": "2020-01-01", "maximum": "2020-12-31", "step": "month",
         "weekdays": (2, 0, 0, 0, 0, 1, 0)},
    )  # fmt: skip
    schema = Schema(columns=(Column(name="day", domain=domain), SEX))
    drawn = within_cells(schema).records(np.tile(np.array([[4, 0]], np.uint16), (3_000, 1)), 0)
    assert drawn.numbers is not None
    days = [date.fromordinal(int(number)) for number in drawn.numbers[:, 0]]
    assert {day.month for day in days} == {5}
    often = Counter(day.weekday() for day in days)
    assert set(often) == {0, 5}
    # Four Mondays of 2 each, five Saturdays of 1 each.
    assert often[0] / 3_000 == pytest.approx(8 / 13, abs=0.04)


def test_missing_stays_missing() -> None:
    drawn = within_cells(SCHEMA).records(np.array([[18, 0, 0], [2, 1, 1]], dtype=np.uint16), 0)
    assert drawn.numbers is not None
    assert np.isnan(drawn.numbers).tolist() == [[True, False], [False, False]]
    assert to_csv_bytes(drawn).splitlines()[1].startswith(b",m,")


@given(st.lists(st.integers(0, 40), max_size=5), st.integers(0, 10**6))
def test_a_number_hangs_on_its_place_in_the_table_and_not_on_the_batch(
    sizes: list[int], first: int
) -> None:
    cells, whole = within_cells(SCHEMA), codes(sum(sizes))
    at_once = cells.records(whole, first).numbers
    ends = np.cumsum([0, *sizes]).tolist()
    parts = [cells.records(whole[low:high], first + low).numbers for low, high in pairwise(ends)]
    assert at_once is not None
    apart = np.concatenate([np.zeros((0, 2)), *(each for each in parts if each is not None)])
    assert np.array_equal(apart, at_once, equal_nan=True)


def test_many_are_drawn_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = within_cells(SCHEMA).records(codes(100), 3).numbers
    monkeypatch.setattr("understudy.runs.table_file._CELLS", 14)
    in_turns = within_cells(SCHEMA).records(codes(100), 3).numbers
    assert whole is not None
    assert in_turns is not None
    assert np.array_equal(whole, in_turns, equal_nan=True)


def test_other_secrets_draw_other_numbers() -> None:
    one, other = (confidential(codes(50), seed).numbers for seed in (1, 2))
    assert one is not None
    assert other is not None
    assert (one != other).mean() > 0.5


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("marked", [False, True])
def test_a_table_that_was_cut_off_goes_on_as_it_would_have(
    own: bool, marked: bool, tmp_path: Path
) -> None:
    """Also one whose numbers its method drew."""
    cells, made = within_cells(SCHEMA), codes(30)
    drawn = confidential(made, 9)
    first, rest = (drawn.take(np.arange(30) < 11), drawn.take(np.arange(30) >= 11))
    parts = (first, rest) if own else (made[:11], made[11:])
    whole, begun = io.BytesIO(), io.BytesIO()
    ReleasedCsv(cells, whole, marked=marked).add(drawn if own else made)
    table = ReleasedCsv(cells, begun, marked=marked)
    table.add(parts[0])
    again = io.BytesIO(begun.getvalue() + b"torn,")
    resumed = ReleasedCsv(cells, again, marked=marked, written=table._file.written)
    resumed.add(parts[1])
    assert again.getvalue() == whole.getvalue()
    path = tmp_path / TABLE["parquet"]
    with (tmp_path / "codes").open("w+b") as file:
        stored = ReleasedParquet(cells, path, file, marked=marked)
        stored.add(parts[0])
        at = stored.settle()
        file.write(b"torn")
        file.seek(0)
        stored = ReleasedParquet(cells, path, file, marked=marked, written=at)
        stored.add(parts[1])
        stored.finish()
    (tmp_path / "synthetic.csv").write_bytes(whole.getvalue())
    as_doubles = read_first_records(path, SCHEMA, 10**6)
    as_texts = read_first_records(tmp_path / "synthetic.csv", SCHEMA, 10**6)
    assert np.array_equal(as_doubles.codes, made)
    assert np.array_equal(as_texts.codes, made)
    assert as_doubles.numbers is not None
    assert as_texts.numbers is not None
    assert np.array_equal(as_doubles.numbers, as_texts.numbers, equal_nan=True)
    assert drawn.numbers is not None
    assert np.array_equal(as_texts.numbers, drawn.numbers, equal_nan=True) is own
    kept = [each for each in pq.read_table(path).column_names if each != "not_private"]
    assert pq.read_table(path, columns=kept).equals(as_arrow(as_texts))


@pytest.mark.parametrize("changed", ["0.25", "1.05", "7.5", "x"])
def test_a_released_number_that_its_column_cannot_hold_is_told(
    changed: str, tmp_path: Path
) -> None:
    path = tmp_path / "synthetic.csv"
    path.write_text(f"weight,sex,score\n50.0,m,0.25\n{changed},m,0.25\n")
    assert len(read_first_records(path, SCHEMA, 1)) == 1
    with pytest.raises(KeyError, match="weight"):
        read_first_records(path, SCHEMA, 2)


def job(records: Records, form: str) -> Job:
    plan = Plan.of(
        SCHEMA,
        test=PlausibleDeniability(k=30, gamma=4.0, epsilon0=1.0),
        omega=Omega(low=2, high=3),
        attempts=300,
        seeds_at_least=500,
        public_records=2_900,
    )
    return Job(records, plan, seed=7, figures=False, resources=Resources(form=form))  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_release_hangs_on_no_number_of_any_record(form: str, tmp_path: Path) -> None:
    """Exact: with the same codes and the same secret, all other numbers come to the same bytes."""
    hashes = set()
    for seed in (1, 2):
        run = finished(job(confidential(codes(3_000), seed), form), tmp_path / str(seed))
        hashes.add(hashlib.sha256(run.table.read_bytes()).hexdigest())
        assert len(read_first_records(run.table, SCHEMA, 10**6)) > 20
    assert len(hashes) == 1


def released_table(tmp_path: Path) -> SyntheticTable:
    run = finished(job(confidential(codes(3_000), 1), "csv"), tmp_path / "run")
    sha256 = hashlib.sha256(run.table.read_bytes()).hexdigest()
    return table_of(run.table, SCHEMA, sha256, stained=True)


def test_a_packet_takes_in_the_table_and_says_what_its_columns_are(tmp_path: Path) -> None:
    table = released_table(tmp_path)
    again = read_released_csv(to_csv_bytes(table.records), table.records.schema)
    assert to_csv_bytes(again) == to_csv_bytes(table.records)
    weight, sex, score, _ = make_glances(table)
    assert weight.ends == ("30.0", "150.0")
    assert "kg, the middle one in" in weight.alt
    assert "%" in sex.alt
    assert "from -1.00 to" in score.alt


def test_the_dictionary_has_the_unit_and_the_precision() -> None:
    heading, weight, sex, score = columns_csv(SCHEMA, files.VALUES).splitlines()
    assert heading == ",".join((*COLUMNS, *MEASURED))
    assert weight.endswith(",0.5,kg")
    assert sex.endswith(",,")
    assert score.endswith(",0.25,")
    said = describe_column(WEIGHT, files.VALUES).domain
    assert said == (
        "30.0 to 150.0 kg, to the nearest 0.5; modelled in cells of 7 and drawn evenly within each"
    )
    alone = Schema(columns=(SEX, SEX.changed(name="other")))
    assert columns_csv(alone, files.VALUES).splitlines()[0] == ",".join(COLUMNS)
