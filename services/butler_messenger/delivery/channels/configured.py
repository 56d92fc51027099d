"""The channels that `[modules]` names, with their secrets from the environment (MSG-11.1, MSG-11.2, MSG-13).

A provider's library is imported only for a channel that is named.
"""

from __future__ import annotations

from collections.abc import Mapping

from butler_contracts.addresses import wire_address
from butler_kit.config import EmailBotConfig, TelegramBotConfig
from butler_kit.time import Clock
from butler_messenger.delivery.channels.port import Channel
from butler_messenger.settings import MessengerConfig

__all__ = ["configured_channels", "mail_address", "mail_domain"]


def configured_channels(config: MessengerConfig, env: Mapping[str, str], clock: Clock) -> dict[str, Channel]:
    """Return one channel per configured bot; each gets only its own credentials."""
    channels: dict[str, Channel] = {}
    telegram = config.modules.telegram
    if telegram is not None and telegram.bot is not None and telegram.bot.enabled:
        channels["telegram"] = _telegram(config, telegram.bot, env)
    account = _account(config)
    if account is not None:
        channels["email"] = _email(config, account, env, clock)
    return channels


def mail_address(config: MessengerConfig, env: Mapping[str, str]) -> str | None:
    """The household's own mail address; None without an e-mail bot."""
    account = _account(config)
    return env[account.address_env].strip() if account is not None else None


def mail_domain(config: MessengerConfig, env: Mapping[str, str]) -> str | None:
    """The domain of our own Message-IDs, in the letters of DNS."""
    address = mail_address(config, env)
    if address is None:
        return None
    domain = config.delivery.mail_domain or address.rpartition("@")[2]
    return wire_address(f"butlers@{domain}").rpartition("@")[2].lower()


def _account(config: MessengerConfig) -> EmailBotConfig | None:
    bot = config.modules.email.bot if config.modules.email is not None else None
    return bot if bot is not None and bot.enabled else None


def _telegram(config: MessengerConfig, bot: TelegramBotConfig, env: Mapping[str, str]) -> Channel:
    from butler_messenger.delivery.channels.telegram import TelegramChannel

    return TelegramChannel(
        token=env[bot.token_env],
        api_base_url=bot.api_base_url,
        timeout_s=config.timeout_s("telegram"),
        connect_timeout_s=config.connect_timeout_s("telegram"),
        connections=config.delivery.worker_count,
        glyphs=config.delivery.reaction_glyphs,
    )


def _email(config: MessengerConfig, account: EmailBotConfig, env: Mapping[str, str], clock: Clock) -> Channel:
    from butler_messenger.delivery.channels.email import EmailChannel
    from butler_messenger.delivery.channels.sent_mailbox import ImapSentMailbox

    address, password = env[account.address_env].strip(), env[account.password_env]
    sent = account.sent_mailbox
    return EmailChannel(
        address=address,
        password=password,
        server=account.smtp,
        domain=mail_domain(config, env) or "localhost",
        clock=clock,
        timeout_s=config.timeout_s("email"),
        step_timeout_s=config.connect_timeout_s("email"),
        sent_mailbox=ImapSentMailbox(sent, address, password) if sent is not None else None,
        autofile=account.sent_autofile,
        list_unsubscribe=account.list_unsubscribe,
    )
