"""`butlers inbox`: search the household's mailbox, read one mail, route recent mails by hand."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.household import running_household
from butler_cli.client.tools import call_messenger
from butler_cli.local.state import StateDir
from butler_cli.output.lists.inbox import mail_text, mails_table, routed_table
from butler_cli.output.screen import line_of, print_document, show
from butler_cli.verbs.options import json_option, state_option

__all__ = ["inbox"]

_MOST = 50
_few = click.option(
    "--limit", type=click.IntRange(1, _MOST), default=20, show_default=True, help="Maximum number of mails."
)


@click.group("inbox", short_help="Search, read and route the household's mailbox.")
def inbox() -> None:
    """Search, read and route the household's mailbox. No mail is marked, moved or deleted.

    The messenger's manifest configures it: spec.modules.email.bot.inbox.
    """


@inbox.command("search", short_help="List mails, newest first.")
@click.argument("text", required=False)
@click.option("--from", "sender", metavar="WORDS", help="Only with this in the sender's name or address.")
@click.option("--subject", metavar="WORDS", help="Only with this in the subject.")
@click.option(
    "--days", type=click.IntRange(1, 366), default=30, show_default=True, help="How many days to look back."
)
@click.option("--before", metavar="MAIL", help="Only mails older than MAIL; the previous page names it.")
@_few
@json_option
@state_option
def search(
    text: str | None,
    sender: str | None,
    subject: str | None,
    days: int,
    before: str | None,
    limit: int,
    as_json: bool,
    state: StateDir,
) -> None:
    """List mails that contain TEXT, or all recent mails. `butlers inbox read MAIL` shows one."""
    said = {"text": text, "sender": sender, "subject": subject, "before": before}
    answer = _asked(state, "email_search_inbox", within_days=days, limit=limit, **said)
    if as_json:
        print_document(answer)
        return
    found = entries_of(answer, "messages")
    show(mails_table(found, now=datetime.now(UTC)) if found else "no such mail")
    _more(answer, "--before")


@inbox.command("read", short_help="Show one mail.")
@click.argument("mail")
@click.option(
    "--max-chars",
    type=click.IntRange(1, 50_000),
    default=20_000,
    show_default=True,
    help="Maximum number of characters.",
)
@json_option
@state_option
def read(mail: str, max_chars: int, as_json: bool, state: StateDir) -> None:
    """Show one mail: text with quotes, and names of attachments. MAIL is from `butlers inbox search`."""
    answer = _asked(state, "email_read_message", message=mail, max_chars=max_chars)
    if as_json:
        print_document(answer)
    else:
        click.echo(mail_text(answer))


@inbox.command("route", short_help="Hand recent mails to Switchboard.")
@click.option(
    "--hours", type=click.IntRange(1, 168), default=24, show_default=True, help="How many hours to look back."
)
@click.option("--after", metavar="MAIL", help="Only mails newer than MAIL; the previous page names it.")
@_few
@json_option
@state_option
def route(hours: int, after: str | None, limit: int, as_json: bool, state: StateDir) -> None:
    """Hand recent mails to Switchboard, as their connector would. Known mails make no second request."""
    answer = _asked(state, "email_check_and_route_inbox", within_hours=hours, limit=limit, after=after)
    if as_json:
        print_document(answer)
        return
    found = entries_of(answer, "messages")
    show(routed_table(found) if found else "nothing came in that time")
    _more(answer, "--after")


def _asked(state: StateDir, tool: str, **arguments: Any) -> dict[str, Any]:
    given = {name: value for name, value in arguments.items() if value is not None}
    return call_messenger(running_household(state), tool, given, refused="the mailbox was not asked")


def _more(answer: dict[str, Any], option: str) -> None:
    """Print the hint on stderr, so that a list stays a list."""
    if answer.get("next"):
        click.echo(line_of(f"there are more: {option} {answer['next']}"), err=True)
