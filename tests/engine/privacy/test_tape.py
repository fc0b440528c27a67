"""What was drawn is drawn once: whoever learns again is answered from the tape."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.privacy import noise as noise_module
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource, Secret
from understudy.privacy.tape import KeptTape

SECRET = Secret(bytes(range(32)))
COUNTS = np.arange(2_500, dtype=np.int64)


def learned(noise: Noise) -> list[object]:
    """Questions that depend on the answers before them."""
    noisy = noise.integers(COUNTS, 4.0)
    chosen = noise.choose_best(noisy[:7], 2.0, concentrated=True)
    wide = noise.gaussians(COUNTS[chosen:], 1e6)
    return [
        noisy.tolist(),
        chosen,
        wide.tolist(),
        noise.integers(np.array([np.iinfo(np.int64).max]), 1e12).tolist(),
        noise.choose_best(wide[:3], 1e3, concentrated=False),
    ]


def replayed(path: Path) -> tuple[list[object], int]:
    """What is learned with a tape, and how much was drawn for it."""
    drawn = 0

    def counted(draw: Callable[..., object]) -> Callable[..., object]:
        def called(*arguments: object) -> object:
            nonlocal drawn
            drawn += 1
            return draw(*arguments)

        return called

    with pytest.MonkeyPatch.context() as hooks, KeptTape(path, SECRET) as tape:
        hooks.setattr(noise_module, "_BLOCK", 1000)
        for name in ("measurement", "gaussian_measurement", "selection"):
            real = getattr(noise_module, name)
            hooks.setattr(noise_module, name, lambda *a, real=real, **n: counted(real(*a, **n)))
        return learned(Noise(RandomSource.secure(), tape)), drawn


@pytest.fixture
def whole(tmp_path: Path) -> tuple[Path, list[object], int]:
    path = tmp_path / "tape"
    return path, *replayed(path)


def test_what_is_on_the_tape_is_not_drawn_again(whole: tuple[Path, list[object], int]) -> None:
    path, first, drawn = whole
    assert drawn > 5
    size = path.stat().st_size
    assert replayed(path) == (first, 0)
    assert path.stat().st_size == size
    assert path.stat().st_mode & 0o777 == 0o600


def test_wherever_it_was_torn_off_the_rest_is_drawn_and_kept(
    whole: tuple[Path, list[object], int],
) -> None:
    path, first, drawn = whole
    tape = path.read_bytes()
    again = set()
    ends = np.linspace(0, len(tape), 20, dtype=int).tolist()
    for end in (*ends, *range(len(tape) - 150, len(tape), 10)):
        path.write_bytes(tape[:end])
        second, fresh = replayed(path)
        again.add(fresh)
        if end > len(tape) // 2:
            assert second[0] == first[0]
        assert replayed(path) == (second, 0)
    assert {0, drawn} <= again
    assert len(again) > drawn // 2


@pytest.mark.parametrize("end", [b"", b"\0" * 7, b"\xff" * 400])
def test_what_follows_the_last_answer_and_bears_no_mark_is_cut_off(
    whole: tuple[Path, list[object], int], end: bytes
) -> None:
    path, first, _ = whole
    tape = path.read_bytes()
    path.write_bytes(tape + end)
    assert replayed(path) == (first, 0)
    with KeptTape(path, SECRET) as more:
        noise = Noise(RandomSource.secure(), more)
        noise_module_block, noise_module._BLOCK = noise_module._BLOCK, 1000
        try:
            learned(noise)
            further = noise.integers(COUNTS[:5], 1.0)
        finally:
            noise_module._BLOCK = noise_module_block
    assert len(further) == 5
    assert path.read_bytes().startswith(tape)
    assert replayed(path) == (first, 0)


@pytest.mark.parametrize(
    "asked",
    [
        lambda noise: noise.integers(COUNTS + 1, 4.0),
        lambda noise: noise.integers(COUNTS, 4.5),
        lambda noise: noise.gaussians(COUNTS, 4.0),
        lambda noise: noise.integers(COUNTS[:-1], 4.0),
    ],
    ids=["other counts", "another scale", "another kind", "fewer"],
)
def test_another_question_is_refused_and_nothing_is_drawn(
    tmp_path: Path, asked: Callable[[Noise], object]
) -> None:
    path = tmp_path / "tape"
    with KeptTape(path, SECRET) as tape:
        Noise(RandomSource.secure(), tape).integers(COUNTS, 4.0)
    kept = path.read_bytes()
    with KeptTape(path, SECRET) as tape:
        noise = Noise(RandomSource.secure(), tape)
        with pytest.raises(Refusal, match="does not learn again as it learned"):
            asked(noise)
    assert path.read_bytes() == kept


def test_the_tape_of_another_run_says_nothing(whole: tuple[Path, list[object], int]) -> None:
    path, first, _ = whole
    with KeptTape(path, Secret(bytes(32))) as tape:
        assert Noise(RandomSource.secure(), tape).integers(COUNTS, 4.0).tolist() != first[0]


def test_how_long_it_is_tells_nothing_of_what_was_drawn(tmp_path: Path) -> None:
    sizes = set()
    for number in range(20):
        with KeptTape(tmp_path / f"{number}", SECRET) as tape:
            Noise(RandomSource.secure(), tape).integers(COUNTS, 30.0)
        sizes.add((tmp_path / f"{number}").stat().st_size)
    assert len(sizes) == 1


def test_a_demonstration_draws_from_its_seed_and_needs_no_tape(tmp_path: Path) -> None:
    with KeptTape(tmp_path / "tape", SECRET) as tape:
        one = Noise(RandomSource.fixed(3), tape).integers(COUNTS, 4.0)
    np.testing.assert_array_equal(one, Noise(RandomSource.fixed(3)).integers(COUNTS, 4.0))
    assert (tmp_path / "tape").stat().st_size == 0


@pytest.mark.parametrize(
    ("scale", "width"), [(511.0, 2), (512.0, 4), (2.0**25 - 1, 4), (2.0**25, 8)]
)
def test_numbers_are_as_wide_as_sixty_four_scales_take(
    scale: float, width: int, tmp_path: Path
) -> None:
    """However small the noise was; and the mark of a question is one of its scale."""
    sizes = []
    for many in (1, 2):
        path = tmp_path / f"{many}"
        with KeptTape(path, SECRET) as tape:
            tape.draw_answer(
                "integers", np.zeros(many, np.int64), scale, lambda m=many: np.zeros(m, int)
            )
        sizes.append(path.stat().st_size)
    assert sizes[1] - sizes[0] == width


@pytest.mark.parametrize("answer", [[40_000], [-40_000], [0, 40_000], [-(2**40), 3], []])
def test_an_answer_that_is_wider_than_its_noise_is_kept_whole(
    answer: list[int], tmp_path: Path
) -> None:
    """Such as which of very many was chosen."""
    asked = np.zeros(len(answer), np.int64)
    with KeptTape(tmp_path / "tape", SECRET) as tape:
        tape.draw_answer("flipped", asked, 1.0, lambda: np.array(answer, np.int64))
    with KeptTape(tmp_path / "tape", SECRET) as tape:
        assert tape.draw_answer("flipped", asked, 1.0, lambda: asked + 1).tolist() == answer


def test_an_answer_is_on_the_tape_before_it_is_used(tmp_path: Path) -> None:
    """So that a killed run, which closes no file, does not draw it anew, few bytes as it has."""
    path, few = tmp_path / "tape", COUNTS[:3]
    with KeptTape(path, SECRET) as tape:
        used = Noise(RandomSource.secure(), tape).integers(few, 40.0).tolist()
        kept = path.read_bytes()
    (tmp_path / "killed").write_bytes(kept)
    with KeptTape(tmp_path / "killed", SECRET) as tape:
        assert Noise(RandomSource.secure(), tape).integers(few, 40.0).tolist() == used
