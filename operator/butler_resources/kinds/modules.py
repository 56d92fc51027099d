"""The block `modules` of the Messenger: the channels that it owns (MSG-11, MSR-02, D41).

Only bot scope exists (D48): credentials come from references, and a channel without a block is off.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from butler_resources.kinds.base import HttpUrl, ResourceModel, SecretRef, Server, ShortText
from butler_resources.kinds.rules import Rule

__all__ = ["EmailBot", "Modules", "SentMailbox", "TelegramBot"]


class TelegramBot(ResourceModel):
    """A Telegram bot that sends, replies and reacts."""

    token_secret_ref: SecretRef = Field(description="Secret and key that hold the bot's token.")
    api_base_url: HttpUrl | None = Field(
        default=None, description="Bot API server; by default https://api.telegram.org."
    )


class SentMailbox(Server):
    """Where the account's sent mail can be read: the evidence for an uncertain delivery (D41)."""

    name: ShortText = Field(default="Sent", description="Folder of sent mail.")


class EmailBot(ResourceModel):
    """A mail account that sends and replies."""

    address: ShortText = Field(description="The account's address, also its user name.")
    password_secret_ref: SecretRef = Field(description="Secret and key that hold the account's password.")
    smtp: Server = Field(description="Server that takes outgoing mail.")
    sent_mailbox: SentMailbox | None = Field(
        default=None, description="Where sent mail is filed: evidence for a delivery that broke off."
    )
    sent_autofile: bool = Field(
        default=False, description="Whether the provider itself files what is sent by SMTP (D41)."
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="!self.sentAutofile || has(self.sentMailbox)",
            message="`sentAutofile: true` needs `sentMailbox`: the place to look for what was sent",
            holds=lambda bot: not bot.sent_autofile or bot.sent_mailbox is not None,
        ),
    )


class TelegramModule(ResourceModel):
    """Telegram, by scope."""

    bot: TelegramBot = Field(description="The account in whose name Messenger speaks.")


class EmailModule(ResourceModel):
    """E-mail, by scope."""

    bot: EmailBot = Field(description="The account in whose name Messenger speaks.")


class Modules(ResourceModel):
    """The channels that Messenger delivers to."""

    telegram: TelegramModule | None = Field(
        default=None, description="Telegram, when given: Messenger sends, replies and reacts there."
    )
    email: EmailModule | None = Field(
        default=None, description="E-mail, when given: Messenger sends and replies by SMTP."
    )
