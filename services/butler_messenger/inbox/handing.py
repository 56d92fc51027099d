"""Submits a mail to Switchboard as its mailbox's connector would (D47), and reports a duplicate as such."""

from __future__ import annotations

from typing import Any, Final

from butler_contracts.errors import TargetUnavailable
from butler_contracts.ingest import IngestAcceptedResponse, IngestEnvelopeV1
from butler_contracts.parse import parse
from butler_contracts.text import excerpt
from butler_kit.auth import KeyFileError
from butler_kit.mail.normalize import NormalisedMail
from butler_kit.mcp import ToolCalls, ToolError
from butler_kit.sources.events import Malformed, Skipped

__all__ = ["handed_over"]

_WORDS_CHARS: Final = 300
_CALL_TIMEOUT_S: Final = 10.0


async def handed_over(switchboard: ToolCalls, mail: NormalisedMail) -> dict[str, Any]:
    """Return `status` accepted, duplicate, skipped or refused, with the request or the reason.

    Raises `TargetUnavailable` if Switchboard cannot take it now: nothing is then known about this mail and those
    after it, and a later call submits the missing ones, since the others are duplicates.
    """
    if isinstance(mail.content, Skipped | Malformed):
        gone = isinstance(mail.content, Skipped)
        return {"status": "skipped" if gone else "refused", "reason": mail.content.reason}
    try:
        accepted = await _submitted(switchboard, mail.content)
    except ToolError as error:
        detail = error.error
        if detail is None or detail.retryable:
            raise _not_now(error, None if detail is None else detail.retry_after_s) from None
        return {"status": "refused", "reason": excerpt(detail.message, limit=_WORDS_CHARS)}
    except (OSError, KeyFileError) as error:
        raise _not_now(error, None) from None
    status = "duplicate" if accepted.duplicate else "accepted"
    return {"status": status, "request_id": str(accepted.request_id)}


async def _submitted(switchboard: ToolCalls, envelope: IngestEnvelopeV1) -> IngestAcceptedResponse:
    document = {"envelope": envelope.to_wire()}
    return parse(
        IngestAcceptedResponse,
        await switchboard.call("ingestion.ingest", document, timeout_s=_CALL_TIMEOUT_S),
    )


def _not_now(error: Exception, retry_after_s: float | None) -> TargetUnavailable:
    said = excerpt(str(error), limit=_WORDS_CHARS) or type(error).__name__
    text = (
        f"Switchboard does not take the mails now ({said}); call again: what has entered does not enter twice"
    )
    return TargetUnavailable(text, retry_after_s=retry_after_s)
