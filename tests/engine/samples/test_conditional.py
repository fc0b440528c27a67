import numpy as np
import pytest

from understudy.samples.conditional import Conditional, factors, table


def test_draws_follow_the_row_that_the_parents_name():
    weights = np.array([[[1.0, 3.0], [1.0, 0.0]], [[0.0, 2.0], [5.0, 5.0]]])
    first, second = np.repeat([0, 0, 1, 1], 20_000), np.repeat([0, 1, 0, 1], 20_000)
    children = Conditional(weights).draw(np.random.default_rng(1), first, second)
    assert children.reshape(4, -1).mean(axis=1) == pytest.approx([0.75, 0, 1, 0.5], abs=0.02)


def test_a_uniform_next_to_one_stays_in_its_row():
    class NextToOne:
        def random(self, count):
            return np.full(count, np.nextafter(1.0, 0.0))

    child = Conditional(np.tile([1.0, 1.0, 0.0], (4000, 1)))
    assert (child.draw(NextToOne(), np.arange(4000)) == 1).all()


def test_a_value_of_weight_zero_is_never_drawn():
    child = Conditional(np.tile([0.0, 1.0, 0.0, 1.0, 0.0], (7, 1)))
    drawn = child.draw(np.random.default_rng(2), np.arange(70_000) % 7)
    assert set(drawn) == {1, 3}


def test_a_table_reads_numbers_and_leaves_the_names():
    numbers = table("""
           a   b
        x  1   2.5
        y  0  .5
    """)
    assert numbers.tolist() == [[1, 2.5], [0, 0.5]]


def test_a_table_with_a_column_unnamed_is_an_error():
    with pytest.raises(ValueError, match="3 numbers under 2"):
        table("a b\n x 1 2 3")


def test_factors_default_to_one_and_know_their_names():
    assert factors(("a", "b", "c"), "b 2.0  c .5").tolist() == [1.0, 2.0, 0.5]
    assert factors(("a", "b"), "b 2.0", default=0.0).tolist() == [0.0, 2.0]
    with pytest.raises(ValueError, match="no such names: c"):
        factors(("a", "b"), "c 2.0")
