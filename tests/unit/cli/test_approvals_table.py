"""What waits for an approval as a table: messages and calls, and what needs none."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from butler_cli.output.lists.approvals import rules_table, table_of
from butler_cli.output.screen import show

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CALL = {
    "approval_id": "c-1",
    "kind": "call",
    "state": "waiting",
    "tool": "door.unlock",
    "origin_butler": "home",
    "channel": "tool",
    "target_identity": "door.unlock",
    "person": "Ben",
    "preview": '| door: "front\x1b[31m"',
    "requested_at": "2026-03-01T11:59:00Z",
    "expires_at": "2026-03-04T11:59:00Z",
    "decided_by": None,
}


def shown(table: Any, capsys: pytest.CaptureFixture[str]) -> str:
    show(table)
    return capsys.readouterr().out


def test_a_call_is_told_with_its_tool_for_whom_it_is_and_its_arguments(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = shown(table_of([CALL], now=NOW), capsys)
    assert "door.unlock for Ben" in text
    assert '| door: "front' in text
    assert "\x1b" not in text


def test_a_rule_of_a_call_is_told_with_the_arguments_that_it_allows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rule = {
        "rule_id": "r-1",
        "state": "in_force",
        "origin_butler": "home",
        "tool": "door.unlock",
        "channel": "tool",
        "target_identity": "0" * 64,
        "arguments": '| door: "front"\n| seconds: 20',
        "created_at": "2026-03-01T11:59:00Z",
        "created_by": "ada",
        "reason": "always",
        "expires_at": "2026-03-04T11:59:00Z",
    }
    text = shown(rules_table([rule], now=NOW), capsys)
    assert '| door: "front" | seconds: 20' in text
    assert "0000" not in text
