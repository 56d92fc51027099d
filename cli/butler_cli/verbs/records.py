"""`butlers records`: list what the household knows and who told it; withdraw, edit or restore a record."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Final

import click

from butler_cli.client.filters import limit_option, since_option
from butler_cli.client.household import running_household
from butler_cli.client.ops import OpsClient
from butler_cli.client.records import LOOKED_AT, Wanted, names_of, search
from butler_cli.client.specialists import specialists
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output.lists.records import table_of
from butler_cli.output.screen import print_document, show
from butler_cli.verbs.options import json_option, state_option
from butler_cli.verbs.record_orders import edit, undo, withdraw

__all__ = ["records"]


_LISTS: Final = "list"


class _ListUnlessVerb(click.Group):
    """A group that takes anything but a verb of records as search words."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        asks_help = bool(args) and args[0] in self.get_help_option_names(ctx)
        known = bool(args) and args[0] in self.commands
        return super().parse_args(ctx, args if known or asks_help else [_LISTS, *args])


@click.group(
    cls=_ListUnlessVerb,
    short_help="Search and change what the household knows.",
    commands={"withdraw": withdraw, "edit": edit, "undo": undo},
)
def records() -> None:
    """List or change the specialists' records. `butlers records [TEXT...]` is short for `butlers records list`."""


@records.command(_LISTS)
@click.argument("text", nargs=-1)
@click.option("--butler", metavar="NAME", help="Only records of this butler.")
@click.option("--kind", metavar="KIND", help="Only records of this kind, such as expense.")
@click.option("--person", metavar="NAME", help="Only records from this person: a name, a first name, an id.")
@click.option("--withdrawn", is_flag=True, help="Include withdrawn records.")
@since_option
@limit_option
@json_option
@state_option
def list_(
    text: tuple[str, ...],
    butler: str | None,
    kind: str | None,
    person: str | None,
    withdrawn: bool,
    since: str | None,
    limit: int,
    as_json: bool,
    state: StateDir,
) -> None:
    """List the specialists' records, last learned first. Each contains all words of TEXT.

    \b
    Examples:
        butlers records plumber --since 30d
        butlers records --butler finance --person Ben
    """
    household = running_household(state)
    wanted = Wanted(
        kind, since, person, tuple(word for part in text for word in part.split()), withdrawn, limit
    )
    with ExitStack() as open_:
        asked = {
            name: open_.enter_context(OpsClient(household, name)).get
            for name in specialists(household, butler)
        }
        found = search(asked, _names(state), wanted)
    if as_json:
        print_document({"records": found.records, "older_not_looked_at": found.older})
    else:
        show(table_of(found.records) if found.records else "nothing that is kept fits")
    if found.older and not as_json:
        names = ", ".join(found.older)
        click.echo(
            f"butlers: only the newest {LOOKED_AT} of {names} were looked at; --since or --kind narrow",
            err=True,
        )


def _names(state: StateDir) -> dict[tuple[str, str], str]:
    """Return names by identifier; without usable contacts, identifiers have to do."""
    from butler_cli.local.contacts_file import known_people
    from butler_resources.kinds import ManifestError

    try:
        return names_of(known_people(state).root)
    except (UserError, ManifestError):
        return {}
