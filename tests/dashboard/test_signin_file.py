"""The file that says how people sign in: read, or refused in words that quote no secret."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy_dashboard.sign_in_file import public_address, read_sign_in, safe_address

SECRET, COOKIE = "a-secret-nobody-may-see", "c" * 64
GOOD = f"""\
[provider]
metadata = "https://login.example.org/.well-known/openid-configuration"
client_id = "understudy"
client_secret = "{SECRET}"

[page]
address = "https://Understudy.example.org/"
cookie_secret = "{COOKIE}"

[custodians]
emails = ["One@example.org "]
groups = ["data-custodians"]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sign-in.toml"
    path.touch(mode=0o600)
    path.write_text(GOOD, encoding="utf-8")
    return path


def refusal(path: Path) -> Refusal:
    with pytest.raises(Refusal) as refused:
        read_sign_in(path)
    assert SECRET not in str(refused.value)
    assert COOKIE not in str(refused.value)
    return refused.value


def test_reads_a_whole_file(file: Path, tmp_path: Path) -> None:
    how = read_sign_in(file)
    assert how.address == "https://understudy.example.org"
    assert how.client_secret == SECRET
    assert how.custodians.emails == {"one@example.org"}
    assert how.reviewers.groups == frozenset()
    assert (how.hours, how.idle_minutes, how.folders) == (8.0, 60.0, ())


def test_secrets_may_stand_in_files_beside_it(file: Path, tmp_path: Path) -> None:
    beside = tmp_path / "cookie"
    beside.touch(mode=0o600)
    beside.write_text(f"{COOKIE}\n", encoding="utf-8")
    file.write_text(
        GOOD.replace(f'cookie_secret = "{COOKIE}"', 'cookie_secret_file = "cookie"'), "utf-8"
    )
    assert read_sign_in(file).cookie_secret == COOKIE
    beside.chmod(0o640)
    assert "chmod 600" in refusal(file).remedy


def test_others_may_not_read_it(file: Path) -> None:
    for mode in (0o640, 0o604, 0o602, 0o666):
        file.chmod(mode)
        assert "chmod 600" in refusal(file).remedy


def test_folders_are_there(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    file.write_text(GOOD.replace("[custodians]", f'folders = ["{link}"]\n[custodians]'), "utf-8")
    assert read_sign_in(file).folders == (tmp_path.resolve(),)
    for other in ("relative", "/no/such/folder"):
        text = GOOD.replace("[custodians]", f'folders = ["{other}"]\n[custodians]')
        file.write_text(text, "utf-8")
        assert other in refusal(file).problem


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ("https://Understudy", "http://Understudy", "page.address"),
        ("Understudy.example.org/", "understudy.example.org/a/path", "page.address"),
        ("https://login", "http://login", "provider.metadata"),
        (f'client_secret = "{SECRET}"', "", "provider.client_secret"),
        (f'"{COOKIE}"', '"short"', "page.cookie_secret"),
        ("client_id", "client_name", "provider.client_id"),
        ("emails =", "addresses =", "custodians.addresses"),
        ("[page]", "[page]\nhours = 0", "page.hours"),
        ("[page]", "[page]\nhours = 'long'", "page.hours"),
        ('["data-custodians"]', '"data-custodians"', "custodians.groups"),
        ("[custodians]", "[reviewers]", "custodians"),
    ],
)
def test_names_the_setting_that_cannot_be_used(
    file: Path, before: str, after: str, field: str
) -> None:
    file.write_text(GOOD.replace(before, after, 1), "utf-8")
    assert refusal(file).field == field


def test_names_nobody_as_custodian(file: Path) -> None:
    empty = GOOD.replace('["One@example.org "]', "[]").replace('["data-custodians"]', "[]")
    file.write_text(empty, "utf-8")
    assert "no custodian" in refusal(file).problem


def test_says_which_line_is_no_toml(file: Path) -> None:
    file.write_text(GOOD.replace(f'"{SECRET}"', f'"{SECRET}'), "utf-8")
    assert "line 4" in refusal(file).remedy


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert "cannot be read" in refusal(tmp_path / "none.toml").problem


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=300))
def test_any_file_is_refused_in_words(file: Path, content: bytes) -> None:
    file.write_bytes(GOOD.encode() + content)
    told = ""
    try:
        read_sign_in(file)
    except Refusal as refused:
        told = str(refused)
    assert SECRET not in told


@given(text=st.text(max_size=40) | st.from_regex(r"https?://[a-z\[\]:@/?#0-9.]{0,20}"))
def test_any_address_is_safe_or_refused(text: str) -> None:
    if not safe_address(text):
        with pytest.raises(Refusal):
            public_address(text)


def test_addresses() -> None:
    assert public_address("https://a.example:8443") == "https://a.example:8443"
    assert public_address("http://127.0.0.1:8501") == "http://127.0.0.1:8501"
    for other in ("http://a.example", "https://u:p@a.example", "ftp://a", "a.example", "https://["):
        assert not safe_address(other)
