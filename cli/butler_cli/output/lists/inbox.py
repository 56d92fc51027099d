"""PURE: mails of the household's mailbox as a person reads them, without the fence that tells a model what is data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.moments import age, timestamp
from butler_cli.output.screen import line_of, text_of
from butler_cli.output.tables import Column, table

__all__ = ["mail_text", "mails_table", "routed_table"]

_MAILS: Final = (
    Column("MAIL"),
    Column("AGE", "right"),
    Column("FROM", gives="flexible"),
    Column("SUBJECT", gives="flexible"),
    Column("SIZE", "right", gives="optional"),
)
_ROUTED: Final = (Column("MAIL"), Column("STATUS"), Column("REQUEST OR REASON", gives="flexible"))
_FROM, _SUBJECT = "From: ", "Subject: "


def mails_table(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """Return the mails of a search, a line each."""
    return table(_MAILS, [_row(one, now) for one in found])


def routed_table(found: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Return the outcome of each mail that was handed to Switchboard."""
    return table(
        _ROUTED,
        [
            (one.get("message"), one.get("status"), one.get("request_id") or one.get("reason"))
            for one in found
        ],
    )


def mail_text(mail: Mapping[str, Any]) -> str:
    """Return one mail: when it came, who wrote it about what, what is attached, and its text."""
    placed = f"Mail {line_of(mail.get('message'))}, received {timestamp(mail.get('received_at'))}"
    cut = "\n(cut: there is more of it in the mailbox)" if mail.get("is_cut") else ""
    return f"{placed}\n{text_of(_unfenced(mail)).rstrip()}{cut}"


def _row(mail: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    lines = _unfenced(mail).splitlines()
    return (
        mail.get("message"),
        age(mail.get("received_at"), now),
        _after(_FROM, lines),
        _after(_SUBJECT, lines),
        f"{int(mail.get('size_bytes') or 0):,}",
    )


def _after(head: str, lines: Sequence[str]) -> str | None:
    return next((line.removeprefix(head) for line in lines if line.startswith(head)), None)


def _unfenced(mail: Mapping[str, Any]) -> str:
    """Return what is between the two boundary lines."""
    _, _, within = str(mail.get("content") or "").partition("\n")
    return within.rpartition("\n")[0]
