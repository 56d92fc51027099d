"""What a person should change in a household that runs all the same. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from butler_kit.runtime.api.packages import HOW_THEY_COME
from butler_resources.kinds import Manifests
from butler_resources.kinds.base import SecretRef
from butler_resources.kinds.mail_proof import MAIL_TYPES, how_to_prove, unproven
from butler_resources.render import attachments_token, calendar_secret
from butler_resources.render.thinking import asked

__all__ = ["Missing", "calendars_off", "models_note", "notes_of", "stores_without_token", "unproven_mail"]

Missing = Callable[[SecretRef], str | None]
"""Returns what to do about an unresolved reference; None for a resolved one."""


def notes_of(manifests: Manifests, missing: Missing) -> tuple[str, ...]:
    """Return lines for `butlers check`, `up` and `status`; none if nothing needs to be changed."""
    return (
        *unproven_mail(manifests),
        *calendars_off(manifests, missing),
        *stores_without_token(manifests, missing),
    )


def models_note(manifests: Manifests, *, installed: bool) -> tuple[str, ...]:
    """Return who could ask no model here, for `check` and `up`; running butlers report it themselves."""
    names = [
        butler.name for butler in manifests.butlers if any(block.family == "api" for block in asked(butler))
    ]
    if installed or not names:
        return ()
    asks = "asks" if len(names) == 1 else "ask"
    return (f"{', '.join(names)} {asks} a model, and the packages for it are not here: {HOW_THEY_COME}",)


def unproven_mail(manifests: Manifests) -> Iterator[str]:
    """Yield at most one note: mailboxes from which no mail counts as a member's."""
    switchboard = next((butler for butler in manifests.butlers if butler.spec.role == "switchboard"), None)
    mailboxes = [
        connector.spec.endpoint_identity
        for connector in manifests.connectors
        if connector.spec.type in MAIL_TYPES and not connector.spec.suspend
    ]
    blind = unproven(switchboard.spec.routing if switchboard else None, mailboxes)
    if blind:
        yield how_to_prove(blind)


def calendars_off(manifests: Manifests, missing: Missing) -> Iterator[str]:
    """Yield calendars whose named secret is missing; one that names none is off on purpose."""
    for butler in manifests.butlers:
        secret = calendar_secret(butler)
        why = missing(secret) if secret is not None else None
        if why is not None:
            yield f"the calendar of {butler.name} is off: {why}"


def stores_without_token(manifests: Manifests, missing: Missing) -> Iterator[str]:
    """Yield butlers whose token for file stores is missing: such stores give none, and messages say so."""
    for butler in manifests.butlers:
        token = attachments_token(butler)
        why = missing(token) if token is not None else None
        if why is not None:
            yield f"{butler.name} fetches files without a token: {why}"
