from __future__ import annotations

import pytest

from understudy.core.refusal import Refusal
from understudy.samples import pictures


def test_a_longer_set_begins_with_the_shorter_one_of_the_same_seed() -> None:
    fewer, more = pictures.simulate(20, 7), pictures.simulate(50, 7)
    assert (more[0][:20] == fewer[0]).all()
    assert (more[1][:20] == fewer[1]).all()
    assert (pictures.simulate(20, 8)[0] != fewer[0]).any()


def test_every_picture_shows_something_and_shapes_differ() -> None:
    grey, shows = pictures.simulate(500)
    assert grey.max() <= pictures.LEVELS
    assert (grey.reshape(500, -1).max(axis=1) >= 9).all()
    means = [grey[shows == each].mean(axis=0) for each in pictures.SHAPES]
    apart = [abs(one - other).max() for one in means for other in means if one is not other]
    assert min(apart) > 2


def test_no_pictures_are_refused() -> None:
    with pytest.raises(Refusal):
        pictures.simulate(0)
