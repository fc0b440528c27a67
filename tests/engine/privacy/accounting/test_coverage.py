"""What an account says of itself."""

from typing import Any

import pytest

from understudy.privacy.accounting.account_words import coverage
from understudy.privacy.accounting.accountant import account
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability, RelativeSensitivity

CENSUS = PlausibleDeniability(k=50, gamma=4, epsilon0=1)


def words(count: int = 100, **options: Any) -> str:
    return coverage(account(CENSUS, count, 1e-7, **options))


def test_attempts_without_a_bound_on_the_seeds() -> None:
    assert "one seed record" in words()
    assert "100 attempts" in words()
    assert "leaves out the rejections" in words()


def test_attempts_with_one() -> None:
    said = words(1, seeds_at_least=735_000)
    assert "1 attempt can" in said
    assert "rejections alike" in said
    assert "735,000 seeds" in said
    cap = account(CENSUS, 1, 1e-7, seeds_at_least=735_000).pass_cap
    assert f"probability {cap:.3g}" in said


def test_releases_count_on_their_floor() -> None:
    said = words(protocol="releases", pass_floor=0.125, seeds_at_least=735_000)
    assert "100 released records, provided that nobody learns how many attempts" in said
    assert "at least 12.5 % of all attempts passing" in said
    assert "at least 735,000 seeds" in said
    assert "seeds." not in words(protocol="releases", pass_floor=0.125)
    assert "1 released record," in words(1, protocol="releases", pass_floor=0.125)


def test_published_is_for_comparison() -> None:
    assert "rejections ignored" in words(protocol="published")
    assert "A real reader sees more" in words(protocol="published")


def test_persons_and_samples() -> None:
    said = words(2, records_per_person=3, sampling=0.25)
    assert "up to 3 seed records of one person" in said
    assert "secret random sample" in said
    assert "probability 0.25" in said


@pytest.mark.parametrize("kind", [PlausibleDeniability, RelativeSensitivity])
def test_without_noise_nothing_is_promised(kind: type) -> None:
    more = {"gamma": 4} if kind is PlausibleDeniability else {}
    said = coverage(account(kind(k=1_234, epsilon0=None, **more), 100, 1e-7))
    assert "no differential privacy" in said
    assert "at least 1,234 plausible seeds" in said
