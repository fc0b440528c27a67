"""How many flags of a record to count, foreseen and tried on people who do not exist."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import category_schema
from understudy.charts.public import public_pictures
from understudy.mechanisms.latent.models import (
    Question,
    best,
    compute_kept_share,
    estimate_errors,
    list_tried,
    means,
    off,
)
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.registry import plan_run
from understudy.models.latent.features import S, thin_bits
from understudy.privacy.budget import Budget
from understudy.privacy.randomness import RandomSource
from understudy.table.pictures.declared import Pictures

SCHEMA = category_schema(*[2] * 14)


def plan(**given: object) -> LatentPlan:
    usual = {"domain": SCHEMA.fingerprint, "public_records": 20_000, "most_ones": 5}
    return LatentPlan.model_validate({**usual, **given})


def test_as_much_is_kept_as_thinned_records_keep() -> None:
    random = np.random.default_rng(2)
    bits = (random.random((40_000, 14)) < 0.3).astype(np.uint16)
    told = compute_kept_share(14, 0.3, [1, 3, 6, 14])
    for count, share in zip([1, 3, 6, 14], told, strict=True):
        cut = thin_bits(bits, count, RandomSource.fixed(count))
        assert cut.sum() / bits.sum() == pytest.approx(share, rel=0.01)
    assert told[-1] == pytest.approx(1.0)


def test_how_far_off_a_share_is_is_loss_and_noise_together() -> None:
    random = np.random.default_rng(3)
    asked = plan(epsilon=0.2, held_out=0.0)
    (told,) = estimate_errors(asked, SCHEMA, 0.3, [3])
    noise = Question.of(
        asked.model_copy(update={"most_ones": 3}), SCHEMA, Budget(0.2, asked.delta)
    ).deviation
    lost = 0.3 * (1 - compute_kept_share(14, 0.3, [3])[0])
    drawn = random.normal(size=(3, 200_000)) * noise / S**2 / 20_000
    share = (drawn[0] + drawn[1]) / 2 - 0.3 * drawn[2] - lost
    assert told == pytest.approx(np.abs(share).mean(), rel=0.01)


def test_the_best_lies_between_what_noise_and_what_records_want() -> None:
    few, many = (best(plan(epsilon=each), SCHEMA, 4) for each in (0.05, 5.0))
    assert few < many
    assert means(SCHEMA) == (1, 4)
    assert len(off(plan(), SCHEMA, 4)) == len(list_tried(SCHEMA)) == 14


def test_it_is_drawn_where_the_number_of_records_is_public() -> None:
    drawn = {each.name: each for each in public_pictures(plan_run(plan(), SCHEMA))}
    assert set(drawn) == {"seen", "counted"}
    found = drawn["counted"]
    assert found.figure.to_dict()
    assert list(found.table)[1:] == [
        "1 flag each", "4 flags each",
    ]  # fmt: skip
    assert f"Least off is {best(plan(), SCHEMA, 1)} where people have 1" in found.said
    pixels = Pictures(height=2, width=2).described()
    of_numbers = plan(domain=pixels.fingerprint, width=2)
    assert {each.name for each in public_pictures(plan_run(of_numbers, pixels))} == {"seen"}
