"""`butlers contacts`: show the people of the household, or add one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.verbs.options import json_option, state_option

if TYPE_CHECKING:
    from butler_resources.kinds.contacts import Contact

__all__ = ["contacts"]

TAKEN_OVER = "the household knows them within ten seconds"


def _manifests_option(command: Any) -> Any:
    """`-f DIR`, needed only if the contacts have another name than the usual one."""
    return click.option(
        "-f",
        "directory",
        metavar="DIR",
        type=click.Path(path_type=Path),
        help="Manifests of a household that is not up, if they use another name for the contacts' secret.",
    )(command)


@click.group(short_help="List or add people of the household.")
def contacts() -> None:
    """List or add people of the household. A household that is up picks up changes within seconds."""


@contacts.command("list")
@json_option
@_manifests_option
@state_option
def list_(as_json: bool, directory: Path | None, state: StateDir) -> None:
    """List everybody: name, role, addresses and personal settings."""
    from butler_cli.local.contacts_file import known_people
    from butler_cli.output.screen import print_document, show
    from butler_cli.output.tables import Column, table

    people = known_people(state, directory).root
    if as_json:
        print_document({"contacts": [person.model_dump(mode="json", by_alias=True) for person in people]})
        return
    columns = (
        Column("NAME"),
        Column("ROLE"),
        Column("WRITES AS", gives="flexible"),
        Column("OWN SETTINGS", gives="flexible"),
    )
    ways = [
        ", ".join(f"{one.type} {one.value}{' (first)' if one.primary else ''}" for one in person.identifiers)
        for person in people
    ]
    rows = [(one.name, one.role, way, own_settings(one)) for one, way in zip(people, ways, strict=True)]
    show(table(columns, rows))


def own_settings(person: Contact) -> str:
    """Return `timezone America/New_York, quietHours 22:00-07:00` in the file's terms, or an empty string."""
    quiet = person.quiet_hours
    said = {
        "language": person.language,
        "timezone": person.timezone,
        "quietHours": f"{quiet.start}-{quiet.end}" if quiet is not None else None,
        "digestAt": person.digest_at,
        **_limits(person),
    }
    return ", ".join(f"{name} {value}" for name, value in said.items() if value is not None)


def _limits(person: Contact) -> dict[str, str | None]:
    """`may ask general+travel, asks first for finance, between 07:00-20:00`."""
    limits = person.limits
    if limits is None:
        return {}
    hours = limits.hours
    return {
        "may ask": "+".join(limits.butlers) or "nobody" if limits.butlers is not None else None,
        "asks first for": "+".join(limits.ask_first) or None,
        "between": f"{hours.start}-{hours.end}" if hours is not None else None,
    }


@contacts.command()
@click.argument("name")
@click.option("--telegram", metavar="ID", help="Telegram user id.")
@click.option("--email", metavar="ADDRESS", help="Email address they write from.")
@click.option("--api", metavar="NAME", help="Sender name for messages over HTTP.")
@click.option(
    "--role",
    type=click.Choice(["adult", "child", "guest", "member", "other"]),
    default="adult",
    show_default=True,
    help="Adults, children and guests may give instructions and get replies; others are only known by name.",
)
@click.option(
    "--may-ask", metavar="BUTLER,…", help="Butlers that they may ask. Default: all; for a guest, general."
)
@click.option(
    "--ask-first", metavar="BUTLER,…", help="Butlers that get a request of theirs once the owner agrees."
)
@click.option("--hours", metavar="FROM-TO", help="Hours in which they may ask, such as 07:00-20:00.")
@click.option("--language", metavar="LANGUAGE", help="Language: en, de, fr or es. Default: the household's.")
@click.option("--timezone", metavar="ZONE", help="Their time zone, such as America/New_York.")
@click.option("--quiet-hours", metavar="FROM-TO", help="Do-not-disturb hours, such as 22:00-07:00.")
@click.option("--digest-at", metavar="HH:MM", help="Time of their daily digest.")
@_manifests_option
@state_option
def add(
    name: str,
    telegram: str | None,
    email: str | None,
    api: str | None,
    role: str,
    may_ask: str | None,
    ask_first: str | None,
    hours: str | None,
    language: str | None,
    timezone: str | None,
    quiet_hours: str | None,
    digest_at: str | None,
    directory: Path | None,
    state: StateDir,
) -> None:
    """Add a person called NAME. The preferred way to reach them is --telegram, else --email, else --api.

    \b
    Example:
        butlers contacts add "Ben Example" --telegram 123456789 --email ben@example.org
    """
    from butler_cli.local.contacts_file import contacts_file

    ways = {"telegram": telegram, "email": email, "api": api}
    given = [{"type": kind, "value": value.strip()} for kind, value in ways.items() if value]
    if not given:
        raise UserError("how do they write? Give --telegram ID, --email ADDRESS or --api NAME")
    identifiers: list[dict[str, Any]] = [{**given[0], "primary": True}, *given[1:]]
    file = contacts_file(state, directory)
    own = {
        "language": language,
        "timezone": timezone,
        "quietHours": _hours("--quiet-hours", quiet_hours),
        "digestAt": digest_at,
        "limits": _said_limits(may_ask, ask_first, hours),
    }
    entry = {"name": " ".join(name.split()), "role": role, "identifiers": identifiers}
    kept = file.add(entry | {key: value for key, value in own.items() if value is not None})
    click.echo(f"{name} is in {file.path}")
    if not kept:
        click.echo("note: the file could not be added to as it was written, so its comments are gone")
    if state.supervisor_pid() is not None:
        click.echo(TAKEN_OVER)


def _said_limits(may_ask: str | None, ask_first: str | None, hours: str | None) -> dict[str, Any] | None:
    """Return the limits in the file's form; None if none are given."""
    said = {
        "butlers": _names(may_ask),
        "askFirst": _names(ask_first),
        "hours": _hours("--hours", hours),
    }
    return {key: value for key, value in said.items() if value is not None} or None


def _names(said: str | None) -> list[str] | None:
    return [name.strip() for name in said.split(",") if name.strip()] if said is not None else None


def _hours(option: str, said: str | None) -> dict[str, str] | None:
    """Return the hours in the file's form; their values are checked with the rest of it."""
    if said is None:
        return None
    start, dash, end = said.partition("-")
    if not dash:
        raise UserError(f"{option} is {said!r}; expected such as 22:00-07:00")
    return {"start": start.strip(), "end": end.strip()}
