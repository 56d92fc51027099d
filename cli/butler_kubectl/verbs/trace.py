"""`kubectl butler trace`: the whole life of a request in words, as `butlers trace` tells it."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from butler_cli.client.life import life_of
from butler_cli.client.ops import OpsClient
from butler_cli.client.reading import find_request, read_life
from butler_cli.output.screen import print_document, show
from butler_cli.output.steps import steps_of
from butler_cli.output.timeline import timeline
from butler_kubectl.documents import print_yaml
from butler_kubectl.flags import cluster_flags, output_option
from butler_kubectl.household import HINTS, ClusterHousehold
from butler_kubectl.kubectl import Kubectl

__all__ = ["trace"]


@click.command("trace", short_help="Show the full history of a request.")
@click.argument("request_id", metavar="REQUEST_ID")
@output_option("json", "yaml", "wide")
@cluster_flags
def trace(kubectl: Kubectl, request_id: str, output: str | None) -> None:
    """Show the full history of a request, in order of time. A unique prefix of the id is enough."""
    own_id = request_id.removeprefix("request/")
    with ClusterHousehold(kubectl) as household, OpsClient(household) as ops:
        found = read_life(household, ops, find_request(ops, own_id))
    if output in ("json", "yaml"):
        (print_document if output == "json" else print_yaml)(found.document)
        return
    life = life_of({**found.document, "deliveries": found.document["deliveries"] or []})
    steps = steps_of(life, now=datetime.now(UTC), program=HINTS.program)
    show(timeline(life, steps, missing=found.missing))
