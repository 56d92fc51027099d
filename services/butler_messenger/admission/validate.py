"""PURE: is this call a notify that Messenger may act on (MSG-4.1, MSG-6.1, MSG-13, MSG-13.1, D1, D2)?

The order is fixed: envelope, caller, lineage, origin, context. Every refusal is a `validation_error` and
happens before anything is read or written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from butler_contracts.context import RequestContext
from butler_contracts.errors import ValidationFailed
from butler_contracts.notify import NotifyRequestV1
from butler_contracts.parse import parse
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.auth import Caller, trusted_caller

__all__ = ["Wish", "authenticated_wish", "check_addressed", "read_envelope", "read_notify"]

_LINEAGE: Final = (
    "request_id",
    "source_channel",
    "source_endpoint_identity",
    "source_sender_identity",
    "source_thread_identity",
    "source_message_identity",
    "reply_policy",
    "sender_class",
    "automatic",
)
"""The fields that a notify's context must share with the route's, which Switchboard vouches for."""


@dataclass(frozen=True, slots=True)
class Wish:
    """An authenticated notify and the route envelope that carries it."""

    envelope: RouteEnvelopeV1
    notify: NotifyRequestV1

    @property
    def context(self) -> RequestContext | None:
        """The request it belongs to; None for a message that answers nothing."""
        return self.notify.request_context

    @property
    def alone(self) -> bool:
        """Whether it answers a message that went to no other butler."""
        inner = self.envelope.input.context
        return inner is not None and inner.lineage is not None and inner.lineage.alone is not None


def read_envelope(data: Mapping[str, Any]) -> RouteEnvelopeV1:
    """Parse `route.v1` with its embedded `notify.v1`; `ContractViolation` names path and expectation."""
    return parse(RouteEnvelopeV1, data)


def read_notify(data: Mapping[str, Any], caller: Caller) -> NotifyRequestV1:
    """Parse a `notify.v1` that is only asked about; a token that asserts an origin allows only that origin.

    Raises `ContractViolation`, which names path and expectation, and `ValidationFailed`.
    """
    notify = parse(NotifyRequestV1, data)
    if caller.origin is not None:
        _check_claimed(notify, caller.origin)
    return notify


def authenticated_wish(
    envelope: RouteEnvelopeV1, caller: Caller, *, trusted: Sequence[str], own_name: str
) -> Wish:
    """Return the notify if `caller` may make it for its token's origin; `ValidationFailed` otherwise."""
    trusted_caller(caller, trusted)
    if envelope.caller is not None and envelope.caller.endpoint_identity != caller.subject:
        claimed = envelope.caller.endpoint_identity
        raise ValidationFailed(
            f"caller.endpoint_identity says '{claimed}', the token says '{caller.subject}'"
        )
    check_addressed(envelope, own_name)
    notify = envelope.input.context.notify_request if envelope.input.context is not None else None
    if notify is None:
        raise ValidationFailed("input.context.notify_request is missing; expected notify.v1")
    _check_origin(envelope, notify, caller)
    _check_lineage(envelope.request_context, notify.request_context)
    return Wish(envelope, notify)


def check_addressed(envelope: RouteEnvelopeV1, own_name: str) -> None:
    """Refuse an envelope for another butler."""
    if envelope.target.butler != own_name:
        raise ValidationFailed(f"target.butler is '{envelope.target.butler}'; this is '{own_name}'")


def _check_origin(envelope: RouteEnvelopeV1, notify: NotifyRequestV1, caller: Caller) -> None:
    if caller.origin is None:
        raise ValidationFailed(
            f"the token of '{caller.subject}' asserts no origin butler; it needs the claim origin"
        )
    _check_claimed(notify, caller.origin)
    lineage = envelope.input.context.lineage if envelope.input.context is not None else None
    if lineage is None or lineage.origin_butler != caller.origin:
        raise ValidationFailed(
            f"input.context.lineage.origin_butler is not the token's origin '{caller.origin}'"
        )


def _check_claimed(notify: NotifyRequestV1, origin: str) -> None:
    if notify.origin_butler != origin:
        raise ValidationFailed(
            f"origin_butler says '{notify.origin_butler}', the token's origin is '{origin}'"
        )


def _check_lineage(root: RequestContext, claimed: RequestContext | None) -> None:
    if claimed is None:
        return
    for field in _LINEAGE:
        if getattr(claimed, field) != getattr(root, field):
            raise ValidationFailed(
                f"notify_request.request_context.{field} differs from the route's request_context"
            )
