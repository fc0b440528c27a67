from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tests.support import World, category_schema, random_network, random_structure, worlds
from understudy.evaluation.measures import model_accuracy
from understudy.evaluation.measures.model_accuracy import most_likely
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.categorical import ConditionalTable


def joint(network: BayesianNetwork, record: list[int]) -> float:
    """The probability of a whole record, factor by factor."""
    product = 1.0
    for column in range(len(record)):
        configuration = 0
        for parent in network.structure.parents[column]:
            of = network.schema.columns[parent]
            configuration = configuration * of.bucket_count + int(of.bucket_map[record[parent]])
        product *= float(network.tables[column].probabilities[configuration, record[column]])
    return product


@given(worlds(most_records=12))
def test_the_most_likely_value_is_that_of_the_joint_distribution(world: World) -> None:
    codes = world.records.codes
    for column, values in enumerate(world.network.schema.cardinalities):
        found = most_likely(world.network, column, codes)
        for record, choice in zip(codes.tolist(), found.tolist(), strict=True):
            chances = [
                joint(world.network, [*record[:column], value, *record[column + 1 :]])
                for value in range(values)
            ]
            # What cannot happen whatever the value is says nothing of it.
            if max(chances) > 0:
                likely = [chance >= max(chances) * (1 - 1e-9) for chance in chances]
                assert choice == likely.index(True)


def test_what_the_record_holds_there_is_not_looked_at() -> None:
    random = np.random.default_rng(1)
    schema = category_schema(4, 3, 5, halves=frozenset({0, 2}))
    network = random_network(schema, random_structure(3, random), random)
    codes = random.integers(0, schema.cardinalities, (50, 3)).astype(np.uint16)
    for column, values in enumerate(schema.cardinalities):
        changed = codes.copy()
        changed[:, column] = (changed[:, column] + 1) % values
        assert (most_likely(network, column, codes) == most_likely(network, column, changed)).all()


def test_of_equals_it_is_the_smaller_code() -> None:
    """Three values, the last two as likely as each other through different factors."""
    schema = category_schema(3, 2)
    tables = (
        ConditionalTable.from_probabilities(np.array([[0.25, 0.25, 0.5]])),
        ConditionalTable.from_probabilities(np.array([[0.5, 0.5], [0.5, 0.5], [0.25, 0.75]])),
    )
    network = BayesianNetwork(schema, Structure.of([(), (0,)]), tables)
    codes = np.array([[0, 0], [0, 1]], dtype=np.uint16)
    # x1 = 0: 1/8, 1/8, 1/8. x1 = 1: 1/8, 1/8, 3/8.
    assert most_likely(network, 0, codes).tolist() == [0, 2]


def test_many_records_are_looked_at_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(2)
    schema = category_schema(7, 5, 6)
    network = random_network(schema, random_structure(3, random), random)
    codes = random.integers(0, schema.cardinalities, (301, 3)).astype(np.uint16)
    whole = [most_likely(network, column, codes).tolist() for column in range(3)]
    monkeypatch.setattr(model_accuracy, "_CELLS", 50)
    assert [most_likely(network, column, codes).tolist() for column in range(3)] == whole
    assert most_likely(network, 0, codes[:0]).tolist() == []


def test_equals_whose_last_digits_differ_are_equals() -> None:
    """0.15 · 0.4 = 0.3 · 0.2, but not in logarithms of rounded probabilities."""
    tables = (
        ConditionalTable.from_probabilities(np.array([[1 / 3, 2 / 3]])),
        ConditionalTable.from_probabilities(np.array([[0.4, 0.6], [0.2, 0.8]])),
    )
    network = BayesianNetwork(category_schema(2, 2), Structure.of([(), (0,)]), tables)
    assert most_likely(network, 0, np.array([[1, 0]], dtype=np.uint16)).tolist() == [0]
