from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from understudy.assurance.imputation.row_laws import ScriptedSecret, ScriptedSource


def test_words_that_run_over_a_multiple_of_a_bound_give_each_case_as_often() -> None:
    drawn = Counter(
        tuple(ScriptedSource(words).below(3, 2).tolist()) for words in product(range(6), repeat=2)
    )
    assert drawn == dict.fromkeys(product(range(3), repeat=2), 4)


def test_one_use_alone_is_scripted() -> None:
    secret = ScriptedSecret.of("model", [7, 8])
    assert not secret.seeded
    source = secret.source("model")
    source.child()
    assert source.words(2).tolist() == [7, 8]
    with pytest.raises(ValueError, match="more words"):
        source.words(1)
    assert len(set(secret.source("split").words(4).tolist())) == 4
