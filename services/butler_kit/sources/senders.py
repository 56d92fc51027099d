"""Whose messages are submitted: the allow and skip lists of a connector (tier 3 of CNX-05.3, D10). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["SenderLists"]


@dataclass(frozen=True)
class SenderLists:
    """Identities, or `@domain` for every mail address of a domain; compared without case."""

    allow: frozenset[str] = frozenset()
    skip: frozenset[str] = frozenset()

    @classmethod
    def of(cls, allow: str = "", skip: str = "") -> SenderLists:
        """Build from the comma-separated environment variables."""
        return cls(frozenset(_entries(allow.split(","))), frozenset(_entries(skip.split(","))))

    def skip_reason(self, identity: str) -> str | None:
        """Return why a sender's message is not submitted, or None."""
        names = {identity.casefold()}
        _, at, domain = identity.casefold().rpartition("@")
        if at:
            names.add(f"@{domain}")
        if names & self.skip:
            return "sender_skipped"
        return "sender_not_allowed" if self.allow and not names & self.allow else None


def _entries(values: Iterable[str]) -> Iterable[str]:
    return (value.strip().casefold() for value in values if value.strip())
