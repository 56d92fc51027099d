"""`butlers records withdraw|edit|undo`: an operator's changes to one record, as on its dashboard page."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, Final
from uuid import uuid4

import click

from butler_cli.client.household import running_household
from butler_cli.client.ops import OpsClient
from butler_cli.client.records import find_record
from butler_cli.client.specialists import specialists
from butler_cli.client.tools import call_switchboard
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output.screen import print_document
from butler_cli.verbs.options import json_option, state_option
from butler_contracts.record_orders import EDITABLE, FieldProblems, RecordVerb, read_values, tool_of

__all__ = ["edit", "undo", "withdraw"]

_reason = click.option(
    "--reason", required=True, metavar="TEXT", help="Reason for the audit log, shown on request."
)
_OPTIONS: Final = {
    "title": "--about",
    "occurred_on": "--day",
    "occurred_at": "--at",
    "amount": "--sum",
    "quantity": "--number",
    "quantity_second": "--second",
    "party": "--with",
}
"""Fields whose option has another name than the record's field."""
_DONE: Final = {
    "withdraw": "withdrawn: nobody is answered with it any more; `butlers records undo {id}` puts it back, for a day",
    "edit": "changed; `butlers records undo {id}` puts back what it was, for a day",
    "undo": "as it was before its last change",
}


@click.command("withdraw", short_help="Stop using a record in answers.")
@click.argument("own_id", metavar="ID")
@_reason
@json_option
@state_option
def withdraw(own_id: str, reason: str, as_json: bool, state: StateDir) -> None:
    """Withdraw a record. It is kept but no longer used in answers, and can be restored for a day.

    ID is from `butlers records`; a unique prefix is enough.
    """
    _order("withdraw", own_id, reason, {}, as_json=as_json, state=state)


@click.command("undo", short_help="Undo the last change of a record.")
@click.argument("own_id", metavar="ID")
@_reason
@json_option
@state_option
def undo(own_id: str, reason: str, as_json: bool, state: StateDir) -> None:
    """Undo the last change of a record, within a day, whoever made it. ID as for withdraw."""
    _order("undo", own_id, reason, {}, as_json=as_json, state=state)


@click.command("edit", short_help="Correct values of a record.")
@click.argument("own_id", metavar="ID")
@click.option("--text", metavar="TEXT", help="Text of the record, quoted in answers.")
@click.option("--about", "title", metavar="TEXT", help="Subject of the record.")
@click.option("--day", "occurred_on", metavar="DAY", help="Day the record is about: 2026-11-27.")
@click.option("--at", "occurred_at", metavar="HOUR", help='Time of day: 15:30; "" for none.')
@click.option("--sum", "amount", metavar="NUMBER", help="Amount: 66.50.")
@click.option("--currency", metavar="CODE", help="Currency of the amount: EUR.")
@click.option("--number", "quantity", metavar="NUMBER", help="Measured or counted value.")
@click.option("--second", "quantity_second", metavar="NUMBER", help="Second value of a measurement.")
@click.option("--unit", metavar="UNIT", help="Unit of the value.")
@click.option("--with", "party", metavar="NAME", help="Other person involved, or payee.")
@click.option("--place", metavar="PLACE", help='Place; "" for none.')
@click.option("--code", metavar="CODE", help="Booking number.")
@_reason
@json_option
@state_option
def edit(own_id: str, reason: str, as_json: bool, state: StateDir, **values: str | None) -> None:
    """Correct values of a record. The old values are kept and can be restored for a day. ID as for withdraw.

    \b
    Example:
        butlers records edit 0199c2d4 --sum 66 --text "Paid 66 EUR at Lidl" --reason "the receipt says so"
    """
    given = {name: value for name, value in values.items() if value is not None}
    if not given:
        raise UserError("what is to be different? Give --sum, --day or another value; --help names them")
    _order("edit", own_id, reason, given, as_json=as_json, state=state)


def _check(record: Mapping[str, Any], values: Mapping[str, str]) -> None:
    """Refuse what the butler would refuse too, by the names of the options; and to edit unread. Raises `UserError`."""
    if values and record.get("text") == "":
        raise UserError("it is private; whoever told it can change it, in their own chat")
    has = [name for name in EDITABLE if record.get(name) is not None]
    try:
        read_values(str(record.get("kind")), has, values)
    except FieldProblems as wrong:
        named = (f"{_OPTIONS.get(name, f'--{name}')}: {said}" for name, said in wrong.fields.items())
        raise UserError("; ".join(named)) from None


def _order(
    verb: RecordVerb, own_id: str, reason: str, values: dict[str, str], *, as_json: bool, state: StateDir
) -> None:
    if not reason.strip():
        raise UserError("--reason is empty; say why, for who asks later")
    household = running_household(state)
    with ExitStack() as open_:
        asked = {name: open_.enter_context(OpsClient(household, name)).get for name in specialists(household)}
        record = find_record(asked, own_id)
    _check(record, values)
    said: dict[str, Any] = {
        "butler": record["butler"],
        "record_id": record["record_id"],
        "version": record["version"],
        "values": values,
        "reason": reason,
        "idempotency_key": str(uuid4()),
    }
    answer = call_switchboard(household, tool_of(verb), said, refused="not done")
    if as_json:
        print_document(answer)
        return
    done = _DONE[verb].format(id=record["record_id"])
    click.echo(f"record {record['record_id']} of {record['butler']} is {done}")
