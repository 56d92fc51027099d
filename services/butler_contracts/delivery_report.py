"""What a mail server says became of a mail that was handed to it (RFC 3464), as the connector read it. Pure.

Anybody may have made one up: what it is worth is for whoever sent the mail that it names.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from butler_contracts.base import StrictModel
from butler_contracts.text import STORABLE, Line

__all__ = ["RECIPIENTS_MAX", "DeliveryReportV1", "RecipientReportV1", "ReportedAction"]

RECIPIENTS_MAX: Final = 20

ReportedAction = Literal["failed", "delayed", "delivered", "relayed", "expanded"]


class RecipientReportV1(StrictModel):
    """What became of it for one recipient: `status` is an enhanced code such as 5.1.1 (RFC 3463)."""

    action: ReportedAction
    status: Annotated[str, Field(pattern=r"^[245]\.\d{1,3}\.\d{1,3}$")]
    diagnostic: Annotated[Line, Field(max_length=300)] | None = None


class DeliveryReportV1(StrictModel):
    """`message_id` is that of the mail it is about, in its angle brackets; None where the report does not say."""

    message_id: Annotated[str, Field(min_length=1, max_length=998), STORABLE] | None = None
    recipients: Annotated[tuple[RecipientReportV1, ...], Field(max_length=RECIPIENTS_MAX)] = ()
