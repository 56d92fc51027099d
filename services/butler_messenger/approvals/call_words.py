"""PURE: a waiting call as text for an approver, in their language: all of its arguments, on marked lines.

Invariant: everything that a model or a server wrote stands behind a mark, with invisible characters written out, so
that it cannot pass for something Messenger says.
"""

from __future__ import annotations

from uuid import UUID

from butler_contracts.actions import Verdict
from butler_contracts.call_approvals import shown_arguments
from butler_contracts.language import Language
from butler_contracts.questions import question_mark
from butler_messenger.approvals.words import moment_text
from butler_messenger.delivery.records import Row
from butler_messenger.locale import say

__all__ = ["ask_call_text", "call_answer_text", "call_subject", "is_call", "tool_of"]


def is_call(row: Row) -> bool:
    """Return whether an approval is for a call; otherwise it is for a delivery."""
    return "arguments_digest" in row.keys()  # noqa: SIM118 - a record, whose values `in` looks at


def tool_of(row: Row) -> str:
    """Return the server and tool as the manifest names them."""
    return f"{row['server']}.{row['tool']}"


def call_subject(language: Language, question_id: UUID) -> str:
    """Return the subject of the mail that asks, and of the reply to its answer; it names the question."""
    asks = say(language, "A call waits for your approval")
    return f"{asks} {question_mark(question_id)}"


def call_answer_text(language: Language, verdict: Verdict, tool: str) -> str:
    """Return the text for the person who decided."""
    if verdict == "approve":
        return say(language, "Approved: {tool} is called, once.", tool=tool)
    return say(language, "Denied: {tool} is not called.", tool=tool)


def ask_call_text(language: Language, row: Row, *, by_mail: bool) -> str:
    """Return the question: which butler calls what for whom, the arguments, the deadline, how to decide."""
    tool, approval_id = tool_of(row), row["approval_id"]
    head = (
        say(
            language,
            "{butler} wants to call {tool} for {name}:",
            butler=row["origin_butler"],
            tool=tool,
            name=person,
        )
        if (person := row["person"])
        else say(language, "{butler} wants to call {tool}:", butler=row["origin_butler"], tool=tool)
    )
    how = say(
        language,
        "It is not called unless somebody approves before {moment}: {approve} or {deny}",
        moment=moment_text(row["expires_at"]),
        approve=f"butlers approve {approval_id}",
        deny=f"butlers deny {approval_id}",
    )
    if by_mail:
        how += "\n" + say(language, 'Or answer this mail: "yes" or "no" alone in its first line decides.')
    return f"{head}\n\n{shown_arguments(row['arguments'])}\n\n{how}"
