"""`butlers trace`: the whole life of a request in words: its sender, text, decision, work and replies."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from butler_cli.client.household import running_household
from butler_cli.client.life import life_of
from butler_cli.client.ops import OpsClient
from butler_cli.client.outside import read_outside
from butler_cli.client.reading import find_request, read_life
from butler_cli.local.state import StateDir
from butler_cli.output.screen import print_document, show
from butler_cli.output.steps import steps_of
from butler_cli.output.timeline import timeline
from butler_cli.verbs.options import json_option, state_option

__all__ = ["trace"]


@click.command("trace", short_help="Show the full history of a request.")
@click.argument("request_id", metavar="REQUEST_ID")
@json_option
@state_option
def trace(request_id: str, as_json: bool, state: StateDir) -> None:
    """Show the full history of a request, in order of time. A unique prefix of the id is enough."""
    household = running_household(state)
    with OpsClient(household) as ops:
        found = read_life(household, ops, find_request(ops, request_id))
    outside, unasked = read_outside(household, found.document)
    document = {**found.document, **outside}
    if as_json:
        print_document(document)
        return
    life = life_of({**document, "deliveries": document["deliveries"] or []})
    show(timeline(life, steps_of(life, now=datetime.now(UTC)), missing=found.missing, unasked=unasked))
