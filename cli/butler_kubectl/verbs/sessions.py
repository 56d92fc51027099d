"""`kubectl butler sessions`: the sessions of a request and their words, as `butlers sessions` shows them."""

from __future__ import annotations

import click

from butler_cli.client.sessions import read_sessions
from butler_cli.output.screen import print_document, show
from butler_cli.output.sessions import sessions_of
from butler_kubectl.documents import print_yaml
from butler_kubectl.flags import cluster_flags, output_option
from butler_kubectl.household import ClusterHousehold
from butler_kubectl.kubectl import Kubectl

__all__ = ["sessions"]


@click.command("sessions", short_help="Show the sessions of a request and their text.")
@click.argument("request_id", metavar="REQUEST_ID")
@click.option(
    "--operator",
    required=True,
    metavar="NAME",
    help="Read as this person from the chart's dashboard.operators.",
)
@output_option("json", "yaml", "wide")
@cluster_flags
def sessions(kubectl: Kubectl, request_id: str, operator: str, output: str | None) -> None:
    """Show the sessions of a request at Switchboard and at the specialists, in order of time.

    Includes what each model read and wrote, where `spec.runtime.transcripts` keeps it. The household's reader may not
    read that, so it takes a token of the person named by --operator. A unique prefix of the id is enough.
    """
    own_id = request_id.removeprefix("request/")
    with ClusterHousehold(kubectl, operator=operator) as household:
        found = read_sessions(household, own_id)
    if output in ("json", "yaml"):
        document = {**found.document, "missing": found.missing}
        (print_document if output == "json" else print_yaml)(document)
        return
    show(sessions_of(found.document, missing=found.missing))
