"""Rules from an upload to a verified packet, with clicks counted: in a form, by a pattern, from a
file of R's `validate`, beside a total that is derived.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from playwright.sync_api import FilePayload, expect

from tests.browser.custodian import Custodian
from tests.browser.walk import Walk, list_rows

_STAYS = 600
_MOST_CLICKS = 30
_FILE = """\
# what everybody knows of a ward
if (ward == "children") age < 18
drugs >= 0
surname == "x"
"""


def stays_csv() -> bytes:
    """Stays of people who do not exist; two leave before they come."""
    lines = ["ward,sex,age,admitted,discharged,drugs,bed,total"]
    for person in range(_STAYS):
        ward = ("children", "births", "surgery", "eyes")[person % 4]
        sex = "f" if ward == "births" else "fm"[person // 4 % 2]
        age = person % 17 if ward == "children" else 20 + person % 60
        start = date(2024, 1, 5) + timedelta(days=person % 200)
        end = start + timedelta(days=-2 if person in (7, 11) else person % 9)
        drugs, bed = 5 * (person % 31), 7 * (person % 57)
        lines.append(f"{ward},{sex},{age},{start},{end},{drugs},{bed},{drugs + bed}")
    return "\n".join(lines).encode()


@pytest.mark.thorough(
    "dashboard/parts/data/test_rules.py::test_a_rule_is_written_in_a_form_and_checked_afterwards"
)
def test_rules_go_from_the_upload_to_a_verified_packet_in_few_clicks(person: Custodian) -> None:
    walk, main = Walk(person), person.main
    walk.upload("stays.csv", stays_csv())
    person.pick("No, one row at most")
    walk.say_size()
    person.unfold(re.compile("seems? to follow from others$"))
    walk.click(main.locator(".st-key-derive-list-total button"))
    expect(main.get_by_text("rows of the table hold what the formula")).to_be_visible()

    person.press(re.compile("Add a rule$"))
    walk.type_option(re.compile("^If"), "ward")
    walk.type_option(re.compile("^With what ward"), "births")
    walk.type_option(re.compile("^then"), "sex")
    walk.type_option(re.compile("^With what sex"), "f")
    walk.type_option(re.compile("^Where is this known from"), "the design of the data")
    person.press(re.compile("Add the rule$"))
    expect(main.get_by_text(f"All {_STAYS} rows of the table keep it.")).to_be_visible()

    person.press(re.compile("Add a rule$"))
    walk.click(main.get_by_text("In order", exact=True))
    walk.type_option(re.compile("^Columns in order"), "admitted", "discharged")
    walk.type_option(re.compile("^Where is this known from"), "the design of the data")
    person.press(re.compile("Add the rule$"))
    expect(main.get_by_text(f"2 of {_STAYS} rows of the table break it.")).to_be_visible()

    person.press(re.compile("Rules from a file$"))
    popover = person.page.get_by_test_id("stPopoverBody")
    source = popover.get_by_role("combobox", name=re.compile("^Where are they known from"))
    source.click()
    source.fill("the design of the data")
    source.press("Enter")
    person.settled()
    given: FilePayload = {"name": "rules.R", "mimeType": "text/plain", "buffer": _FILE.encode()}
    popover.get_by_label("file upload").set_input_files(given)
    expect(main.get_by_text("2 rules added from the file.")).to_be_visible()
    expect(main.get_by_text("no column “surname”")).to_be_visible()

    # Choosing the file of rules is a click that no event of the page shows.
    files = walk.finish("Stays under rules", _MOST_CLICKS - 1, 3_000)
    rows = list_rows(files, "synthetic.csv")
    assert len(rows) > 100
    for row in rows:
        assert row["ward"] != "births" or row["sex"] == "f"
        assert row["ward"] != "children" or int(row["age"]) < 18
        assert row["admitted"] <= row["discharged"]
        assert int(row["total"]) == int(row["drugs"]) + int(row["bed"])
    readme = " ".join(files["README.txt"].split())
    assert "If “ward” is births, then “sex” is f." in readme
    assert "“admitted” is not after “discharged”." in readme
