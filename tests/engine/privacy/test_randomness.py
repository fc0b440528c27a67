"""The random words: repeatable when seeded, uniform, and never the same in two processes."""

import ast
import hmac
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from scipy import stats

from tests.engine.test_rooms import FILES, within, within_the_engine
from understudy.core.arrays import WordArray
from understudy.privacy.randomness import RandomSource, Secret, Use


def test_a_fixed_source_repeats_and_stains() -> None:
    first, again, other = (RandomSource.fixed(seed) for seed in (3, 3, 4))
    words = first.words(100)
    assert first.seeded
    np.testing.assert_array_equal(words, again.words(100))
    assert not np.array_equal(words, other.words(100))
    assert not np.array_equal(words, first.words(100))


def test_a_secure_source_neither_repeats_nor_stains() -> None:
    assert not RandomSource.secure().seeded
    assert not np.array_equal(RandomSource.secure().words(4), RandomSource.secure().words(4))


def test_a_child_is_another_stream_and_as_seeded() -> None:
    source = RandomSource.fixed(1)
    child = source.child()
    assert child.seeded
    assert not RandomSource.secure().child().seeded
    assert not np.array_equal(child.words(8), source.words(8))


def test_the_stream_does_not_depend_on_how_it_is_cut() -> None:
    whole = RandomSource.fixed(2).words(20_000)
    source = RandomSource.fixed(2)
    parts = [source.words(count) for count in (1, 0, 9_999, 10_000)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize("drawn", [0, 1, 2, 3, 1_000, 4_097])
def test_a_stream_goes_on_where_it_was_left(drawn: int) -> None:
    secret = Secret.fixed(2)
    source = secret.source("attempts", 3)
    source.words(drawn)
    again = secret.source("attempts", 3, source.position)
    assert again.position == source.position == drawn
    np.testing.assert_array_equal(again.words(500), source.words(500))
    assert again.position == source.position == drawn + 500


def test_each_use_of_a_secret_has_a_stream_of_its_own_and_always_the_same() -> None:
    secret, other = Secret.fresh(), Secret.fresh()
    uses = [*((use, 0) for use in get_args(Use)), ("attempts", 1), ("attempts", 256)]
    streams = [secret.source(*use).words(4).tobytes() for use in uses]
    assert [secret.source(*use).words(4).tobytes() for use in uses] == streams
    assert len(set(streams)) == len(uses)
    assert not set(streams) & {other.source(*use).words(4).tobytes() for use in uses}
    # No two streams overlap either, nor do they hold the secret.
    blocks = [secret.source(*use).words(4_096).reshape(-1, 2) for use in uses]
    assert len({block.tobytes() for each in blocks for block in each}) == 2_048 * len(uses)
    assert secret.key not in b"".join(block.tobytes() for block in blocks)


def test_the_streams_of_a_secret_are_those_of_the_standard() -> None:
    """HKDF-Expand of RFC 5869 by hand: one block of HMAC-SHA-256."""
    secret = Secret(bytes(range(32)))
    info = b"understudy run\0attempts\0" + (7).to_bytes(8, "big") + b"\x01"
    key = hmac.new(secret.key, info, "sha256").digest()
    expected = RandomSource(key, seeded=False).words(8)
    np.testing.assert_array_equal(secret.source("attempts", 7).words(8), expected)


def test_a_secret_stains_when_it_is_fixed_and_shows_in_no_text() -> None:
    assert Secret.fixed(3).source("split").seeded
    assert not Secret.fresh().source("split").seeded
    assert Secret.fixed(3) == Secret.fixed(3) != Secret.fixed(4)
    assert repr(Secret.fixed(3)) == "Secret(seeded=True)"


def test_a_forked_process_may_not_go_on_with_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    source = RandomSource.secure()
    here = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: here + 1)
    with pytest.raises(RuntimeError, match="one process"):
        source.words(1)
    assert RandomSource.secure().words(1).size == 1


@pytest.mark.parametrize("bound", [1, 2, 7, 1000])
def test_below_is_uniform(bound: int) -> None:
    drawn = RandomSource.fixed(5).below(bound, 50_000)
    counts = np.bincount(drawn, minlength=bound)
    assert counts.size == bound
    assert stats.chisquare(counts).pvalue > 1e-3 or bound == 1


def test_below_rejects_the_words_that_would_skew_it() -> None:
    # 2^64 words hold this bound two and a half times: the lower half would come up too often.
    bound = (1 << 65) // 5
    drawn = RandomSource.fixed(6).below(bound, 60_000)
    assert drawn.min() >= 0
    assert drawn.max() < bound
    counts, _ = np.histogram(drawn.astype(np.float64), bins=8, range=(0, bound))
    assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("bound", [0, -1, (1 << 63) + 1])
def test_below_wants_a_bound_that_fits(bound: int) -> None:
    with pytest.raises(ValueError, match="bound"):
        RandomSource.fixed(1).below(bound, 1)


class Scripted(RandomSource):
    """Says these words, one after another."""

    def __init__(self, *words: int) -> None:
        super().__init__(bytes(32), seeded=True)
        self.left = list(words)

    def words(self, count: int) -> WordArray:
        said, self.left = self.left[:count], self.left[count:]
        return np.array(said, np.uint64)


@pytest.mark.parametrize("bound", [3, 7, 10**18, 2**63])
def test_below_rejects_exactly_the_words_beyond_the_last_whole_round(bound: int) -> None:
    """2^64 is a number of rounds of the bound and a rest, whose words would come once too often."""
    limit = 2**64 - 2**64 % bound
    assert Scripted(limit - 1).below(bound, 1).tolist() == [bound - 1]
    if limit < 2**64:
        assert Scripted(limit, limit, 2).below(bound, 1).tolist() == [2]


def test_uniforms_are_the_middles_of_their_cells() -> None:
    found = Scripted(0, 2**64 - 1, 1 << 63).uniforms(3)
    assert found.tolist() == [2.0**-53, 1 - 2.0**-53, 0.5 + 2.0**-53]


def test_the_first_stream_of_a_use_is_its_number_zero() -> None:
    """So that one who numbers streams shares none with one who asks for the only one."""
    secret = Secret.fixed(4)
    first, numbered = secret.source("attempts"), secret.source("attempts", 0)
    np.testing.assert_array_equal(first.words(9), numbered.words(9))


def test_uniforms_stay_inside_the_unit_interval() -> None:
    drawn = RandomSource.fixed(7).uniforms(50_000)
    assert drawn.min() > 0
    assert drawn.max() < 1
    assert stats.kstest(drawn, "uniform").pvalue > 1e-3


ROOT = Path(__file__).resolve().parents[3]
DRAWING = {"understudy/privacy/randomness.py", "understudy/privacy/noise.py"}
HIDING = {
    "understudy/ledger/likeness.py": "keyed hashes of records, and enciphered sketches",
}
"""Modules that use a cipher under a key to hide something, and draw no number from it."""

IDENTIFIERS = {
    "understudy/runs/control.py": "the name of a run's folder",
    "understudy/ledger/ledger.py": "the name of a dataset in the ledger",
    "understudy/ledger/store.py": "the key of a ledger",
    "understudy/ledger/likeness.py": "a nonce that a sketch is enciphered with",
    "understudy/runs/checkpoint.py": "the salt of a digest",
    "understudy/mechanisms/defaults.py": "where the randomness of measures starts",
    "understudy/mechanisms/mobility_evaluation.py": "where the randomness of measures starts",
    "understudy/mechanisms/seedbased/inspection.py": "where the randomness of measures starts",
    "understudy/mechanisms/seedbased/executors.py": "names of a cluster’s tasks and of files",
    "understudy/projects/catalogue.py": "the name of a project's folder",
    "understudy/table/cells.py": "none: it only recognises identifiers of that kind in a column",
    "understudy/table/sources/arrow_texts.py": "none: as cells.py",
    "understudy_dashboard/browser_auth.py": "the path, the cookie and the links that open the page",
}
"""Modules that ask the operating system for a random name or key. No output is drawn from it."""

MEASURING = (
    "understudy/evaluation/",
    "understudy/mechanisms/defaults.py",
    "understudy/mechanisms/mobility_evaluation.py",
    "understudy/mechanisms/seedbased/evaluation/",
    "understudy/studies/seedbased/",
)
"""Where classifiers and cuts draw from numpy: internal, and nothing of it is ever released."""

SIMULATING = (
    "understudy/samples/",
    "understudy/studies/imputation/coverage.py",
    "understudy/studies/latent/",
    "understudy/assurance/pmse/",
    "understudy/studies/pmse/baselines/",
    "understudy/studies/pmse/practised/",
    "understudy/studies/pmse/",
    "understudy/assurance/latent/",
    "understudy/assurance/traces/",
    "understudy/studies/traces/fakes/",
)
"""Where methods are tried on simulated or public records, and nothing is released."""

PUBLIC = {
    "understudy/assurance/imputation/runs.py": "tails of counts alone",
    "understudy/assurance/training.py": "tails of counts alone",
    "understudy/assurance/real_runs.py": "tails of counts alone",
    "understudy/assurance/transcript.py": "what is drawn by others, listened to",
    "understudy/assurance/ruled_records.py": "tables that an audit makes up",
    "understudy/table/authoring/rule_suggestions.py": "the factors of a hash, which all know",
    "understudy/mechanisms/imputation/errata.py": "quantiles alone",
    "understudy/mechanisms/pmse/partitions.py": "trees by a seed that everybody knows",
    "understudy/mechanisms/pmse/regressions.py": "what scores candidates, by a seed that all know",
    "understudy/mechanisms/plausible_traces/forecast.py": "quantiles alone",
}
"""Modules that draw nothing, or what hides nothing and is known before a record is looked at."""

REPEATABLE = {
    "understudy/runs/control.py": "a demonstration, which is stained",
    "understudy/runs/work.py": "a rehearsal of a demonstration: stained, releases nothing",
    "understudy/assurance/model_queries.py": "an audit, which releases nothing",
    "understudy/assurance/random_inputs.py": "an audit, which releases nothing",
    "understudy/assurance/marks.py": "an audit, which releases nothing",
    "understudy/assurance/training.py": "an audit, which releases nothing",
    "understudy/assurance/imputation/claims.py": "an audit, which releases nothing",
    "understudy/assurance/latent/claims.py": "an audit, which releases nothing",
    "understudy/mechanisms/plausible_traces/forecast.py": "what is foreseen; nothing is released",
    "understudy/studies/latent/models.py": "simulated stays; nothing is released",
    "understudy/studies/pmse/methods.py": "simulated records; nothing is released",
    "understudy/studies/seedbased/reproductions.py": "simulated people, never released",
    "understudy/studies/traces/evaluation.py": "simulated people; nothing is released",
    "understudy/models/third_party/as_learner.py": "records that try a law out, thrown away",
}
"""Modules that use a fixed seed."""

LIBRARIES = ("random", "numpy.random", "scipy.stats", "opendp", "cryptography")
FIXED = ("RandomSource.fixed", "Secret.fixed")
SYSTEM = ("secrets", "uuid", "os.urandom", "os.getrandom")


def _modules() -> Iterator[tuple[str, str]]:
    for room in ("engine", "dashboard"):
        for path in sorted((ROOT / room).rglob("*.py")):
            yield path.relative_to(ROOT / room).as_posix(), path.read_text(encoding="utf-8")


@cache
def _used(text: str) -> tuple[str, ...]:
    """The dotted names that a module imports or looks up, numpy under its own name."""
    return tuple(_found(text))


def _found(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Attribute):
            name = ast.unparse(node)
            yield f"numpy{name[2:]}" if name.startswith("np.") else name


def _uses(text: str, names: tuple[str, ...]) -> bool:
    if not any(name.rpartition(".")[2] in text for name in names):
        return False
    return any(f"{used}.".startswith(f"{name}.") for used in _used(text) for name in names)


def test_no_other_module_draws_random_numbers() -> None:
    modules = dict(_modules())
    drawing = {name for name, text in modules.items() if _uses(text, LIBRARIES)}
    assert {name for name in drawing if not name.startswith((*MEASURING, *SIMULATING))} == {
        *DRAWING, *HIDING, *PUBLIC,
    }  # fmt: skip
    asking = {name for name, text in modules.items() if _uses(text, SYSTEM)}
    assert asking == {*IDENTIFIERS, "understudy/privacy/randomness.py"}


def test_nothing_that_a_run_is_made_of_simulates() -> None:
    """Neither what does a run nor any method imports, by whatever way, what is tried on simulated
    records."""
    imports = within_the_engine()
    ahead = [name for name in imports if within(name, "understudy.mechanisms.*.mechanism")]
    assert len(ahead) >= 4
    ahead.append("understudy.runs.worker")
    reached = set(ahead)
    while ahead:
        further = imports[ahead.pop()] - reached
        reached |= further
        ahead.extend(further)
    files = {FILES[name].relative_to(ROOT / "engine").as_posix() for name in reached}
    assert "understudy/mechanisms/pmse/regressions.py" in files
    assert not {each for each in files if each.startswith(SIMULATING)}


def test_only_demonstrations_and_audits_use_a_fixed_seed() -> None:
    using = {name for name, text in _modules() if _uses(text, FIXED)}
    assert using == {*REPEATABLE}


@pytest.mark.parametrize(
    "text",
    [
        "import random",
        "import random as r",
        "import numpy.random as r",
        "from numpy import random",
        "from numpy.random import default_rng",
        "from scipy import stats",
        "from scipy.stats import norm",
        "import opendp.prelude as dp",
        "x = np.random.default_rng()",
        "x = numpy.random.normal()",
        "import secrets",
        "from secrets import token_hex",
        "from uuid import uuid4",
        "x = os.urandom(8)",
        "from os import urandom",
    ],
)
def test_the_watch_sees_each_way_to_draw(text: str) -> None:
    assert _uses(text, LIBRARIES + SYSTEM)
    assert not _uses("from understudy.privacy.randomness import RandomSource", LIBRARIES + SYSTEM)
