"""What a person should change in a household that runs all the same. Pure."""

from __future__ import annotations

from butler_resources.kinds import Manifests
from butler_resources.kinds.mail_proof import MAIL_TYPES, how_to_prove, unproven

__all__ = ["notes_of"]


def notes_of(manifests: Manifests) -> tuple[str, ...]:
    """Lines for `butlers up` and `butlers status`; none when nothing is to be changed."""
    switchboard = next((butler for butler in manifests.butlers if butler.spec.role == "switchboard"), None)
    mailboxes = [
        connector.spec.endpoint_identity
        for connector in manifests.connectors
        if connector.spec.type in MAIL_TYPES and not connector.spec.suspend
    ]
    blind = unproven(switchboard.spec.routing if switchboard else None, mailboxes)
    return (how_to_prove(blind),) if blind else ()
