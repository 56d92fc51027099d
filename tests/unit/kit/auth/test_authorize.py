from __future__ import annotations

from datetime import UTC, datetime

import pytest

from butler_contracts.errors import ErrorClass
from butler_kit.auth import (
    Caller,
    ConnectorBinding,
    Forbidden,
    Role,
    authorize_connector,
    clamp_tier,
    require_role,
    trusted_caller,
)

LATER = datetime(2026, 3, 4, tzinfo=UTC)


def caller(role: Role, subject: str = "someone", binding: ConnectorBinding | None = None) -> Caller:
    return Caller(subject, role, None, binding, None, "id", LATER)


BOT = caller(Role.CONNECTOR, "connector:home", ConnectorBinding("telegram_bot", "bot:home", "interactive"))


def test_a_connector_speaks_for_its_own_source() -> None:
    assert authorize_connector(BOT, "telegram_bot", "bot:home") == BOT.connector


@pytest.mark.parametrize(
    ("who", "kind", "identity"),
    [
        (BOT, "telegram_bot", "bot:other"),
        (BOT, "imap", "bot:home"),
        (caller(Role.BUTLER), "telegram_bot", "bot:home"),
        (caller(Role.SWITCHBOARD), "telegram_bot", "bot:home"),
        (caller(Role.OPERATOR), "telegram_bot", "bot:home"),
    ],
)
def test_nobody_speaks_for_another_source(who: Caller, kind: str, identity: str) -> None:
    with pytest.raises(Forbidden) as refused:
        authorize_connector(who, kind, identity)
    assert who.subject in refused.value.message
    assert refused.value.retryable is False


@pytest.mark.parametrize(
    ("tier", "given", "lowered"),
    [
        ("high_priority", "interactive", True),
        ("interactive", "interactive", False),
        ("default", "default", False),
    ],
)
def test_a_tier_above_the_binding_is_lowered(tier: str, given: str, lowered: bool) -> None:
    assert clamp_tier(BOT, tier) == (given, lowered)


def test_a_caller_without_a_binding_keeps_its_tier() -> None:
    assert clamp_tier(caller(Role.OPERATOR), "high_priority") == ("high_priority", False)


def test_a_trusted_caller_passes() -> None:
    trusted_caller(caller(Role.SWITCHBOARD, "switchboard"), ("switchboard",))


@pytest.mark.parametrize("trusted", [(), ("switchboard",)])
def test_any_other_caller_is_refused_by_name_and_for_good(trusted: tuple[str, ...]) -> None:
    with pytest.raises(Forbidden) as refused:
        trusted_caller(caller(Role.BUTLER, "finance"), trusted)
    detail = refused.value.to_detail()
    assert (detail.error_class, detail.retryable) == (ErrorClass.VALIDATION_ERROR, False)
    assert "'finance'" in detail.message


def test_a_role_that_is_not_asked_for_is_refused() -> None:
    require_role(caller(Role.OPERATOR), Role.OPERATOR, Role.DASHBOARD)
    with pytest.raises(Forbidden, match="needs operator or dashboard"):
        require_role(caller(Role.BUTLER), Role.OPERATOR, Role.DASHBOARD)
