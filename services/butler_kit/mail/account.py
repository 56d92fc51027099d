"""A mailbox and how it is reached (frozen models; pure)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = ["MailAccount", "SettingNames"]


@dataclass(frozen=True, slots=True)
class SettingNames:
    """The names of the settings in the place where a person corrects them."""

    login: str
    tls: str
    mailbox: str


@dataclass(frozen=True, slots=True)
class MailAccount:
    """One mailbox of one account; TLS `none` is for test servers on this machine."""

    host: str
    port: int
    tls: Literal["implicit", "starttls", "none"]
    username: str
    password: str = field(repr=False)
    mailbox: str
    settings: SettingNames
