"""Whose a thread of mails is."""

from __future__ import annotations

from uuid import UUID

import pytest

from butler_switchboard.ingress.threads import Part, butler_of

FIRST, SECOND = UUID(int=1), UUID(int=2)


@pytest.mark.parametrize(
    ("parts", "butler"),
    [
        ([], None),
        ([Part(SECOND, "finance", True)], "finance"),
        ([Part(SECOND, "finance", True), Part(SECOND, "finance", True)], "finance"),
        ([Part(SECOND, "finance", True), Part(FIRST, "health", True)], "finance"),
        ([Part(SECOND, "finance", True), Part(SECOND, "health", True)], None),
        ([Part(SECOND, "finance", True), Part(SECOND, "health", False)], None),
        ([Part(SECOND, "finance", False), Part(FIRST, "health", True)], None),
        ([Part(SECOND, "general", True), Part(FIRST, "health", True)], None),
    ],
)
def test_a_thread_is_of_the_one_butler_that_did_its_latest_request(
    parts: list[Part], butler: str | None
) -> None:
    assert butler_of(parts) == butler
