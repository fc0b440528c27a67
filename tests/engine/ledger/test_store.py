"""The file: append-only, private, and read whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from understudy.core.refusal import Refusal
from understudy.ledger.chain import FIELDS, GENESIS
from understudy.ledger.store import Store, Writing

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
    with store._connected() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (3,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
