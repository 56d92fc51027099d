"""`butlers memory`: how much butlers know of people, and having a person forgotten."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.household import running_household
from butler_cli.client.memory import ask_memory, forget_person, person_of
from butler_cli.client.protocol import Household
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output.lists.memory import silent_lines, table_of
from butler_cli.output.screen import line_of, print_document, show
from butler_cli.verbs.options import json_option, state_option

__all__ = ["memory"]


@click.command("memory", short_help="List how much butlers know of people, or have a person forgotten.")
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--forget-everything", is_flag=True, help="Erase at once what all butlers know of NAME.")
@click.option("--reason", metavar="TEXT", help="Reason for the audit log; needed with --forget-everything.")
@json_option
@state_option
def memory(
    name: str | None, forget_everything: bool, reason: str | None, as_json: bool, state: StateDir
) -> None:
    """List how much each butler that remembers knows of whom, or of NAME: numbers, not a word of it.

    NAME is a contact's name or id; a unique prefix of the id is enough. Whoever is no contact any more is listed too.
    """
    if not forget_everything:
        household = running_household(state)
        _show(household, person_of(household, name) if name is not None else None, as_json=as_json)
        return
    if name is None:
        raise UserError("say of whom: `butlers memory NAME --forget-everything --reason TEXT`")
    if reason is None or not reason.strip():
        raise UserError("--reason is empty; say why, for who asks later")
    household = running_household(state)
    answer = forget_person(household, person_of(household, name), reason)
    if as_json:
        print_document(answer)
        return
    told = ", ".join(f"{one.get('butler')} ({one.get('things')})" for one in entries_of(answer, "forgotten"))
    click.echo(line_of(f"all that was known of {answer.get('name') or name} is forgotten: {told}"))


def _show(household: Household, person: str | None, *, as_json: bool) -> None:
    answer = ask_memory(household, person)
    found = entries_of(answer, "known")
    if as_json:
        print_document(answer)
        return
    show(table_of(found, now=datetime.now(UTC)) if found else "nothing is known")
    for line in silent_lines(answer):
        click.echo(line_of(line))
