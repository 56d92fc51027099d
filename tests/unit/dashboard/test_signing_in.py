"""Where signing in leads, and what is kept of a secret that stands for a token."""

from __future__ import annotations

import pytest

from butler_dashboard.auth.sealing import Seal
from butler_dashboard.auth.sign_in import HOME, SignInPage, local_path, plain_page

ELSEWHERE = (
    "https://evil.example", "//evil.example", "/\\evil.example", "/\\/evil.example", "javascript:alert(1)", "/\nevil",
    "/a\r\nSet-Cookie: x", "evil", "", "/" + "a" * 3_000,
)  # fmt: skip


@pytest.mark.parametrize("given", ELSEWHERE)
def test_signing_in_never_leads_to_another_site(given: str):
    assert local_path(given) == HOME


@pytest.mark.parametrize(
    "given", ["/requests", "/requests?state=errored&cursor=WyJ4Il0", "/connectors/imap/a%2Fb"]
)
def test_signing_in_leads_back_to_where_one_wanted_to_go(given: str):
    assert local_path(given) == given


def test_what_a_stranger_writes_is_shown_as_text():
    page = plain_page(SignInPage('<script>alert("1")</script>', "/requests?x=%22"))
    assert "<script>" not in page


def test_what_is_kept_opens_with_its_own_secret_and_kind_alone():
    links, sign_ins = Seal("link"), Seal("sign-in")
    kept = links.close("a secret", "a token")
    assert b"a token" not in kept
    assert links.open("a secret", kept) == "a token"
    assert [links.open("another", kept), sign_ins.open("a secret", kept), links.open("a secret", None)] == [
        None
    ] * 3
    assert links.digest("a secret") not in (sign_ins.digest("a secret"), links.digest("another"))
