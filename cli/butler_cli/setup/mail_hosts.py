"""PURE: a mailbox's servers: as its provider documents them, by convention, or as a person writes them."""

from __future__ import annotations

import ipaddress
import re
from typing import Final, get_args

from butler_cli.setup.answers import Unacceptable
from butler_resources.kinds.base import Server, TlsMode

__all__ = ["read_servers", "trusted_authserv", "usual_servers", "without_passwords"]

_KNOWN: Final = {
    "gmail.com": "imap.gmail.com smtp.gmail.com",
    "googlemail.com": "imap.gmail.com smtp.gmail.com",
    "icloud.com": "imap.mail.me.com smtp.mail.me.com:587",
    "me.com": "imap.mail.me.com smtp.mail.me.com:587",
    "gmx.de": "imap.gmx.net mail.gmx.net",
    "gmx.net": "imap.gmx.net mail.gmx.net",
    "web.de": "imap.web.de smtp.web.de:587",
    "yahoo.com": "imap.mail.yahoo.com smtp.mail.yahoo.com",
    "posteo.de": "posteo.de posteo.de",
}
_ONLY_OAUTH: Final = frozenset({"outlook.com", "hotmail.com", "live.com", "msn.com"})
"""Microsoft's own mailboxes take no password from programs since September 2024."""
_AUTHSERV: Final = {"imap.gmail.com": "mx.google.com"}
"""IMAP server → the name that its provider writes at the head of Authentication-Results."""
_PORT: Final = {
    "IMAP": {"implicit": 993, "starttls": 143, "none": 143},
    "SMTP": {"implicit": 465, "starttls": 587, "none": 25},
}
_STARTTLS_PORTS: Final = (25, 143, 587)
_WRITTEN: Final = re.compile(r"(?P<host>[A-Za-z0-9._-]{1,200})(:(?P<port>\d{1,5}))?(/(?P<tls>[a-z]{1,20}))?")


def usual_servers(address: str) -> str:
    """Return the proposal for a mailbox: its IMAP and its SMTP server."""
    domain = address.rpartition("@")[2].lower()
    return _KNOWN.get(domain, f"imap.{domain} smtp.{domain}")


def without_passwords(address: str) -> bool:
    """Whether the provider of this mailbox lets no program in with a password."""
    return address.rpartition("@")[2].lower() in _ONLY_OAUTH


def trusted_authserv(imap: Server) -> str | None:
    """Return the server whose verdict proves a mail's sender at this provider; None if it is not known."""
    return _AUTHSERV.get(imap.host.lower())


def read_servers(text: str) -> tuple[Server, Server]:
    """Parse the IMAP and SMTP servers, each `host`, `host:port` or `host:port/starttls`.

    Raises `Unacceptable`.
    """
    words = text.replace(",", " ").split()
    if len(words) != 2:
        raise Unacceptable(
            f"'{text}' is not two servers; write the IMAP server, a blank and the SMTP server, "
            "such as imap.example.com smtp.example.com"
        )
    return _server(words[0], "IMAP"), _server(words[1], "SMTP")


def _server(word: str, kind: str) -> Server:
    written = _WRITTEN.fullmatch(word)
    if written is None:
        raise Unacceptable(
            f"'{word}' is no {kind} server; expected one such as mail.example.com or mail.example.com:587"
        )
    host, port = written["host"], int(written["port"] or 0)
    tls = written["tls"] or ("starttls" if port in _STARTTLS_PORTS else "implicit")
    if tls not in get_args(TlsMode):
        raise Unacceptable(f"'{word}': after / expected implicit, starttls or none, not {tls}")
    if tls == "none" and not _is_this_machine(host):
        raise Unacceptable(f"'{word}': without TLS the password would be readable on its way; use starttls")
    port = port if written["port"] else _PORT[kind][tls]
    if not 1 <= port <= 65535:
        raise Unacceptable(f"'{word}': {port} is no port; expected 1 to 65535")
    return Server.model_validate({"host": host, "port": port, "tls": tls})


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
