"""Codebooks: read, laid over a schema, and written so that nothing is lost."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.refusals import refused
from understudy.core.refusal import Refusal
from understudy.core.text_escape import first_unseen, same_letters
from understudy.table.authoring.codebook import Entry, entry_of, merge_codebook
from understudy.table.authoring.codebook_file import csv_codebook, read_codebook
from understudy.table.buckets import ByCuts, ByGroups, ByWidth, Group
from understudy.table.categories import Categories
from understudy.table.column import KNOWN, ORIGINS, Column
from understudy.table.continuous import Continuous
from understudy.table.dates import Dates
from understudy.table.grid import Grid
from understudy.table.missing_codes import unlabelled
from understudy.table.schema import Schema

_ANY = st.characters(blacklist_categories=("Cs", "Cc"))
_LINES = st.text(st.one_of(_ANY, st.sampled_from("=;,\"'\n")), min_size=1, max_size=12).filter(
    lambda text: text == text.strip() and text
)
_READ = _LINES.filter(lambda text: first_unseen(text.replace("\n", " ")) is None)
_NAMES = _READ.filter(lambda text: "\n" not in text)


@st.composite
def categories(draw: st.DrawFn) -> Categories:
    values = draw(st.lists(_LINES, min_size=1, max_size=5, unique=True))
    labels = draw(st.lists(_READ, min_size=len(values), max_size=len(values)))
    # Labels that all say what the values say already are the same as none.
    says = draw(st.booleans()) and labels != values
    return Categories(values=tuple(values), labels=tuple(labels) if says else ())


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    places = draw(st.integers(0, 3))
    unit = Decimal(1).scaleb(-places)
    low, steps = draw(st.integers(-500, 500)), draw(st.integers(0, 300))
    step = draw(st.integers(1, 20)) * unit
    kind = "integers" if places == 0 and draw(st.booleans()) else "numbers"
    low_end = low * unit
    return Grid(kind=kind, minimum=low_end, maximum=low_end + steps * step, step=step)


@st.composite
def continuous(draw: st.DrawFn) -> Continuous:
    grid = draw(grids())
    precision = grid.step / draw(st.sampled_from([1, 2, 5]))
    return Continuous(
        minimum=grid.minimum,
        maximum=grid.maximum + grid.step,
        precision=precision,
        step=grid.step,
        unit=draw(st.sampled_from(["", "kg", "€ a day"])),
    )


@st.composite
def dates(draw: st.DrawFn) -> Dates:
    low = draw(st.integers(1, 3_000_000))
    ends = {"minimum": low, "maximum": low + draw(st.integers(1, 9_999))}
    return Dates.read({**ends, "step": draw(st.sampled_from(["day", "week", "month", "year"]))})


@st.composite
def groups(draw: st.DrawFn, domain: Categories) -> ByGroups:
    labels = draw(st.lists(_READ, min_size=2, max_size=3, unique_by=same_letters))
    where = [draw(st.sampled_from(labels)) for _ in domain.values]
    members = {
        label: tuple(v for v, at in zip(domain.values, where, strict=True) if at == label)
        for label in labels[1:]
    }
    made = tuple(Group(label=label, values=each) for label, each in members.items() if each)
    if not made:
        return ByGroups(groups=(Group(label=labels[1], values=domain.values),))
    return ByGroups(groups=made, rest=labels[0] if labels[0] in where else None)


@st.composite
def levels(draw: st.DrawFn, column: Column) -> tuple[ByGroups, ...]:
    """Levels above the groups, where there are enough of these; no name is that of one below."""
    below = list(column.bucket_labels[: column.bucket_count - column.missing])
    found: list[ByGroups] = []
    while len(below) > 2:
        made = draw(groups(Categories(values=tuple(below))))
        above = [each.label for each in made.groups] + ([made.rest] if made.rest else [])
        if not 1 < len(above) < len(below):
            break
        found.append(made)
        below = above
    return tuple(found)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    names = draw(st.lists(_NAMES, min_size=2, max_size=4, unique_by=same_letters))
    columns = []
    for name in names:
        domain = draw(st.one_of(categories(), grids(), continuous(), dates()))
        tokens = draw(st.sampled_from([("",), ("", "not asked"), ("?=;", '"'), ("n/a",)]))
        if isinstance(domain, Categories) and set(tokens) & set(domain.values):
            tokens = ("",)
        columns.append(
            Column(
                name=name,
                title=draw(st.one_of(st.just(""), _READ)),
                domain=domain,
                missing=draw(st.booleans()),
                missing_codes=unlabelled(tokens),
                origin=draw(st.sampled_from(["", *KNOWN])),
            )
        )
        if isinstance(domain, Categories) and draw(st.booleans()):
            made = columns[-1].with_buckets(draw(groups(domain)))
            columns[-1] = made.changed(levels=draw(levels(made)))
    return Schema(columns=tuple(columns))


def _plain(schema: Schema) -> list[Entry]:
    return [entry_of(column) for column in schema.columns]


@settings(max_examples=40, deadline=None)
@given(schemas())
def test_a_schema_written_as_csv_is_read_as_it_was(schema: Schema) -> None:
    entries = read_codebook(csv_codebook(schema).encode(), "codebook.csv")
    assert merge_codebook(schema, entries).schema == schema
    blank = Schema(
        columns=tuple(
            Column(name=name, domain=Categories(values=("a", "b"))) for name in schema.names
        )
    )
    assert _plain(merge_codebook(blank, entries).schema) == _plain(schema)


def test_a_codebook_holds_no_formula() -> None:
    hostile = Column(name="=1+1", title="@SUM(A1)", domain=Categories(values=("-x", "+y")))
    other = Column(name="other", domain=Categories(values=("a", "b")))
    written = csv_codebook(Schema(columns=(hostile, other)))
    line = written.splitlines()[1]
    assert line.startswith("'=1+1,'@SUM(A1),")
    assert "'-x" in line
    entry, _ = read_codebook(written.encode(), "codebook.csv")
    assert (entry.name, entry.title) == ("=1+1", "@SUM(A1)")
    assert [code for code, _ in entry.values] == ["-x", "+y"]


@settings(max_examples=40, deadline=None)
@given(schemas())
def test_a_schema_written_as_json_is_read_as_it_was(schema: Schema) -> None:
    entries = read_codebook(schema.to_json().encode(), "schema.json")
    assert merge_codebook(schema, entries).schema == schema


def base() -> Schema:
    return Schema(
        columns=(
            Column(name="sex", domain=Categories(values=("1", "2", "9"))),
            Column(
                name="age",
                domain=Grid(minimum=Decimal(15), maximum=Decimal(95)),
                buckets=ByWidth(width=Decimal(10)),
            ),
            Column(name="town", domain=Categories(values=("A", "B"))),
        )
    )


def read(text: str, name: str = "codebook.csv") -> tuple[Entry, ...]:
    return read_codebook(text.encode(), name)


def test_values_in_one_row() -> None:
    found = merge_codebook(
        base(), read("name,label,values,missing\nsex,Sex of the person,1=male; 2 = female;9=?,9\n")
    )
    sex = found.schema.column("sex")
    assert sex.title == "Sex of the person"
    assert sex.domain == Categories(values=("1", "2"), labels=("male", "female"))
    assert (sex.missing, sex.missing_values) == (True, ("9",))
    assert found.silent == ("age", "town")
    assert found.taken.keys() == {"sex"}


@pytest.mark.parametrize(
    "text",
    [
        "variable,label,value,value label\nsex,Sex,1,male\n,,2,female\n",
        "Name,Label,Value,Meaning\nsex,Sex,1,male\nsex,Sex,2,female\n",
        "name,label,values\nsex,Sex,1=male\nsex,,2=female\n",
        'name;label;values\nsex;Sex;"1=male; 2=female"\n',
    ],
)
def test_values_in_rows_of_their_own(text: str) -> None:
    (entry,) = read(text)
    assert entry == Entry("sex", "Sex", values=(("1", "male"), ("2", "female")))


def test_labels_of_values_beside_them_where_there_is_no_other_place() -> None:
    (entry,) = read("name,label,values\nsex,male,1\nsex,female,2\n")
    assert entry == Entry("sex", "", values=(("1", "male"), ("2", "female")))


def test_a_range_keeps_what_the_codebook_leaves_open() -> None:
    found = merge_codebook(base(), read("name,minimum,maximum\nage,0,120\n")).schema.column("age")
    assert found.domain == Grid(minimum=Decimal(0), maximum=Decimal(120))
    assert found.buckets == ByWidth(width=Decimal(10))
    assert merge_codebook(base(), read("name,values\nage,0-120\n")).schema.column("age") == found


def test_an_open_range_is_closed_by_the_schema() -> None:
    domain = merge_codebook(base(), read("name,maximum\nage,120\n")).schema.column("age").domain
    assert domain == Grid(minimum=Decimal(15), maximum=Decimal(120))


def test_a_band_among_others_is_no_range() -> None:
    domain = (
        merge_codebook(base(), read("name,values\nage,0-17; 18-99\n")).schema.column("age").domain
    )
    assert domain == Categories(values=("0-17", "18-99"))


def test_buckets_that_no_longer_fit_are_made_anew() -> None:
    schema = base().replace(base().column("age").with_buckets(ByCuts(cuts=(Decimal(90),))))
    found = merge_codebook(schema, read("name,values\nage,0-50\n")).schema.column("age")
    assert found.buckets == ByCuts(cuts=tuple(map(Decimal, range(5, 50, 5))))


def test_what_does_not_fit_is_named_and_the_rest_is_taken() -> None:
    text = "name,label,type,minimum,maximum\nage,Age,integer,90,10\ntown,Town,,,\nghost,x,,,\n"
    found = merge_codebook(base(), read(text))
    assert found.schema.column("town").title == "Town"
    assert found.schema.column("age") == base().column("age")
    assert "minimum is above the maximum" in found.unfit["age"]
    assert found.unknown == ("ghost",)


def test_a_column_left_out_comes_in_where_all_is_said() -> None:
    entries = read("name,values\ncode,a;b\nfree,\nmine,x;y\n")
    names = ("code", "sex", "age", "free", "mine", "town")
    found = merge_codebook(base(), entries, names=names, leave_out=("mine",))
    assert found.schema.names == ("code", "sex", "age", "town")
    assert found.taken["code"] == ("everything: the column was not used before",)
    assert "does not say what it may contain" in found.unfit["free"]
    assert "mine" not in found.taken


def test_a_table_schema_may_say_as_little_as_a_title() -> None:
    fields = [{"name": "town", "title": "Where", "type": "string"}, {"name": "sex", "type": "any"}]
    found = merge_codebook(base(), read(json.dumps({"fields": fields}), "codebook.json"))
    assert found.schema.column("town").title == "Where"
    assert found.schema.column("town").domain == base().column("town").domain
    assert found.taken == {"town": ("its title",), "sex": ()}


def test_a_changed_schema_is_no_longer_declared() -> None:
    declared = base().declare_public("the form")
    assert merge_codebook(declared, read("name,label\nsex,Sex\n")).schema.declared
    assert not merge_codebook(declared, read("name,values\nsex,1;2\n")).schema.declared


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("label,values\nx,1\n", "no column “name”"),
        ("name,label,type\nsex,Sex,complex\n", "Row 2"),
        ("name,label,minimum\nsex,Sex,\nage,Age,SECRET\n", "Row 3"),
        ('name,values\nsex,1=male; "2" x\n', "Row 2"),
        ("name,required\nsex,perhaps\n", "Row 2"),
        ("name,values\n,1;2\n", "Row 2"),
        ("name\nsex\n", "only one column"),
        ("other,label\nghost,x\n", "no column “name”"),
    ],
)
def test_a_codebook_that_cannot_be_used(text: str, named: str) -> None:
    refusal = refused(read, text)
    assert named in refusal.problem
    assert refusal.field == "codebook"


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"fields": 3}', b'{"fields": [3]}', b"{\xff}"])
def test_json_that_cannot_be_used(data: bytes) -> None:
    assert refused(read_codebook, data, "codebook.json").field == "codebook"


def test_a_codebook_for_another_table() -> None:
    assert refused(merge_codebook, base(), read("name,label\nghost,x\n")).field == "codebook"


_WEIGHT = Column(
    name="weight",
    domain=Continuous(minimum=30, maximum=150, precision="0.1", step=5, unit="kg"),
    buckets=ByWidth(width=Decimal(10)),
)
_MEASURED = Schema(columns=(_WEIGHT, Column(name="sex", domain=Categories(values=("m", "f")))))


def _domain(*entries: Entry, schema: Schema = _MEASURED) -> object:
    found = merge_codebook(schema, entries)
    assert found.unfit == {}
    return found.schema.column("weight").domain


def test_a_codebook_with_a_precision_makes_a_range_continuous() -> None:
    grid = Grid(kind="numbers", minimum=30, maximum=150, step=5)
    schema = _MEASURED.replace(Column(name="weight", domain=grid))
    said = Entry("weight", settings={"precision": "0.1", "unit": "kg"})
    assert _domain(said, schema=schema) == _WEIGHT.domain
    assert _domain(Entry("weight", settings={"unit": "kg"}), schema=schema) == grid


def test_what_a_codebook_leaves_open_of_a_continuous_column_stays() -> None:
    domain = _WEIGHT.domain
    assert isinstance(domain, Continuous)
    assert _domain(Entry("weight", kind="numbers")) == domain
    assert _domain(Entry("weight", settings={"unit": "lb"})) == domain.read(
        {**domain.model_dump(), "unit": "lb"}
    )
    assert _domain(Entry("weight", settings={"maximum": "90"})) == domain.read(
        {**domain.model_dump(), "maximum": 90}
    )
    found = _domain(Entry("weight", kind="integers"))
    assert found == Grid(minimum=30, maximum=150, step=5)


def test_continuous_without_a_precision_is_a_range_of_numbers() -> None:
    text = b"name,type,minimum,maximum\nweight,continuous,0,1\n"
    schema = _MEASURED.replace(Column(name="weight", domain=Grid(minimum=0, maximum=9)))
    (entry,) = read_codebook(text, "c.csv")
    found = _domain(entry, schema=schema)
    assert isinstance(found, Grid)
    assert found.kind == "numbers"


def test_a_precision_that_does_not_go_into_the_range_is_told() -> None:
    found = merge_codebook(_MEASURED, [Entry("weight", settings={"precision": "7"})])
    assert "precision" in found.unfit["weight"]


@pytest.mark.parametrize(
    "text",
    [
        "name,groups,rest\njob,cook=by hand; smith=by hand,others\n",
        "name,value,group,rest\njob,cook,by hand,others\n,smith,by hand,\n,clerk,,\n",
    ],
)
def test_groups_stand_in_a_row_or_beside_each_value(text: str) -> None:
    (entry,) = read_codebook(text.encode(), "codebook.csv")
    assert entry.buckets == ByGroups(
        groups=(Group(label="by hand", values=("cook", "smith")),), rest="others"
    )


@pytest.mark.parametrize(
    "text",
    [
        'name,groups,rest,groups 2,rest 2\njob,cook=hot; baker=hot; smith=metal,desk,"hot=hands; '
        'metal=hands",others\n',
        "name,value,group,group 2,rest,rest 2\njob,cook,hot,hands,desk,others\n,baker,hot,,,\n"
        ",smith,metal,hands,,\n",
    ],
)
def test_levels_stand_in_a_row_or_beside_each_value(text: str) -> None:
    (entry,) = read_codebook(text.encode(), "codebook.csv")
    (level,) = entry.levels
    assert level == ByGroups(groups=(Group(label="hands", values=("hot", "metal")),), rest="others")
    assert isinstance(entry.buckets, ByGroups)
    assert [each.label for each in entry.buckets.groups] == ["hot", "metal"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name,groups\njob,cook\n", "Row 2 .* without its group"),
        ("name,groups,groups 2\njob,cook=hot,hot\n", "Row 2 .* “groups 2” without"),
        ("name,groups 2\njob,hot=hands\n", "Row 2 .* none of the level below"),
        ("name,value,group,group 3\njob,cook,hot,hands\n", "Row 2 .* none of the level below"),
        (
            "name,value,group,group 2\njob,cook,hot,hands\n,baker,hot,feet\n",
            "Row 3 .* another group of “group 2”",
        ),
    ],
)
def test_groups_that_cannot_be_meant_are_named_by_their_row(text: str, says: str) -> None:
    with pytest.raises(Refusal, match=says):
        read_codebook(text.encode(), "codebook.csv")


def test_a_source_is_read_in_words_too_and_stays_where_nothing_is_said() -> None:
    entries = read(f"name,known from\nsex,{ORIGINS['law'].capitalize()}\nage,design\ntown,\n")
    once = merge_codebook(base(), entries)
    assert [each.origin for each in once.schema.columns] == ["law", "design", ""]
    assert once.taken == {"sex": ("where it is known from",), "age": ("where it is known from",),
                          "town": ()}  # fmt: skip
    again = merge_codebook(once.schema, read("name,label\nsex,Sex\n")).schema
    assert again.column("sex").origin == "law"


def test_a_source_that_is_none_is_named_by_its_row() -> None:
    assert "Row 3" in refused(read, "name,origin\nsex,law\nage,hearsay\n").problem
