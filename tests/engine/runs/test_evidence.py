"""What a run keeps to be looked at again: it comes back as it was, for its own table only.
Pictures between those that a run released.
"""

from __future__ import annotations

import json
import os
import stat
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from tests.engine.runs.asked import SCHEMA, finished, seedless, split_of, table
from tests.support import World, category_schema, started, worlds
from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import opening_plan
from understudy.mechanisms.seedbased.inspection import begun_of
from understudy.mechanisms.seedbased.model_fit import learn
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.state import SeedbasedState, arrays_of
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.privacy.randomness import RandomSource, Secret
from understudy.runs import between as module
from understudy.runs.between import STEPS, has_space, is_publishable, make_between
from understudy.runs.control import wait
from understudy.runs.evidence import encode_as_run, has_evidence, keep_evidence, load_evidence
from understudy.runs.folder import RunFolder
from understudy.runs.work import Job
from understudy.runs.work_folder import Progress
from understudy.samples import census
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.encoding import encode, to_csv_bytes
from understudy.table.pictures.picture_schema import Pictures
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy.table.split import split

STRICT = PlausibleDeniability(k=100, gamma=4.0, epsilon0=1.0)
PARTS = ("seeds", "structure", "parameters", "held_out")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A release with figures, of `table()`."""
    return finished(Job(table(), seedless()), tmp_path_factory.mktemp("runs") / "run")


def refused(run: RunFolder, records: Records) -> Refusal:
    with pytest.raises(Refusal) as caught:
        load_evidence(run, records)
    return caught.value


def same(one: BayesianNetwork, other: BayesianNetwork) -> bool:
    return one.structure == other.structure and all(
        np.array_equal(ours.weights, theirs.weights)
        for ours, theirs in zip(one.tables, other.tables, strict=True)
    )


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30
)
@given(world=worlds())
def test_whatever_was_kept_comes_back(
    world: World, tmp_path_factory: pytest.TempPathFactory
) -> None:
    run = RunFolder(tmp_path_factory.mktemp("run"))
    schema = world.records.schema
    run.write_text("schema.json", schema.to_json())
    run.write_text("plan.json", Plan.of(schema, model=ModelPlan(epsilon=None)).to_json())
    run.report(Progress("finished", 1))
    parts = np.random.default_rng(len(world.records)).integers(0, 4, len(world.records))
    independent = BayesianNetwork(schema, Structure.independent(len(schema)), _rows(world.network))
    begun = SeedbasedState(parts.astype(np.uint8), world.network)
    keep_evidence(run, world.records, {**begun.arrays(), **arrays_of("baseline", independent)})
    found = load_evidence(run, world.records)
    assert same(begun_of(found).network, world.network)
    assert same(begun_of(found).baseline, independent)
    for number, name in enumerate(PARTS):
        expected = world.records.codes[parts == number]
        assert np.array_equal(getattr(split_of(found), name).codes, expected)
    assert found.released is None


def _rows(network: BayesianNetwork) -> tuple[object, ...]:
    """The first configuration of every table."""
    return tuple(type(each)(each.weights[:1].copy()) for each in network.tables)


def test_a_run_leaves_the_very_parts_and_model_it_used(tmp_path: Path) -> None:
    job = Job(table(), seedless(), seed=7)
    found = load_evidence(finished(job, tmp_path / "run"), table())
    secret = Secret.fixed(7)
    parts = split(table(), job.plan.shares, secret.source("split"))
    for name in PARTS:
        assert np.array_equal(getattr(split_of(found), name).codes, getattr(parts, name).codes)
    assert same(
        begun_of(found).network, learn(job.plan, SCHEMA, parts, secret.source("model")).network
    )
    assert begun_of(found).baseline.parents == ((), (), ())
    assert found.decided.plan == job.plan
    assert found.decided.schema == SCHEMA


def test_a_released_table_is_read_back_whatever_its_values_look_like(tmp_path: Path) -> None:
    """As if the apostrophe were its quotation mark."""
    schema = Schema(
        columns=tuple(
            Column(name=name, domain=Categories(values=("'x'", "'y'"))) for name in ("a", "b")
        )
    )
    codes = np.random.default_rng(1).integers(0, 2, (600, 2)).astype(np.uint16)
    plan = Plan.of(schema, omega=Omega(low=2, high=2), attempts=40, seeds_at_least=30, delta=1e-6)
    records = Records(schema, codes)
    done = finished(Job(records, plan), tmp_path / "run")
    released = load_evidence(done, records).released
    assert released is not None
    assert to_csv_bytes(released) == done.table.read_bytes()


def test_the_released_table_is_read_back(run: RunFolder) -> None:
    released = load_evidence(run, table()).released
    assert released is not None
    again = encode(read_table(run.table), SCHEMA)
    assert len(released) == 200
    assert np.array_equal(released.codes, again.codes)


def test_a_marked_demonstration_is_read_back_without_its_mark(tmp_path: Path) -> None:
    run = finished(Job(table(), seedless(), seed=3), tmp_path / "run")
    released = load_evidence(run, table()).released
    assert released is not None
    assert released.codes.shape == (200, 3)


def test_a_rehearsal_and_an_empty_release_leave_evidence_too(tmp_path: Path) -> None:
    rehearsal = finished(Job(table(), seedless(), purpose="rehearsal"), tmp_path / "rehearsal")
    assert load_evidence(rehearsal, table()).released is None
    strict = seedless(omega=Omega(low=0, high=0), attempts=5, seeds_at_least=100, test=STRICT)
    released = load_evidence(finished(Job(table(), strict), tmp_path / "empty"), table()).released
    assert released is not None
    assert released.codes.shape == (0, 3)


@pytest.mark.parametrize(
    "other",
    [
        lambda records: records.take(np.arange(len(records))[::-1]),
        lambda records: records.take(np.arange(len(records) - 1)),
        lambda records: Records(records.schema, np.vstack([records.codes, records.codes[:1]])),
        lambda records: Records(records.schema, _one_cell_changed(records.codes)),
        lambda records: Records(_renamed(records.schema), records.codes),
        lambda records: Records(_longer(records.schema), records.codes),
    ],
)
def test_another_table_is_refused(run: RunFolder, other: object) -> None:
    said = refused(run, other(table()))  # type: ignore[operator]
    assert said.field == "table"
    assert "not the table" in str(said)


def _one_cell_changed(codes: np.ndarray) -> np.ndarray:
    changed = codes.copy()
    changed[-1, -1] = 1 - changed[-1, -1]
    return changed


def _renamed(schema: Schema) -> Schema:
    first, *others = schema.columns
    return Schema(columns=(first.model_copy(update={"name": "other"}), *others))


def _longer(schema: Schema) -> Schema:
    return Schema(columns=(*schema.columns[:2], category_schema(1, 1, 3).columns[2]))


def test_the_same_table_under_other_buckets_is_the_same_table(run: RunFolder) -> None:
    unbucketed = category_schema(3, 4, 2)
    assert unbucketed.fingerprint != SCHEMA.fingerprint
    found = load_evidence(run, Records(unbucketed, table().codes))
    assert found.decided.schema == found.records.schema == SCHEMA


def test_a_table_as_read_is_coded_as_the_run_coded_it(tmp_path: Path) -> None:
    path = tmp_path / "census.csv"
    census.write(300, path, 3)
    raw = read_table(path)
    schema = census.schema()
    plan = Plan.of(schema, policies={"AGEP": "clip"}, omega=Omega(low=11, high=11), attempts=5)
    run = finished(Job(encode(raw, schema, plan.policies), plan), tmp_path / "run")
    assert len(split_of(load_evidence(run, encode_as_run(run, raw))).seeds) > 0


def test_a_run_that_is_not_over_is_refused(tmp_path: Path) -> None:
    run = finished(Job(table(), seedless()), tmp_path / "run")
    assert has_evidence(run)
    run.report(Progress("evaluating", 200, process=os.getpid()))
    assert "has not finished" in str(refused(run, table()))
    assert not has_evidence(run)


def test_a_run_without_evidence_is_refused(tmp_path: Path) -> None:
    older = finished(Job(table(), seedless(), figures=False), tmp_path / "run")
    assert "older" in str(refused(older, table()))
    assert not has_evidence(older)
    assert not has_evidence(RunFolder(tmp_path / "none"))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 torn", None])
def test_damaged_evidence_is_refused(tmp_path: Path, content: bytes | None) -> None:
    run = finished(Job(table(), seedless()), tmp_path / "run")
    path = run.internal / "evidence.npz"
    path.write_bytes(path.read_bytes()[:-200] if content is None else content)
    assert "damaged" in str(refused(run, table()))


@pytest.mark.parametrize("lost", ["parts", "digest", "network.order", "baseline.table1"])
def test_evidence_that_lacks_something_is_refused(tmp_path: Path, lost: str) -> None:
    run = finished(Job(table(), seedless()), tmp_path / "run")
    path = run.internal / "evidence.npz"
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if name != lost}
    np.savez(path, **arrays)
    assert "damaged" in str(refused(run, table()))


def test_a_release_that_was_changed_is_refused(tmp_path: Path) -> None:
    run = finished(Job(table(), seedless()), tmp_path / "run")
    lines = run.table.read_text(encoding="utf-8").splitlines()
    run.table.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    assert "no longer the one" in str(refused(run, table()))


def test_figures_and_evidence_leave_the_release_as_it_was(tmp_path: Path) -> None:
    """The same fixed seed releases the same bytes with and without them."""
    found = []
    for figures in (True, False):
        job = Job(table(), seedless(), seed=7, figures=figures)
        run = finished(job, tmp_path / str(figures))
        found.append({path.name: path.read_bytes() for path in run.release.iterdir()})
    assert found[0].keys() == {"synthetic.csv", "guarantee.json"}
    assert found[0] == found[1]


def test_evidence_is_marked_private_and_holds_no_table(
    run: RunFolder,
) -> None:
    path = run.internal / "evidence.npz"
    assert stat.S_IMODE(run.internal.stat().st_mode) == 0o700
    with np.load(path, allow_pickle=False) as file:
        assert "Not for release" in str(file["internal"])
        assert file["parts"].nbytes == 600
        sizes = {name: file[name].nbytes for name in file.files}
    assert table().codes.tobytes() not in path.read_bytes()
    assert table().codes.T.tobytes() not in path.read_bytes()
    # Only what stands for the model may be larger than a byte a record.
    assert {name for name, size in sizes.items() if size > 600} <= {"internal"}


def test_the_digest_tells_nothing_without_its_salt(tmp_path: Path) -> None:
    digests = []
    for name in ("one", "other"):
        run = finished(Job(table(), seedless()), tmp_path / name)
        with np.load(run.internal / "evidence.npz") as file:
            digests.append(file["digest"].tobytes())
    assert digests[0] != digests[1]


def test_evidence_appears_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = finished(Job(table(), seedless()), tmp_path / "run")
    found = load_evidence(run, table())
    before = (run.internal / "evidence.npz").read_bytes()

    def torn(file: object, **_: object) -> None:
        file.write(b"half")  # type: ignore[attr-defined]
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", torn)
    with pytest.raises(OSError, match="No space"):
        keep_evidence(run, table(), begun_of(found).arrays())
    assert (run.internal / "evidence.npz").read_bytes() == before


@cache
def source() -> RandomSource:
    """Of the process that asks for it first, as a source belongs to one."""
    return RandomSource.fixed(1)


def between_run(schema: Schema, codes: Any, home: Path, **given: Any) -> RunFolder:
    plan = opening_plan("latent", schema, {"epsilon": 50.0, "delta": 1e-3, "rows": 600, **given})
    records = Records(schema, np.asarray(codes, dtype=np.uint16))
    made = started(Job(records, plan), home)
    assert wait(made).state == "finished"
    return made


@pytest.fixture
def pictures(in_this_process: None, tmp_path: Path) -> RunFolder:
    """Pictures of 2 × 2 pixels: dark ones, grey ones and light ones."""
    schema = Pictures(height=2, width=2, labels=("dark", "grey", "light")).make_schema()
    random = np.random.default_rng(2)
    light = random.integers(0, 3, (2_000, 1))
    grey = np.clip(3 + 5 * light + random.integers(-2, 3, (2_000, 4)), 0, 16)
    codes = np.hstack([grey, light])
    return between_run(schema.declare_public(), codes, tmp_path, width=2)


def test_walks_lead_from_one_made_picture_to_another(pictures: RunFolder) -> None:
    found = make_between(pictures, "walks", source())
    assert (found.across, found.rows) == (STEPS, ())
    pixels = found.pictures.codes[:, :4].reshape(-1, STEPS, 4).mean(axis=2)
    rises = np.diff(pixels, axis=1)
    assert ((rises >= -0.6).all(axis=1) | (rises <= 0.6).all(axis=1)).all()


def test_a_point_is_decoded_several_times(pictures: RunFolder) -> None:
    found = make_between(pictures, "decodings", source()).pictures.codes.reshape(-1, STEPS, 5)
    assert (found[:, :, :4].std(axis=1).max(axis=1) > 0).all()


def test_what_a_label_changes_is_seen(pictures: RunFolder) -> None:
    found = make_between(pictures, "labels", source())
    assert found.rows == ("dark", "grey", "light")
    dark, _, light = found.pictures.codes[:, :4].mean(axis=1).reshape(3, STEPS)
    assert dark[-1] < dark[0] - 2
    assert light[-1] > light[0] + 2


def test_labels_of_a_latent_model_go_with_their_pictures(pictures: RunFolder) -> None:
    table = pictures.table.read_text(encoding="utf-8").splitlines()[1:]
    light = {"dark": [], "grey": [], "light": []}  # type: dict[str, list[float]]
    for line in table:
        *pixels, label = line.split(",")
        light[label].append(np.mean([float(each) for each in pixels]))
    assert np.mean(light["dark"]) + 2 < np.mean(light["light"])
    assert min(map(len, light.values())) > 30


def test_it_may_be_published_as_the_pictures_may(
    pictures: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_publishable(pictures)
    assert has_space(pictures)
    said = json.loads(pictures.guarantee.read_text(encoding="utf-8"))
    stained = json.dumps({**said, "stain": "A fixed seed was used."})
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: stained)
    assert not is_publishable(pictures)


def test_labels_of_too_few_pictures_are_refused(
    pictures: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEWEST", 500)
    with pytest.raises(Refusal, match="No label has 500 released pictures"):
        make_between(pictures, "labels", source())


def test_what_is_no_picture_has_none_between(in_this_process: None, tmp_path: Path) -> None:
    schema = Pictures(height=2, width=2).make_schema()
    other = Schema(columns=schema.columns[:3]).declare_public()
    codes = np.random.default_rng(1).integers(0, 17, (500, 3))
    made = between_run(other, codes, tmp_path, width=2)
    with pytest.raises(Refusal, match="released no pictures"):
        make_between(made, "walks", source())
