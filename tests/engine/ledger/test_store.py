"""The file: append-only, private, and read whole or not at all. The key by which tables are known.
The locks that tell which runs have a process.
"""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from understudy.core.refusal import Refusal
from understudy.ledger.chain import FIELDS, GENESIS
from understudy.ledger.store import Store, Underway, Writing, load_key, mark_key, write_new

NOTED = "ledger.head"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Three events."""
    store = Store(tmp_path / "home" / "ledger.sqlite")
    for place in range(3):
        with store.writing() as writing:
            writing.append("dataset", {"name": f"n{place}"}, dataset=f"d{place}")
    return store


def sql(store: Store, *statements: str) -> None:
    with closing(sqlite3.connect(store.path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_what_is_appended_is_read(store: Store) -> None:
    links = store.read()
    assert [link.seq for link in links] == [1, 2, 3]
    assert [link.dataset for link in links] == ["d0", "d1", "d2"]
    assert links[0].previous == GENESIS
    assert links[0].at.endswith("+00:00")


def test_looking_makes_nothing(tmp_path: Path) -> None:
    assert Store(tmp_path / "home" / "ledger.sqlite").read() == ()
    assert list(tmp_path.iterdir()) == []


def test_nobody_else_may_look(store: Store) -> None:
    assert store.path.stat().st_mode & 0o777 == 0o600
    assert store.path.parent.stat().st_mode & 0o777 == 0o700
    others = {path.name for path in store.path.parent.iterdir()} - {store.path.name}
    assert others == {NOTED}
    assert (store.path.parent / NOTED).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET body = '{}' WHERE seq = 2",
        "UPDATE events SET seq = 9 WHERE seq = 3",
        "DELETE FROM events WHERE seq = 3",
        "DELETE FROM events",
        "INSERT OR REPLACE INTO events SELECT * FROM events WHERE seq = 2",
        "INSERT INTO events SELECT seq + 2, at, kind, dataset, run, body, previous, hash FROM "
        "events WHERE seq = 2",
        "INSERT INTO events SELECT 4, at, kind, dataset, run, body, previous, hash FROM events "
        "WHERE seq = 3",
        "INSERT INTO events SELECT 9, at, kind, dataset, run, body, hash, hash FROM events "
        "WHERE seq = 3",
        "INSERT OR REPLACE INTO events SELECT 2, at, kind, dataset, run, body, hash, hash FROM "
        "events WHERE seq = 3",
    ],
)
def test_the_file_itself_refuses_all_but_the_next_event(store: Store, statement: str) -> None:
    before = store.read()
    with pytest.raises(sqlite3.IntegrityError):
        sql(store, statement)
    assert store.read() == before


@pytest.mark.parametrize("place", [1, 2, 3])
@pytest.mark.parametrize("field", FIELDS)
def test_whoever_gets_round_that_is_found_out(store: Store, field: str, place: int) -> None:
    other = "'x'" if field != "seq" else "17"
    sql(
        store,
        "DROP TRIGGER no_update",
        f"UPDATE events SET {field} = {other} WHERE seq = {place}",
    )
    with pytest.raises(Refusal) as refused:
        store.read()
    assert refused.value.field == "ledger"
    with pytest.raises(Refusal), store.writing():
        pass


def test_events_taken_out_are_found_out(store: Store) -> None:
    sql(store, "DROP TRIGGER no_delete", "DELETE FROM events WHERE seq = 2")
    with pytest.raises(Refusal):
        store.read()


def _cut(store: Store) -> None:
    sql(store, "DROP TRIGGER no_delete", "DELETE FROM events WHERE seq = 3")


def _older_copy(store: Store) -> None:
    older = Store(store.path.with_name("copy.sqlite"))
    with older.writing() as writing:
        writing.append("dataset", {"name": "n0"}, dataset="d0")
    older.path.replace(store.path)


@pytest.mark.parametrize(
    ("lose", "said"),
    [
        (lambda store: store.path.unlink(), "gone"),
        (lambda store: store.path.write_bytes(b""), "empty"),
        (lambda store: sql(store, "PRAGMA user_version = 0"), "empty"),
        (_cut, "lacks events"),
        (_older_copy, "lacks events"),
    ],
)
def test_a_ledger_that_lost_events_is_not_gone_on_with(
    store: Store, lose: Callable[[Store], object], said: str
) -> None:
    lose(store)
    with pytest.raises(Refusal) as refused:
        store.read()
    assert said in refused.value.problem
    with pytest.raises(Refusal), store.writing() as writing:
        writing.append("dataset", {"name": "new"})
    (store.path.parent / NOTED).unlink()
    assert "new" not in str(store.read())


@pytest.mark.parametrize("noted", ["", "x" * 64, "é", "\x00" * 200])
def test_a_damaged_note_is_none_and_is_made_anew(store: Store, noted: str) -> None:
    (store.path.parent / NOTED).write_text(noted)
    assert len(store.read()) == 3
    with store.writing():
        pass
    store.path.unlink()
    with pytest.raises(Refusal):
        store.read()


def test_a_note_that_is_older_than_the_chain_holds(store: Store) -> None:
    older = (store.path.parent / NOTED).read_text()
    with store.writing() as writing:
        writing.append("dataset", {"name": "n3"})
    (store.path.parent / NOTED).write_text(older)
    assert len(store.read()) == 4


def test_a_note_that_cannot_be_written_takes_no_event_back(store: Store) -> None:
    (store.path.parent / NOTED).unlink()
    (store.path.parent / NOTED).mkdir()
    with store.writing() as writing:
        writing.append("dataset", {"name": "n3"})
    assert len(store.read()) == 4


def _append_two(writing: Writing) -> None:
    writing.append("dataset", {"name": "whole"})
    writing.append("dataset", {"name": object()})


def test_a_transaction_that_fails_leaves_nothing(store: Store) -> None:
    before = store.read()
    with pytest.raises(TypeError), store.writing() as writing:
        _append_two(writing)
    assert store.read() == before


def test_several_events_of_one_transaction_follow_one_another(store: Store) -> None:
    with store.writing() as writing:
        writing.append("dataset", {"name": "a"})
        writing.append("dataset", {"name": "b"})
    assert [link.seq for link in store.read()] == [1, 2, 3, 4, 5]


def test_a_file_of_something_else_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    path.write_text("a shopping list, of some length, and not a database at all" * 20)
    for use in (lambda: Store(path).read(), lambda: Store(path).writing().__enter__()):
        with pytest.raises(Refusal) as refused:
            use()
        assert refused.value.field == "ledger"


def test_a_ledger_of_another_version_is_refused(store: Store) -> None:
    sql(store, "PRAGMA user_version = 2")
    with pytest.raises(Refusal) as refused:
        store.read()
    assert "version" in refused.value.problem


def test_a_place_that_cannot_be_written_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Refusal) as refused, Store(tmp_path / "file" / "ledger.sqlite").writing():
        pass
    assert refused.value.field == "ledger"


def test_a_busy_ledger_is_refused_in_words(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.ledger.store._PATIENCE", 0.0)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Refusal) as refused, store.writing():
            pass
    assert "it is busy" in refused.value.problem


def test_a_debit_outlives_a_power_failure(store: Store, synced: None) -> None:
    """EXTRA (3) also syncs the folder once the journal is gone, without which it may come back."""
    with store._connect() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (3,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_the_key_is_made_once_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "ledger.key"
    key = load_key(path)
    assert len(key) == 32
    assert load_key(path) == key
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["ledger.key"]
    assert mark_key(key) != mark_key(bytes(32))


def _read_key(path: Path, together: Callable[[], object], found: object) -> None:
    together()
    found.put(load_key(path))  # type: ignore[attr-defined]


def test_of_several_makers_one_wins(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    barrier, found = context.Barrier(6), context.Queue()
    makers = [
        context.Process(target=_read_key, args=(tmp_path / "ledger.key", barrier.wait, found))
        for _ in range(6)
    ]
    for maker in makers:
        maker.start()
    keys = {found.get(timeout=60) for _ in makers}
    for maker in makers:
        maker.join()
    assert len(keys) == 1


def test_a_file_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"mine")
    write_new(path, b"other")
    assert path.read_bytes() == b"mine"
    with pytest.raises(OSError, match="No such file"):
        write_new(tmp_path / "no" / "file", b"")


@pytest.fixture
def underway(tmp_path: Path) -> Underway:
    return Underway(tmp_path / "home" / "ledger.underway")


def test_a_run_has_a_process_as_long_as_its_lock_is_held(
    underway: Underway, tmp_path: Path
) -> None:
    with underway.claim("r0", tmp_path / "place"):
        assert underway.runs() == ("r0",)
        with underway.orphan("r0") as found:
            assert found is None
    with underway.orphan("r0") as found:
        assert found is not None
        assert found.folder == tmp_path / "place"
    underway.forget("r0")
    underway.forget("r0")
    assert underway.runs() == ()


def test_one_who_looks_keeps_others_from_it(underway: Underway, tmp_path: Path) -> None:
    with underway.claim("r0", tmp_path):
        pass
    with underway.orphan("r0") as first, underway.orphan("r0") as second:
        assert first is not None
        assert second is None


def test_a_run_without_a_file_has_no_process(underway: Underway) -> None:
    assert underway.runs() == ()
    with underway.orphan("r0") as found:
        assert found is not None
        assert found.folder is None


def test_a_file_whose_maker_got_no_further_names_no_folder(underway: Underway) -> None:
    with underway.claim("r1", Path()):
        pass
    place = Path(underway._place)
    (place / "r0").write_bytes(b"")
    with underway.orphan("r0") as found:
        assert found is not None
        assert found.folder is None


def test_the_process_that_inherits_the_lock_holds_it_until_it_is_gone(
    underway: Underway, tmp_path: Path
) -> None:
    with underway.claim("r0", tmp_path) as lock:
        process = subprocess.Popen(
            [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=[lock]
        )
    with underway.orphan("r0") as found:
        assert found is None
    process.kill()
    process.wait()
    with underway.orphan("r0") as found:
        assert found is not None
    assert process.stdin is not None
    process.stdin.close()


def test_a_file_swept_away_under_its_maker_is_made_again(
    underway: Underway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between making the file and locking it, somebody who looks may take it away."""
    real, swept = fcntl.flock, []

    def flock(handle: int, how: int) -> None:
        real(handle, how)
        if not swept:
            swept.append(handle)
            underway.forget("r0")

    monkeypatch.setattr(fcntl, "flock", flock)
    with underway.claim("r0", tmp_path) as lock:
        kept = (Path(underway._place) / "r0").stat()
        assert os.path.samestat(os.fstat(lock), kept)
        with underway.orphan("r0") as found:
            assert found is None


def test_nobody_else_may_look_of_underway(underway: Underway, tmp_path: Path) -> None:
    with underway.claim("r0", tmp_path):
        place = Path(underway._place)
        assert place.stat().st_mode & 0o777 == 0o700
        assert (place / "r0").stat().st_mode & 0o777 == 0o600
