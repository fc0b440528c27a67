"""Two categories beside other parts: above every table's curve, and hardly above the highest."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from understudy.mechanisms.imputation.curves.curve import (
    Composed,
    Curve,
    GaussianCurve,
    delta_at,
    epsilon_at,
)
from understudy.mechanisms.imputation.curves.drawn import Cells, Drawn
from understudy.mechanisms.imputation.curves.envelope import covering, envelope

kinds = st.sampled_from(["one", "own", "parameter"])


def drawn_of(kind: str, rows: int) -> Drawn:
    return {"one": Drawn(1, rows), "own": Drawn(rows, 1), "parameter": Drawn(1, None)}[kind]


def every(cells: Cells, drawn: Drawn) -> list[Curve]:
    return [drawn.between(*cells.pair(n)) for n in range(1, cells.records + 1)]


@example(records=237, alpha=0.4, rows=1, kind="one")
@given(
    records=st.integers(1, 300),
    alpha=st.sampled_from([0.4, 1.0, 4.0, 25.0, 300.0]),
    rows=st.integers(1, 200),
    kind=kinds,
)
def test_it_is_the_highest_of_all_tables_at_every_epsilon(
    records: int, alpha: float, rows: int, kind: str
) -> None:
    cells, drawn = Cells(2, alpha, records), drawn_of(kind, rows)
    found = envelope(cells, drawn)
    epsilons = np.concatenate([np.linspace(0, 3, 40), [5.0, 20.0]])
    highest = np.maximum.reduce(
        [np.maximum(c.forward(epsilons), c.backward(epsilons)) for c in every(cells, drawn)]
    )
    ours = found.forward(epsilons)
    assert (ours >= highest * (1 - 1e-9)).all()
    assert (ours <= highest * 1.01 + 1e-17).all()
    assert (found.backward(epsilons) == ours).all()


@given(
    records=st.integers(1, 6),
    alpha=st.sampled_from([1.0, 4.0]),
    rows=st.integers(2, 8),
    kind=kinds,
    delta=st.sampled_from([1e-2, 1e-4]),
)
def test_two_columns_together_cost_no_table_more(
    records: int, alpha: float, rows: int, kind: str, delta: float
) -> None:
    """Every number of records that have the first value of either column, and each way."""
    cells, drawn = Cells(2, alpha, records), drawn_of(kind, rows)
    whole = epsilon_at(Composed(((envelope(cells, drawn), 2),)), delta)
    of = [
        epsilon_at(Composed(((one, 1), (other, 1))), delta)
        for one, other in product(every(cells, drawn), repeat=2)
    ]
    assert max(of) <= whole * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize("drawn", [Drawn(1, 1000), Drawn(1000, 1), Drawn(1, None)])
@pytest.mark.parametrize("columns", [2, 5])
def test_it_is_next_to_what_one_table_costs(drawn: Drawn, columns: int) -> None:
    """And far below the bound that holds for any number of categories."""
    cells = Cells(2, 10.0, 1000)
    edge = epsilon_at(Composed(((drawn.between(*cells.pair(1)), columns),)), 1e-6)
    ours = epsilon_at(Composed(((envelope(cells, drawn), columns),)), 1e-6)
    bound = epsilon_at(Composed(((drawn.between(*cells.rarest), columns),)), 1e-6)
    assert edge * (1 - 1e-6) <= ours <= 1.002 * edge
    assert bound > 1.2 * ours


def test_few_curves_are_kept() -> None:
    for drawn in (Drawn(1, 10_000), Drawn(10_000, 1), Drawn(1, None)):
        assert len(envelope(Cells(2, 20.0, 100_000), drawn).curves) <= 4


def test_beside_numbers() -> None:
    both = Composed(((envelope(Cells(2, 10.0, 1000), Drawn(1, 500)), 1), (GaussianCurve(0.2), 1)))
    alone = [epsilon_at(each, 1e-6) for each, _ in both.parts]
    assert max(alone) < epsilon_at(both, 1e-6) < sum(alone)


@given(
    records=st.integers(1, 40),
    alpha=st.sampled_from([1.0, 4.0, 25.0]),
    rows=st.integers(1, 60),
    kind=kinds,
    at=st.floats(0, 1.5),
)
def test_a_few_pairs_cover_all_tables(
    records: int, alpha: float, rows: int, kind: str, at: float
) -> None:
    cells, drawn = Cells(2, alpha, records), drawn_of(kind, rows)
    most = max(delta_at(drawn.between(*pair), at) for pair in covering(cells))
    for each in every(cells, drawn):
        assert delta_at(each, at) <= most * (1 + 1e-7) + 1e-14
