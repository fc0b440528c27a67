"""`understudy intervals`, on a packet that holds noisy tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.cli.conftest import Ended
from tests.engine.inference.test_questions import SCHEMA, released
from understudy.models.noisy_tables import NAME, table_figures

Understudy = Callable[..., Ended]


@pytest.fixture(scope="module")
def packet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two files that are looked at."""
    folder = tmp_path_factory.mktemp("packet")
    figures = table_figures(released().tables, SCHEMA, 0.9)
    (folder / "outputs.json").write_text(json.dumps({NAME: figures}))
    (folder / "schema.json").write_text(SCHEMA.to_json())
    return folder


def test_a_question_is_answered_in_words_and_for_programs(
    packet: Path, understudy: Understudy
) -> None:
    said = understudy("intervals", packet, "--mean", "pay", "--by", "sex=women,men")
    assert said.status == 0
    assert "mean of pay, sex = women less men" in said.out
    assert "held out by lot" in said.out.replace("\n", " ")
    found = understudy("intervals", packet, "--share", "town=b", "--level", "0.9", "--json").json
    (answer,) = found["intervals"]
    low, high = answer["table"]
    assert low < answer["estimate"] < high
    assert found["never_counted_together"] == [["sex", "town"]]
    every = understudy("intervals", packet)
    assert "1 were never" in every.out or "Of the other 1" in every.out


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("--mean", "pay", "--share", "sex"), "not clear"),
        (("--by", "sex"), "not clear"),
        (("--share", "sex=f", "--by", "town"), "never counted together"),
        (("--level", "2"), "--level"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    packet: Path, typed: tuple[str, ...], said: str, understudy: Understudy
) -> None:
    found = understudy("intervals", packet, *typed)
    assert found.status == 2
    assert said in found.err
