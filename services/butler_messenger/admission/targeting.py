"""Decides whether and to whom a notify may go: for an admission, a replay, or a preflight check (MSG-6.2)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from butler_contracts.errors import ValidationFailed
from butler_contracts.notify import NotifyRequestV1
from butler_messenger.admission.conversation import MailConversations
from butler_messenger.admission.policy import (
    RecipientPolicy,
    check_answerable,
    check_not_disguised,
    check_told,
)
from butler_messenger.admission.resolve import ContactBook, MissingIdentifier, Target, resolve
from butler_messenger.attachments.origins import AttachmentRules

__all__ = ["TargetRules", "Targeting"]


@dataclass(frozen=True, slots=True)
class TargetRules:
    """The rules of the decision; `own_address` and `mail_domain` belong to the household's mail account."""

    channels: Collection[str]
    recipients: RecipientPolicy
    own_address: str | None = None
    mail_domain: str | None = None
    attachments: AttachmentRules = field(default_factory=AttachmentRules)


class Targeting:
    """Checks a notify in a fixed order: channel, files, reply policy, target, recipient lists. Writes nothing."""

    def __init__(self, rules: TargetRules, contacts: ContactBook, conversations: MailConversations) -> None:
        self._rules = rules
        self._contacts = contacts
        self._conversations = conversations

    async def target(self, notify: NotifyRequestV1) -> Target | MissingIdentifier:
        """Return the target, or the contact whose identifier is missing. Raises `ValidationFailed`."""
        rules, channel = self._rules, notify.delivery.channel
        if channel not in rules.channels:
            known = ", ".join(sorted(rules.channels)) or "none"
            raise ValidationFailed(f"delivery.channel '{channel}' has no adapter here; configured: {known}")
        rules.attachments.check(notify)
        check_answerable(notify, own_address=rules.own_address, own_message_ids=rules.mail_domain)
        target = await resolve(notify, self._contacts)
        if isinstance(target, Target):
            rules.recipients.check(channel, target.identity)
            check_not_disguised(notify, target.identity)
            await self._conversations.check(notify, target.thread)
        if notify.request_context is not None and notify.request_context.reply_policy != "allow":
            check_told(notify, household=await self._is_household(channel, target))
        return target

    async def _is_household(self, channel: str, target: Target | MissingIdentifier) -> bool:
        """Return whether the target is in the household; without an identifier only the owner counts."""
        if isinstance(target, Target):
            return await self._contacts.is_household(channel, target.identity)
        owner = await self._contacts.owner()
        return owner is not None and owner.contact_id == target.contact_id
