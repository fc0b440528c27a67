"""What a reader may see, and what is counted."""

from typing import get_args

from engine.privacy.accounting.protocol import READER_SEES, Protocol, counted_as, in_words


def test_every_protocol_says_what_a_reader_sees() -> None:
    assert set(READER_SEES) == set(get_args(Protocol))
    assert "how many of them released nothing" in READER_SEES["attempts"]
    assert "not how many attempts" in READER_SEES["releases"]
    assert "no run is made" in READER_SEES["published"]


def test_what_is_counted() -> None:
    assert [counted_as(protocol) for protocol in get_args(Protocol)] == [
        "attempt",
        "record",
        "record",
    ]
    assert in_words(1, "attempt") == "1 attempt"
    assert in_words(20_000, "record") == "20,000 records"
