"""Where signing in leads, and how long a one-time code lives."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from butler_contracts.errors import OverloadRejected
from butler_dashboard.auth.once import ONCE_TTL_S, OnceCodes
from butler_dashboard.auth.sign_in import HOME, SignInPage, local_path, plain_page
from butler_kit.time import ManualClock

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


def test_a_code_opens_one_session_within_five_minutes():
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    codes = OnceCodes(clock)
    first, second = codes.issue("token 1"), codes.issue("token 2")
    assert codes.redeem("another") is None
    assert codes.redeem(first) == "token 1"
    assert codes.redeem(first) is None
    clock.advance(ONCE_TTL_S)
    assert codes.redeem(second) is None


def test_only_so_many_codes_wait_and_old_ones_make_room():
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    codes = OnceCodes(clock)
    for number in range(64):
        codes.issue(f"token {number}")
    with pytest.raises(OverloadRejected):
        codes.issue("one more")
    clock.advance(ONCE_TTL_S)
    assert codes.redeem(codes.issue("now there is room")) == "now there is room"
