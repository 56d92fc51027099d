"""What a household needs so that a member's mail can be proven, and what to say while it does not have it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from butler_resources.kinds.routing import Routing

__all__ = ["MAIL_TYPES", "how_to_prove", "unproven"]

MAIL_TYPES: Final = frozenset({"imap", "gmail"})
"""Types of connectors whose senders need proof."""


def unproven(routing: Routing | None, mailboxes: Iterable[str]) -> tuple[str, ...]:
    """Which of these endpoints take mail of which none counts as the household's."""
    if routing is None:
        return tuple(mailboxes)
    if routing.trusted_authserv_ids:
        return ()
    return tuple(mailbox for mailbox in mailboxes if mailbox not in routing.trusted_endpoints)


def how_to_prove(mailboxes: Iterable[str]) -> str:
    """What follows from it, and what to set."""
    return (
        f"mail to {', '.join(mailboxes)} is recorded as strangers' mail, also that of members: no mail server is "
        "trusted to say who wrote it; set spec.routing.trustedAuthservIds of the Butler switchboard to the name at the "
        "head of Authentication-Results in a mail that you received"
    )
