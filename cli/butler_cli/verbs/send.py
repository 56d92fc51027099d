"""`butlers send`: give the running household a message, as one of its own connectors would."""

from __future__ import annotations

import sys
from typing import Any, Final
from uuid import UUID

import click

from butler_cli.client.envelopes import CONNECTOR_TYPE_OF, Typed, address_fault, envelope_of
from butler_cli.client.household import RunningHousehold, running_household
from butler_cli.client.life import Life, Notification
from butler_cli.client.ops import OpsClient
from butler_cli.client.sources import connector_for
from butler_cli.client.waiting import Waited, wait_for_end
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir
from butler_cli.output import words
from butler_cli.output.screen import line_of, print_document, text_of
from butler_cli.verbs.options import json_option, state_option
from butler_contracts.text import storable

__all__ = ["send"]

TIERS: Final = ("default", "interactive", "high_priority")
ERRORED: Final = 1
TIMED_OUT: Final = 3


@click.command("send", short_help="Send the household a message.")
@click.option("--channel", required=True, type=click.Choice(list(CONNECTOR_TYPE_OF)), help="Channel to use.")
@click.option(
    "--from", "sender", required=True, metavar="ID", help="Sender: Telegram id, mail address, or name (api)."
)
@click.option("--thread", metavar="ID", help="Conversation; Telegram: the chat, by default the sender's own.")
@click.option("--tier", type=click.Choice(TIERS), help="Priority; by default as the connector does it.")
@click.option("--wait", is_flag=True, help="Wait for the request to end and print the replies.")
@click.option(
    "--timeout",
    "timeout_s",
    default=60.0,
    show_default=True,
    type=click.FloatRange(0, 3600),
    metavar="S",
    help="With --wait: maximum seconds to wait.",
)
@click.argument("text", nargs=-1, required=True)
@json_option
@state_option
def send(
    channel: str,
    sender: str,
    thread: str | None,
    tier: str | None,
    wait: bool,
    timeout_s: float,
    text: tuple[str, ...],
    as_json: bool,
    state: StateDir,
) -> None:
    """Send the household a message and print its request id.

    With --wait the replies follow. Exit code 1 if the request failed, 3 if it did not end in time.
    """
    said = storable(" ".join(text))
    fault = address_fault(channel, sender, thread)
    if fault is None and not said.strip():
        fault = "the message is empty; give its text after the options"
    if fault is not None:
        raise UserError(fault)
    household = running_household(state)
    accepted = _submit(household, channel, sender, thread, tier, said)
    request_id: UUID = accepted["request_id"]
    if not wait:
        _print_accepted(accepted, as_json)
        return
    if not as_json:
        click.echo(str(request_id))
        sys.stdout.flush()
    with OpsClient(household) as ops:
        waited = wait_for_end(household, ops, request_id, timeout_s=timeout_s)
    _print_end(accepted, waited, timeout_s, as_json)
    code = _exit_code(waited)
    if code:
        click.get_current_context().exit(code)


def _submit(
    household: RunningHousehold, channel: str, sender: str, thread: str | None, tier: str | None, text: str
) -> dict[str, Any]:
    """Submit the message, with its tier lowered to what the connector may use, and return the answer."""
    from butler_cli.client.submit import submit
    from butler_kit.time import SystemClock, new_uuid7

    connector = connector_for(household, channel)
    now = SystemClock().now()
    wanted = tier or ("default" if channel == "email" else "interactive")
    if TIERS.index(wanted) > TIERS.index(connector.spec.max_tier):
        if tier is not None:
            click.echo(
                f"butlers: connector {connector.name} may use tier {connector.spec.max_tier} at most; "
                f"{tier} is lowered to that",
                err=True,
            )
        wanted = connector.spec.max_tier
    typed = Typed(
        channel=channel,
        endpoint_identity=connector.spec.endpoint_identity,
        sender=sender,
        thread=thread,
        tier=wanted,
        text=text,
        now=now,
        new_id=new_uuid7(now),
    )
    answer = submit(household, envelope_of(typed))
    return {
        "request_id": answer.request_id,
        "status": answer.status,
        "duplicate": answer.duplicate,
        "connector": connector.name,
    }


def _print_accepted(accepted: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_document(accepted)
    else:
        click.echo(str(accepted["request_id"]))


def _exit_code(waited: Waited) -> int:
    if not waited.ended:
        return TIMED_OUT
    return ERRORED if waited.life.lifecycle_state in ("errored", "cancelled") else 0


def _print_end(accepted: dict[str, Any], waited: Waited, timeout_s: float, as_json: bool) -> None:
    life = waited.life
    if as_json:
        print_document({**accepted, **_document(life), "ended": waited.ended})
        return
    for line in _lines(life):
        click.echo(line)
    hint = f"`butlers trace {life.request_id}` tells the whole of it"
    if not waited.ended:
        click.echo(f"butlers: not finished after {timeout_s:g} s; {hint}", err=True)
    elif life.lifecycle_state in ("errored", "cancelled"):
        click.echo(f"butlers: {line_of(words.ending(life)[0])}; {hint}", err=True)
    elif not _replies(life) and life.answer is None:
        click.echo(f"butlers: nobody was told anything: {words.replies(life.decisions)}; {hint}", err=True)


def _lines(life: Life) -> list[str]:
    lines = [text_of(life.answer)] if life.answer is not None and not _replies(life) else []
    for item in _replies(life):
        to = item.recipient or ("the owner" if item.intent == "send" else "the sender")
        state = _state(item, life)
        lines.append(f"[{item.origin_butler}] {text_of(item.message_excerpt)}")
        lines.append(f"  ({item.channel} to {to}: {state})")
    return lines


def _replies(life: Life) -> list[Notification]:
    return [item for item in life.notifications if item.intent in ("reply", "send")]


def _state(item: Notification, life: Life) -> str:
    known = {delivery.delivery_id: delivery.status for delivery in life.deliveries}
    return known.get(item.delivery_id or "") or item.delivery_state or item.error_class or item.status


def _document(life: Life) -> dict[str, Any]:
    return {
        "state": life.lifecycle_state,
        "butlers": list(dict.fromkeys(item.target for item in life.subroutes)),
        "reply": life.answer,
        "replies": [
            {
                "butler": item.origin_butler,
                "intent": item.intent,
                "channel": item.channel,
                "text": item.message_excerpt,
                "state": _state(item, life),
                "delivery_id": item.delivery_id,
            }
            for item in _replies(life)
        ],
        "error": life.error.model_dump() if life.error else None,
        "seconds": (life.final_state_at - life.received_at).total_seconds() if life.final_state_at else None,
    }
