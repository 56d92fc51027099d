"""The inbox that `[modules.email.bot.inbox]` names; the mail code is imported only if there is one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from butler_kit.mcp import ToolCalls
from butler_kit.time import Clock
from butler_messenger.settings import MessengerConfig

if TYPE_CHECKING:
    from butler_messenger.inbox.desk import InboxDesk

__all__ = ["configured_inbox"]


def configured_inbox(
    config: MessengerConfig, env: Mapping[str, str], switchboard: ToolCalls, clock: Clock
) -> InboxDesk | None:
    """Return the account's inbox; None if none is configured."""
    bot = config.modules.email.bot if config.modules.email is not None else None
    if bot is None or not bot.enabled or bot.inbox is None:
        return None
    from butler_kit.mail.account import MailAccount, SettingNames
    from butler_kit.mail.normalize import MailSource
    from butler_messenger.inbox.desk import InboxDesk
    from butler_messenger.inbox.mailbox import Mailbox

    inbox, table = bot.inbox, "[modules.email.bot.inbox]"
    account = MailAccount(
        host=inbox.host,
        port=inbox.port,
        tls=inbox.tls,
        username=env[bot.address_env].strip(),
        password=env[bot.password_env],
        mailbox=inbox.name,
        settings=SettingNames(
            login="the account's address and password", tls=f"{table} tls", mailbox=f"{table} name"
        ),
    )
    source = MailSource(endpoint_identity=inbox.endpoint_identity, mailbox=inbox.name)
    return InboxDesk(Mailbox(account), source, switchboard, clock)
