"""The chain: whatever is changed in it is seen, by whoever holds it or an export of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.ledger.chain import (
    FIELDS,
    GENESIS,
    Link,
    check_chain,
    next_link,
    to_lines,
    verify_export,
    write_canonical,
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


def chain(length: int = 4) -> tuple[Link, ...]:
    links: list[Link] = []
    for place in range(length):
        last = links[-1] if links else None
        body = {"name": f"ü{place}", "figures": [0.1, 1e-9, None]}
        links.append(next_link(last, f"2026-01-0{place + 1}", "dataset", f"d{place}", None, body))
    return tuple(links)


def test_the_hash_is_of_the_previous_one_and_all_the_rest_in_canonical_json() -> None:
    first, second, *_ = chain()
    whole = {
        "seq": 2,
        "at": second.at,
        "kind": second.kind,
        "dataset": second.dataset,
        "run": None,
        "body": json.loads(second.body),
    }
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"))
    assert second.hash == hashlib.sha256((first.hash + text).encode()).hexdigest()
    assert (first.previous, second.previous) == (GENESIS, first.hash)


@given(json_values)
def test_canonical_json_reads_back_and_is_written_one_way(value: object) -> None:
    text = write_canonical(value)
    assert write_canonical(json.loads(text)) == text
    assert text.isascii()


def test_a_whole_chain_is_found_whole() -> None:
    links = chain()
    assert check_chain(links).events == 4
    assert check_chain(links).head == links[-1].hash
    assert check_chain(()).head == GENESIS


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("place", range(4))
def test_a_change_of_any_field_of_any_event_is_found(field: str, place: int) -> None:
    links = list(chain())
    value = getattr(links[place], field)
    if isinstance(value, int):
        others: list[object] = [value + 1, str(value), float(value)]
    elif field == "body":
        others = [value.replace("0.1", "0.2"), f" {value}", "", "{", "NaN", value.encode()]
    else:
        others = ["other", "", 3, b"x", None if value is not None else "x"]
    for other in others:
        links[place] = replace(links[place], **{field: other})
        with pytest.raises(Refusal) as refused:
            check_chain(links)
        assert refused.value.field == "ledger"


def test_a_body_that_others_may_read_otherwise_is_found() -> None:
    link = chain(1)[0]
    twice = link.body.replace("{", '{"figures":[9],', 1)
    assert json.loads(twice) == json.loads(link.body)
    with pytest.raises(Refusal):
        check_chain([replace(link, body=twice)])
    line = to_lines([link]).replace("{", '{"seq":9,', 1)
    assert json.loads(line)["seq"] == 1
    with pytest.raises(Refusal):
        verify_export(line)


def test_events_that_are_not_counted_from_one_are_found() -> None:
    before = Link(4, "", "", None, None, "{}", GENESIS, GENESIS)
    first = next_link(before, "2026-01-01", "opened", None, None, {})
    assert (first.seq, first.previous) == (5, GENESIS)
    with pytest.raises(Refusal):
        check_chain([first])


def test_events_taken_out_exchanged_or_added_are_found() -> None:
    first, second, third, fourth = chain()
    for links in (
        [second, third, fourth],
        [first, third, fourth],
        [first, third, second, fourth],
        [first, second, second],
    ):
        with pytest.raises(Refusal):
            check_chain(links)


def test_a_resealed_event_breaks_what_follows() -> None:
    first, second, third, _ = chain()
    other = next_link(first, second.at, second.kind, second.dataset, None, {"name": "other"})
    assert check_chain([first, other]).events == 2
    with pytest.raises(Refusal):
        check_chain([first, other, third])


def test_a_cut_tail_is_found_by_a_head_noted_elsewhere() -> None:
    links = chain()
    assert check_chain(links, head=links[1].hash).events == 4
    assert check_chain(links, head=links[3].hash.upper() + "\n").events == 4
    assert check_chain(links[:3]).events == 3
    with pytest.raises(Refusal) as refused:
        check_chain(links[:3], head=links[3].hash)
    assert refused.value.field == "head"


def test_an_export_is_checked_without_the_ledger() -> None:
    links = chain()
    text = to_lines(links)
    assert verify_export(text) == check_chain(links)
    assert [json.loads(line)["seq"] for line in text.splitlines()] == [1, 2, 3, 4]
    lines = text.splitlines(keepends=True)
    for forged in (text.replace("0.1", "0.2", 1), "".join(lines[1:]), "".join(lines[::-1])):
        with pytest.raises(Refusal):
            verify_export(forged)
    with pytest.raises(Refusal):
        verify_export("".join(lines[:3]), head=links[3].hash)


@pytest.mark.parametrize("text", ["{}", "not JSON", "[]", "3", '{"seq":1}'])
def test_what_is_no_export_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        verify_export(text)
    assert refused.value.field == "file"
