"""Columns that identify: found by name, shape and uniqueness, whatever the order of records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.refusals import refused
from understudy.table.authoring.first_schema import (
    choose_names,
    suggest_column,
    suggest_first_schema,
)
from understudy.table.authoring.identifiers import OccurringTexts, recognise_identifier
from understudy.table.declared_reading import usual
from understudy.table.omissions import WHY
from understudy.table.people import People
from understudy.table.raw import Labels, RawTable, table_of, text_column
from understudy.table.schema import MOST_COLUMNS

ROWS: Final = 400
FORENAMES: Final = (
    "Anna,Peter,Maria,Hans,Julia,Emma,Paul,Laura,Tobias,Nadia,Xerxes,Wilbur,Quentin,Ottokar"
    ",Zebulon,Tamsin,Peregrine,Ludmilla,Gwendolyn,Ignatius,Thaddeus,Ermintrude,Dieudonné"
)
SURNAMES: Final = [f"Mc{'abcdefghij'[at % 10]}{'klmnopqrst'[at // 10]}y" for at in range(100)]


def nhs(at: int) -> str:
    """A made number of ten digits whose last checks the others."""
    digits = f"{400000000 + 7919 * at:09d}"
    check = (11 - sum(int(d) * (10 - place) for place, d in enumerate(digits)) % 11) % 11
    return nhs(at + ROWS) if check == 10 else f"{digits}{check}"


def card(at: int) -> str:
    """A made number of sixteen digits that passes Luhn's check."""
    digits = f"{400000000000000 + 104729 * at:015d}"
    doubled = [int(d) * (1 + (place + 1) % 2) for place, d in enumerate(reversed(digits))]
    return f"{digits}{-sum(each - 9 * (each > 9) for each in doubled) % 10}"


Made = Callable[[int], str]
FOUND: Final[dict[str, tuple[str, Made, str]]] = {
    "e-mail": ("q7", lambda at: f"someone{at % 150}@example.org", "contact"),
    "phone by shape": ("q8", lambda at: f"+44 20 7946 {at:04d}", "contact"),
    "phone by name": ("tel_nr", lambda at: f"0{300000 + 7 * at}", "contact"),
    "web": ("page", lambda at: f"https://example.org/{at % 90}", "contact"),
    "computer": ("from", lambda at: f"192.0.2.{at % 200}", "contact"),
    "ssn": ("q9", lambda at: f"{900 + at % 50}-{10 + at % 80}-{1000 + at}", "identifier"),
    "nhs": ("q10", nhs, "identifier"),
    "nhs apart": ("q10", lambda at: f"{nhs(at)[:3]} {nhs(at)[3:6]} {nhs(at)[6:]}", "identifier"),
    "card": ("q11", card, "identifier"),
    "uuid": ("q12", lambda at: f"{at:08x}-0000-4000-8000-{at:012x}", "identifier"),
    "iban": ("q13", lambda at: f"DE{10 + at % 80}50010517{5407324931 + at}", "identifier"),
    "forenames by shape": ("q14", lambda at: FORENAMES.split(",")[at % 23], "name"),
    "forenames by name": ("first_name", lambda at: SURNAMES[at % 60], "name"),
    "surnames before forenames": (
        "q18",
        lambda at: f"{SURNAMES[at % 100]}, {FORENAMES.split(',')[at % 23]}",
        "name",
    ),
    "names with titles": (
        "q19",
        lambda at: f"Dr. {FORENAMES.split(',')[at % 23]} {SURNAMES[at % 77]}",
        "name",
    ),
    "surnames": ("Nachname", lambda at: SURNAMES[at % 100], "name"),
    "names": ("name", lambda at: f"{SURNAMES[at % 100]} {SURNAMES[at % 77]}", "name"),
    "address": ("q15", lambda at: f"{at} High Street, Anywhere", "address"),
    "anschrift": ("q16", lambda at: f"Lindenstraße {at}", "address"),
    "address by name": ("home_address", lambda at: f"The Mill {at % 80}", "address"),
    "free text": ("q17", lambda at: f"said that {at} of them were not there", "text"),
    "comments": ("comment", lambda at: f"{at}x fine", "text"),
    "patient": ("patient_nbr", lambda at: str(1000003 * (at % 250) + 17), "identifier"),
    "encounter": ("EncounterId", lambda at: str(90000000 + 37 * at), "identifier"),
    "account": ("account_no", lambda at: f"A-{70000 + 3 * at}", "identifier"),
    "person of a panel": ("pid", lambda at: str(31 * (at % 60)), "identifier"),
    "no name, ten digits": ("x1", lambda at: str(3843936523 + 1234577 * at), "identifier"),
}
KEPT: Final[dict[str, tuple[str, Made]]] = {
    "income": ("income", lambda at: str(1000 + 13 * at)),
    "amount with cents": ("cost", lambda at: f"{at}.{at % 100:02d}"),
    "few names": ("hospital_name", lambda at: f"Saint {SURNAMES[at % 30]}"),
    "a type by number": ("admission_type_id", lambda at: str(at % 8)),
    "hospitals": ("hospital_id", lambda at: str(at % 30)),
    "an item with an address in it": ("email", lambda at: ("yes", "no")[at % 2]),
    "statements": ("view", lambda at: f"I do agree with that, grade {at % 6}"),
    "days": ("seen", lambda at: f"2021-{1 + at % 12:02d}-{1 + at % 28:02d}"),
    "days with points": ("seen", lambda at: f"{1 + at % 28:02d}.{1 + at % 12:02d}.2021"),
    "bands": ("band", lambda at: f"{1000 * (at % 25)}-{1000 * (at % 25) + 999}"),
    "saints": ("ward", lambda at: f"St. {FORENAMES.split(',')[at % 23]}"),
    "amounts in parts": ("price", lambda at: f"{1 + at % 9} {at % 900 + 100} 000"),
    "towns": ("town", lambda at: SURNAMES[at % 40]),
    "years": ("year_no", lambda at: str(1980 + at % 40)),
    "a number of visits": ("visit_number", lambda at: str(at % 40)),
}


def table(**columns: Sequence[str]) -> RawTable:
    """A table as a file would hold it."""
    made = [text_column(np.arange(len(each)), list(each)) for each in columns.values()]
    return RawTable(table_of(list(columns), made), usual("csv"))


def beside(name: str, texts: Sequence[str]) -> RawTable:
    """A table of one column beside two plain ones."""
    rows = range(len(texts))
    return table(
        **{name: texts, "sex": ["fm"[at % 2] for at in rows], "age": [str(at % 80) for at in rows]}
    )


@pytest.mark.parametrize("case", list(FOUND))
def test_a_column_that_identifies_is_left_out_with_its_reason_unless_it_is_kept(case: str) -> None:
    name, made, why = FOUND[case]
    raw = beside(name, [made(at) for at in range(ROWS)])
    first = suggest_first_schema(raw)
    assert first.schema.names == ("sex", "age")
    assert first.left_out[name].why == why
    assert first.left_out[name].reason
    assert [(each.name, each.place, each.why) for each in first.schema.omissions] == [
        (name, 0, why)
    ]
    assert suggest_column(raw, name).why == why


@pytest.mark.parametrize("case", list(KEPT))
def test_what_only_looks_alike_stays_in(case: str) -> None:
    name, made = KEPT[case]
    first = suggest_first_schema(beside(name, [made(at) for at in range(ROWS)]))
    assert first.schema.names == (name, "sex", "age")
    assert not first.schema.omissions


def test_a_long_number_is_kept_where_the_custodian_says_so() -> None:
    raw = beside("patient_no", [str(2 * at) for at in range(ROWS)])
    kept = suggest_first_schema(raw, keep=["patient*"])
    assert kept.schema.names == ("patient_no", "sex", "age")


def test_a_few_values_tell_nothing_and_labels_say_that_they_are_codes() -> None:
    texts = [f"{at}@example.org" for at in range(4)]
    assert recognise_identifier("email", OccurringTexts(tuple(texts), 19)) is None
    raw = beside("email", texts * 10)
    assert "email" in suggest_first_schema(raw).schema.names
    few = tuple(FORENAMES.split(",")[:6])
    assert recognise_identifier("q1", OccurringTexts(few, 40)) is None
    assert recognise_identifier("first_name", OccurringTexts(few, 40)) is not None
    assert recognise_identifier("first_name", OccurringTexts((*few, "7"), 40)) is None
    codes = [str(at % 60) for at in range(ROWS)]
    raw = beside("pid", codes)
    assert "pid" not in suggest_first_schema(raw).schema.names
    labels = Labels(values={"pid": {code: f"cell {code}" for code in set(codes)}})
    labelled = RawTable(raw.arrow, raw.reading, labels=labels)
    assert "pid" in suggest_first_schema(labelled).schema.names


@given(st.sampled_from([*FOUND, *KEPT]), st.permutations(range(60)), st.integers(0, 340))
def test_the_order_of_records_makes_no_difference(case: str, order: list[int], first: int) -> None:
    name, made, *_ = {**FOUND, **KEPT}[case]
    texts = [made(first + at) for at in range(60)]
    one = suggest_first_schema(beside(name, texts))
    rows = range(60)
    other = suggest_first_schema(
        table(
            **{
                name: [texts[at] for at in order],
                "sex": ["fm"[order[at] % 2] for at in rows],
                "age": [str(order[at] % 80) for at in rows],
            }
        )
    )
    assert other == one


def test_of_many_texts_the_same_are_looked_at_in_any_order() -> None:
    texts = [str(at * 7919 % 50_021) for at in range(5_000)]
    one = OccurringTexts.of_column(table(c=texts), "c")
    assert OccurringTexts.of_column(table(c=texts[::-1]), "c") == one
    assert 1_000 < len(one.looked_at) <= 2_000


def test_a_codebook_describes_what_could_not_be_and_brings_back_nothing_that_identifies(
    tmp_path: Path,
) -> None:
    (tmp_path / "codes.csv").write_text(
        "name,minimum,maximum\npatient_no,0,1000\nempty,0,9\nage,0,99\n", encoding="utf-8"
    )
    rows = range(ROWS)
    raw = table(
        patient_no=[str(2 * at) for at in rows],
        empty=[""] * ROWS,
        sex=["fm"[at % 2] for at in rows],
        age=[str(at % 80) for at in rows],
    )
    first = suggest_first_schema(raw, codebook=tmp_path / "codes.csv")
    assert first.schema.names == ("empty", "sex", "age")
    assert [each.name for each in first.schema.omissions] == ["patient_no"]
    kept = suggest_first_schema(raw, codebook=tmp_path / "codes.csv", keep=["patient_no"])
    assert kept.schema.names == raw.names


def test_patterns_choose_columns_and_one_that_fits_none_is_refused() -> None:
    names = ["q1_a", "q1_b", "q2", "x*", "xy"]
    assert choose_names(names, ["q1_*", "q?"], "only") == {"q1_a", "q1_b", "q2"}
    assert choose_names(names, ["x*"], "only") == {"x*"}
    assert refused(choose_names, names, ["z*"], "only").field == "only"


def wide(columns: int, rows: int = 30) -> RawTable:
    """A table of so many columns."""
    rng = np.random.default_rng(columns)
    return table(
        **{
            f"q{at // 10}_{at % 10}": [str(each) for each in rng.integers(1, 6, rows)]
            for at in range(columns)
        }
    )


def test_a_wide_table_is_narrowed_to_what_can_be_used_together() -> None:
    raw = wide(3000)
    first = suggest_first_schema(raw)
    assert first.schema.names == raw.names[:MOST_COLUMNS]
    assert len(first.left_out) == 3000 - MOST_COLUMNS
    assert {each.why for each in first.left_out.values()} == {"surplus"}
    narrow = suggest_first_schema(raw, only=["q29?_1"], leave_out=["q295*"])
    assert narrow.schema.names == tuple(f"q29{at}_1" for at in range(10) if at != 5)
    assert narrow.left_out["q0_0"].why == "choice"
    assert narrow.schema.header == narrow.schema.names


def test_columns_may_be_kept_empty_from_the_beginning() -> None:
    raw = beside("patient_no", [str(2 * at) for at in range(ROWS)])
    first = suggest_first_schema(raw, keep_empty=["patient_no"])
    assert first.schema.header == ("patient_no", "sex", "age")
    assert first.schema.names == ("sex", "age")
    first = suggest_first_schema(raw, keep_empty=["sex"], keep=["patient_no"])
    assert first.schema.names == ("patient_no", "age")
    assert first.schema.header == ("patient_no", "sex", "age")


def test_a_label_of_one_code_makes_no_list_of_what_identifies() -> None:
    raw = beside("q7", [f"someone{at % 150}@example.org" for at in range(ROWS)])
    raw = RawTable(raw.arrow, raw.reading, labels=Labels(values={"q7": {"-9": "refused"}}))
    assert suggest_first_schema(raw).left_out["q7"].why == "contact"


def test_where_no_column_can_be_used_each_is_named_with_its_reason() -> None:
    refusal = refused(
        suggest_first_schema,
        table(
            who=[nhs(at) for at in range(ROWS)],
            said=[f"said that {at} of them were not there" for at in range(ROWS)],
            nothing=[""] * ROWS,
            mail=[f"{at}@example.org" for at in range(ROWS)],
        ),
    )
    assert refusal.problem.startswith("No column of this table can be used")
    for name in ("who", "said", "nothing"):
        assert f"“{name}”" in refusal.problem
    assert "holds of mail." in refusal.problem
    assert "said that" not in refusal.problem


def test_a_survey_weight_is_asked_about_and_stays() -> None:
    weights = [f"{at % 50}.{at % 7}" for at in range(ROWS)]
    first = suggest_first_schema(beside("pweight", weights))
    assert any("survey weight" in note for note in first.notes["pweight"])
    assert not any("weight" in note for note in first.notes["age"])


def test_every_reason_has_words() -> None:
    assert all(words and not words.endswith(".") for words in WHY.values())


def test_whose_a_record_is_is_left_out_as_such_even_if_it_is_to_be_left_out_anyway() -> None:
    made = [text_column(np.arange(3) % 2, ["1", "2"]) for _ in range(4)]
    raw = RawTable(table_of(["who", "nth", "a", "b"], made), usual("csv"))
    people = People(person="who", order="nth", order_is="number", records_at_most=2)
    for leave_out in ((), ("who",)):
        found = suggest_first_schema(raw, people=people, leave_out=leave_out)
        assert [(each.name, each.why) for each in found.schema.omissions][:1] == [("who", "people")]


def test_texts_that_differ_in_blanks_are_one_with_the_records_of_both() -> None:
    made = [text_column(np.array([0, 1, 1, 2]), ["5", " 5", "6"])]
    found = OccurringTexts.of_column(RawTable(table_of(["a"], made), usual("csv")), "a")
    assert (found.texts, found.counts, found.records) == (("5", "6"), (3, 1), 4)
