"""Records by cell of known totals: as many of each as there have to be, in any parts, and within a
cell as the network has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from tests.engine.table.test_known_totals import totals
from tests.support import category_schema, random_network, random_structure
from understudy.core.refusal import Refusal
from understudy.models.bayesnet import allotted_records
from understudy.models.bayesnet.allotted_records import AllottedRecords
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.categorical import ConditionalTable
from understudy.models.tilts import Tilt, Tilts
from understudy.models.views import Rows, View
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.known_totals import compare_totals
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema

PLAIN = category_schema(2, 3, 4)
ONE = totals(["c0"], ["v0", 29], ["v1", 8])
PAIR = totals(["c0", "c1"], ["v0", "v0", 3], ["v0", "v2", 26], ["v1", "v1", 8])
OTHER = totals(["c2"], ["v0", 30], ["v3", 7])
SHARED = totals(["c1", "c2"], ["v0", "v1", 3], ["v1", "v0", 8], ["v2", "v0", 12], ["v2", "v3", 14])


@pytest.fixture(autouse=True, scope="module")
def few_shown() -> Iterator[None]:
    """Let few records tell how two tables of totals meet."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(allotted_records, "_SHOWN", 4_000)
        yield


def source() -> RandomSource:
    return Secret.fixed(3).source("attempts")


def allotted(schema: Schema, rows: int, seed: int = 0) -> AllottedRecords:
    """Rows of a skewed network, some of whose tables have zeros."""
    rng = np.random.default_rng(seed)
    network = random_network(schema, random_structure(len(schema), rng), rng)
    found = schema.joint_totals
    assert found is not None
    return AllottedRecords.of(network, found, rows, Secret.fixed(1).source("totals"))


KNOWN = ([ONE], [PAIR], [ONE, OTHER], [PAIR, OTHER], [PAIR, SHARED])


@given(
    known=st.sampled_from(KNOWN),
    seed=st.integers(0, 1000),
    rows=st.sampled_from([37, 5, 100]),
    cut=st.integers(0, 100),
)
def test_any_two_parts_of_a_release_have_the_totals_together(
    known: list, seed: int, rows: int, cut: int
) -> None:
    schema = PLAIN.with_totals(known)
    found = allotted(schema, rows, seed)
    cut = min(cut, rows)
    parts = [found.draw(0, cut, source()), found.draw(cut, rows - cut + 9, source())]
    codes = np.concatenate(parts, axis=1)
    assert codes.shape == (3, rows)
    for each in known:
        checks = compare_totals(each, schema.columns, list(codes))
        assert all(check.hit for check in checks)
        assert rows != 37 or all(check.released == check.declared for check in checks)
    cells = [found.list_cells(first, 1)[0] for first in range(rows)]
    assert cells == found.list_cells(0, rows).tolist()


def test_rules_hold_in_cells_that_the_network_hardly_draws() -> None:
    rule = Rule(text='if (c0 == "v1") c2 %in% c("v2", "v3")')
    known = totals(["c0"], ["v0", 2], ["v1", 498])
    schema = PLAIN.with_rules([rule]).with_totals([known])
    tables = [
        ConditionalTable.from_probabilities(np.array([each]))
        for each in ([1.0, 1e-9], [1.0, 1.0, 1.0], [0.5, 0.3, 0.1, 0.1])
    ]
    structure = Structure.independent(3, schema.relations)
    totals_of = schema.joint_totals
    assert totals_of is not None
    found = AllottedRecords.of(
        BayesianNetwork(schema, structure, tuple(tables)), totals_of, 500, source()
    )
    codes = found.draw(0, 500, source())
    assert codes[0].sum() == 498
    assert (codes[2][codes[0] == 1] >= 2).all()


def test_records_of_a_cell_are_as_the_network_has_them_also_where_it_is_bound_to_it() -> None:
    """One cell of 1 in 10,000 records, whose column is drawn last, under tilts: an exact law."""
    first = np.array([[0.7, 0.3]])
    last = np.array([[1 - 1e-4, 1e-4], [1 - 4e-4, 4e-4]])
    plain = category_schema(2, 3, 2)
    schema = plain.with_totals([totals(["c2"], ["v1", 4000])])
    tables = (
        ConditionalTable.from_probabilities(first),
        ConditionalTable.from_probabilities(np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])),
        ConditionalTable.from_probabilities(last),
    )
    network = BayesianNetwork(schema, Structure(((), (0,), (0,)), (0, 1, 2)), tables)
    every = np.array([*product(range(2), range(3), range(2))], dtype=np.uint16).T
    tilt = Tilt((View(1),), np.log(np.array([1.0, 2.0, 0.5])))
    tilts = Tilts.of(Rows(schema, list(network.records(20_000, source()))), [tilt])
    network = replace(network, tilts=tilts)
    law = np.exp(sum(network.log_likelihood(each, list(every)) for each in range(3)))
    law *= tilts.acceptance(list(every)) * every[2]
    joint = schema.joint_totals
    assert joint is not None
    found = AllottedRecords.of(network, joint, 4000, source())
    codes = found.draw(0, 4000, source())
    counts = np.array([(each == codes.T).all(axis=1).sum() for each in every.T])
    shown = law > 0
    assert counts.sum() == counts[shown].sum() == 4000
    # Chosen without replacement among a few, records of great weight are a little too rare.
    expected = law[shown] / law.sum()
    assert np.abs(counts[shown] / 4000 - expected).max() < 0.03
    assert chisquare(counts[shown], 4000 * expected).statistic < 60


def test_two_tables_meet_as_the_network_has_them() -> None:
    schema = category_schema(2, 2).with_totals(
        [totals(["c0"], ["v0", 500], ["v1", 500]), totals(["c1"], ["v0", 500], ["v1", 500])]
    )
    tables = (
        ConditionalTable.from_probabilities(np.array([[0.5, 0.5]])),
        ConditionalTable.from_probabilities(np.array([[0.9, 0.1], [0.1, 0.9]])),
    )
    network = BayesianNetwork(schema, Structure(((), (0,)), (0, 1)), tables)
    joint = schema.joint_totals
    assert joint is not None
    found = AllottedRecords.of(network, joint, 1000, Secret.fixed(1).source("totals"))
    assert np.diff(found.ends, prepend=0) == pytest.approx([450, 50, 50, 450], abs=5)


def test_rules_too_wide_for_a_cell_end_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = PLAIN.with_totals([totals(["c0"], ["v0", 1], ["v1", 36])])
    found = allotted(schema, 37)
    monkeypatch.setattr(BayesianNetwork, "within", lambda *_: (_ for _ in ()).throw(ValueError()))
    monkeypatch.setattr("understudy.models.bayesnet.allotted_records._ROUNDS", 0)
    with pytest.raises(Refusal, match="no way to draw the records with “v0”"):
        found.draw(0, 37, source())
