"""The environment of the IMAP connector."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, SecretStr

from butler_connectors.base.settings import CursorEnvironment
from butler_kit.mail.account import MailAccount, SettingNames

__all__ = ["ImapEnvironment"]

_NAMES: Final = SettingNames(
    login="spec.imap.username and the Secret of spec.imap.passwordSecretRef (IMAP_USERNAME, IMAP_PASSWORD)",
    tls="spec.imap.tls (IMAP_TLS)",
    mailbox="spec.imap.mailbox (IMAP_MAILBOX)",
)


class ImapEnvironment(CursorEnvironment):
    """The mailbox and how it is reached; `none` is for test servers on this machine."""

    imap_host: Annotated[str, Field(alias="IMAP_HOST", min_length=1)]
    imap_port: Annotated[int, Field(alias="IMAP_PORT", ge=1, le=65535)] = 993
    imap_tls: Annotated[Literal["implicit", "starttls", "none"], Field(alias="IMAP_TLS")] = "implicit"
    username: Annotated[str, Field(alias="IMAP_USERNAME", min_length=1)]
    password: Annotated[SecretStr, Field(alias="IMAP_PASSWORD")]
    mailbox: Annotated[str, Field(alias="IMAP_MAILBOX", min_length=1)] = "INBOX"

    @property
    def account(self) -> MailAccount:
        """The mailbox as a session wants it."""
        return MailAccount(
            host=self.imap_host,
            port=self.imap_port,
            tls=self.imap_tls,
            username=self.username,
            password=self.password.get_secret_value(),
            mailbox=self.mailbox,
            settings=_NAMES,
        )
