from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.studies.document import write
from understudy.studies.seedbased.figures import figures_of
from understudy.studies.seedbased.results import Results

NAMES = [f"figure-{number}" for number in range(1, 7)]


@pytest.fixture(scope="module")
def written(found: Results, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """The pictures of a public table."""
    place = tmp_path_factory.mktemp("public") / "made"
    return tuple(write(figures_of(found, internal=False), place, internal=False))


def test_six_pictures_with_their_numbers(written: tuple[Path, ...]) -> None:
    assert [path.name for path in written] == [
        f"{name}.{kind}" for name in NAMES for kind in ("svg", "csv")
    ]
    for path in written[::2]:
        picture = path.read_text(encoding="utf-8")
        assert picture.startswith("<svg")
        assert NOT_FOR_RELEASE not in picture
    numbers = pd.read_csv(written[-1])
    assert set(numbers["series"]) == {"ω = 11", "ω = 5-11"}
    widest = numbers.query("series == 'ω = 5-11' and k == 100").iloc[0]
    assert (widest["rate"], widest["rate, all seeds counted"]) == (0.5625, 0.625)


def test_pictures_of_a_confidential_table_say_so(found: Results, tmp_path: Path) -> None:
    written = write(figures_of(found, internal=True), tmp_path, internal=True)
    assert all(path.name.startswith("INTERNAL-") for path in written)
    assert {path.stat().st_mode & 0o777 for path in written} == {0o600}
    numbers = [path for path in written if path.suffix == ".csv"]
    assert all("not for release" in path.read_text(encoding="utf-8") for path in numbers)
    for path in written[::2]:
        picture = path.read_text(encoding="utf-8")
        assert NOT_FOR_RELEASE in picture
        assert "published" not in picture


def test_axes_and_names_are_in_the_picture(written: tuple[Path, ...]) -> None:
    place = written[0].parent
    said = {
        "figure-1": ("Age", "ε = 0.1", "wrong guesses"),
        "figure-2": ("Age", "random guess", "guessed right"),
        "figure-4": ("marginals", "Total variation", "ω = 11"),
        "figure-5": ("Seconds on one core", "published: less than this"),
        "figure-6": ("Candidates that pass", "ω = 5-11", "plausible seeds"),
    }
    for name, words in said.items():
        picture = (place / f"{name}.svg").read_text(encoding="utf-8")
        assert all(each in picture for each in words), name
