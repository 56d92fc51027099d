"""PURE: which recipients are allowed at all (MSG-13, D22, D23).

Invariant: a sender whom the household does not answer is reached neither by `reply` or `react` nor by a `send`
that is a reply in disguise.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from butler_contracts.addresses import comparable_address
from butler_contracts.context import RequestContext
from butler_contracts.errors import ValidationFailed
from butler_contracts.notify import NotifyRequestV1
from butler_messenger.admission.identity import chat_of_thread, normalised_identity

__all__ = ["RecipientPolicy", "check_answerable", "check_not_disguised", "check_told"]

_WHY: Final = {
    "owner": "its sender is not of the household; tell the owner with intent 'send'",
    "none": "nobody is told of it (automatic mail, backfill or catch-up)",
}


@dataclass(frozen=True, slots=True)
class RecipientPolicy:
    """An empty `allow` means everyone; entries are identities or patterns such as `*@example.org`.

    A domain may be written as people do or in the letters of DNS.
    """

    allow: Sequence[str] = ()
    deny: Sequence[str] = ()

    def check(self, channel: str, target: str) -> None:
        """Raise `ValidationFailed` for a target that the lists forbid; `deny` overrides `allow`."""
        if _listed(self.deny, channel, target):
            raise ValidationFailed(
                f"the recipient is on [delivery] deny_recipients of this household ({channel})"
            )
        if self.allow and not _listed(self.allow, channel, target):
            raise ValidationFailed(f"the recipient is not on [delivery] allow_recipients ({channel})")


def _listed(patterns: Sequence[str], channel: str, target: str) -> bool:
    spelled = {target.lower(), _readable(target.lower())}
    forms = spelled | {f"{channel}:{one}" for one in spelled}
    wanted = [unicodedata.normalize("NFC", pattern.strip().lower()) for pattern in patterns]
    return any(fnmatchcase(form, pattern) for pattern in wanted for form in forms)


def _readable(target: str) -> str:
    """Return an address with its domain as people write it; what is not encoded for DNS stays as it is."""
    name, at, domain = target.rpartition("@")
    if not at or "xn--" not in domain:
        return target
    import idna  # only those who write to such a domain pay for its tables

    try:
        return f"{name}@{idna.decode(domain)}"
    except UnicodeError:
        return target


def check_answerable(
    notify: NotifyRequestV1, *, own_address: str | None, own_message_ids: str | None
) -> None:
    """Refuse a reply or reaction to a request that must not be answered (D22, D23, RFC 3834).

    `own_message_ids` is the domain of our own Message-IDs, `own_address` our own mailbox: our own mail that
    came back is never answered.
    """
    context = notify.request_context
    if notify.delivery.intent == "send" or context is None:
        return
    intent = notify.delivery.intent
    if context.reply_policy != "allow":
        raise ValidationFailed(f"a {intent} is refused for this request: {_WHY[context.reply_policy]}")
    if context.automatic or context.sender_class != "household":
        raise ValidationFailed(f"a {intent} is refused for this request: {_WHY['none']}")
    if notify.delivery.channel == "email" and _is_ours(context, own_address, own_message_ids):
        raise ValidationFailed(f"a {intent} is refused: the mail it answers is our own")


def _is_ours(context: RequestContext, own_address: str | None, own_message_ids: str | None) -> bool:
    if own_address is not None:
        sender = comparable_address(context.source_sender_identity)
        if sender == comparable_address(own_address):
            return True
    message = (context.source_message_identity or "").strip("<> ").lower()
    return (
        own_message_ids is not None
        and message.startswith("butlers.")
        and message.endswith(f"@{own_message_ids}")
    )


def check_told(notify: NotifyRequestV1, *, household: bool) -> None:
    """Refuse to tell anyone outside the household what a stranger or a machine wrote (D22).

    Such a text may ask its reader to write to somebody; no message to an outsider may result from it.
    """
    context = notify.request_context
    if context is None or context.reply_policy == "allow" or household:
        return
    raise ValidationFailed("what came from outside the household is told to the household only")


def check_not_disguised(notify: NotifyRequestV1, target: str) -> None:
    """Refuse a `send` to the sender of a request that is not answered."""
    context = notify.request_context
    if notify.delivery.intent != "send" or context is None or context.reply_policy == "allow":
        return
    if context.source_channel != notify.delivery.channel:
        return
    channel, thread = notify.delivery.channel, context.source_thread_identity or ""
    places = (context.source_sender_identity, chat_of_thread(channel, thread))
    if target in {normalised_identity(channel, place) for place in places if place}:
        raise ValidationFailed("a send to the sender of this request is refused: that sender is not answered")
