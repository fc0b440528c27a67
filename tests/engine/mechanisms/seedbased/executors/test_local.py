"""Cores make the same release, however many there are and wherever it begins."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import category_schema, random_network, random_structure
from understudy.core.threads import available
from understudy.mechanisms.seedbased import attempts as chunked
from understudy.mechanisms.seedbased import executors
from understudy.mechanisms.seedbased.attempts import Chunks, Decision, Span, Synthesizer, release
from understudy.mechanisms.seedbased.executors import Cores
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.privacy.randomness import Secret
from understudy.table.records import Records

SECRET = Secret.fixed(5)
BATCH = 8


@pytest.fixture
def chunks(monkeypatch: pytest.MonkeyPatch) -> Chunks:
    """100 attempts in batches of eight."""
    monkeypatch.setattr(chunked, "BATCH", BATCH)
    monkeypatch.setattr(executors, "BATCHES", 2)
    rng = np.random.default_rng(3)
    schema = category_schema(3, 4, 2)
    network = random_network(schema, random_structure(3, rng), rng)
    codes = np.column_stack([rng.integers(0, size, 60) for size in (3, 4, 2)]).astype(np.uint16)
    made = Synthesizer(KeptAttributes(network, Omega(low=1, high=3)), Records(schema, codes))
    test = PlausibleDeniability(k=12, gamma=4.0, epsilon0=1.0)
    return Chunks(made, Decision(test, 0.01), SECRET, 100)


def one_by_one(chunks: Chunks, first: int = 0) -> list[list[int]]:
    """What passes, a batch after another, each from the stream of its number."""
    made = [
        release(
            chunks.synthesizer,
            chunks.decision,
            start,
            min(BATCH, chunks.attempts - start),
            SECRET.source("attempts", start // BATCH),
        )
        for start in range(first, chunks.attempts, BATCH)
    ]
    return np.concatenate(made).tolist()


@pytest.mark.parametrize("cores", [1, 2, 5])
@pytest.mark.parametrize("first", [0, 48, 96, 104])
def test_attempts_come_in_order_each_once(chunks: Chunks, cores: int, first: int) -> None:
    found = list(Cores(cores).release(chunks, first))
    spans = [span for span, _ in found]
    expected = [Span(start, min(2 * BATCH, 100 - start)) for start in range(first, 100, 2 * BATCH)]
    assert spans == expected
    if first < 100:
        passed = [row for _, codes in found for row in codes.tolist()]
        assert passed == one_by_one(chunks, first)
        assert len(passed) > 0 or first > 48


def test_a_chunk_made_again_comes_out_the_same(chunks: Chunks) -> None:
    span = Span(16, 30)
    assert np.array_equal(chunks.make(span), chunks.make(span))


def test_whoever_has_enough_stops_the_rest(chunks: Chunks, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    real = Chunks.make

    def counted(self: Chunks, span: Span) -> np.ndarray:
        made.append(span.first)
        return real(self, span)

    monkeypatch.setattr(Chunks, "make", counted)
    released = Cores(1).release(chunks, 0)
    next(released)
    released.close()
    assert set(made) <= {0, 16}


def test_what_goes_wrong_in_a_chunk_reaches_whoever_asked(
    chunks: Chunks, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_memory(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Chunks, "make", out_of_memory)
    with pytest.raises(MemoryError):
        next(Cores(2).release(chunks, 0))


def test_there_is_a_core() -> None:
    assert Cores.all().count == available() >= 1
