"""PURE: a member's message that waits for a grown-up as text for who decides, in their language (ADR 0124).

Invariant: the member's words stand behind a mark, as those of a call do.
"""

from __future__ import annotations

from uuid import UUID

from butler_contracts.actions import Verdict
from butler_contracts.call_approvals import shown_text
from butler_contracts.language import Language
from butler_contracts.questions import question_mark
from butler_contracts.request_approvals import ROUTE_SERVER, request_in
from butler_messenger.approvals.call_words import is_call
from butler_messenger.approvals.words import moment_text
from butler_messenger.delivery.records import Row
from butler_messenger.locale import say

__all__ = ["ask_request_text", "is_request", "request_answer_text", "request_subject"]


def is_request(row: Row) -> bool:
    """Return whether an approval is for a member's message, which Switchboard holds."""
    return is_call(row) and bool(row["origin_butler"] == ROUTE_SERVER)


def request_subject(language: Language, question_id: UUID) -> str:
    """Return the subject of the mail that asks, and of the reply to its answer; it names the question."""
    asks = say(language, "A request waits for your approval")
    return f"{asks} {question_mark(question_id)}"


def request_answer_text(language: Language, verdict: Verdict, row: Row) -> str:
    """Return the text for the person who decided."""
    if verdict == "approve":
        return say(language, "Approved: {butlers} gets it now, once.", butlers=_butlers(row))
    return say(language, "Denied: {butlers} does not get it.", butlers=_butlers(row))


def ask_request_text(language: Language, row: Row, *, by_mail: bool) -> str:
    """Return the question: who asks for which butler, their words, the deadline, how to decide."""
    held, approval_id = request_in(row["arguments"]), row["approval_id"]
    head = say(
        language,
        "{name} asks {butlers} and needs your approval:",
        name=_who(language, row),
        butlers=_butlers(row),
    )
    how = say(
        language,
        "Nobody gets it unless somebody approves before {moment}: {approve} or {deny}",
        moment=moment_text(row["expires_at"]),
        approve=f"butlers approve {approval_id}",
        deny=f"butlers deny {approval_id}",
    )
    if by_mail:
        how += "\n" + say(language, 'Or answer this mail: "yes" or "no" alone in its first line decides.')
    return f"{head}\n\n{shown_text(held.message)}\n\n{how}"


def _who(language: Language, row: Row) -> str:
    name: str | None = row["person"]
    return name or say(language, "A member of the household")


def _butlers(row: Row) -> str:
    return ", ".join(request_in(row["arguments"]).butlers)
