"""What a reader may see, and what is counted."""

from typing import get_args

from understudy.privacy.accounting.account import READER_SEES, Protocol, unit_name, units_in_words


def test_every_protocol_says_what_a_reader_sees() -> None:
    assert set(READER_SEES) == set(get_args(Protocol))
    assert "how many of them released nothing" in READER_SEES["attempts"]
    assert "not how many attempts" in READER_SEES["releases"]
    assert "no run is made" in READER_SEES["published"]


def test_what_is_counted() -> None:
    assert [unit_name(protocol) for protocol in get_args(Protocol)] == [
        "attempt",
        "record",
        "record",
    ]
    assert units_in_words(1, "attempt") == "1 attempt"
    assert units_in_words(20_000, "record") == "20,000 records"
