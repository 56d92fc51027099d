"""`kubectl butler reroute`: give a part of a request to another butler."""

from __future__ import annotations

import click

from butler_cli.client.ops import OpsClient
from butler_cli.client.overrides import butler_of
from butler_kubectl.household import ClusterHousehold
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.operations import Wish
from butler_kubectl.targets import Wanted, requests_of
from butler_kubectl.writing import Manner, perform, write_options

__all__ = ["reroute"]

EPILOG = """\b
Example:
  kubectl butler reroute 019ca8d9-0b40 --to health --reason "a bill of the dentist"
"""


@click.command("reroute", short_help="Give a part of a request to another butler.", epilog=EPILOG)
@click.argument("own_id", metavar="REQUEST_ID")
@click.option("--to", required=True, metavar="BUTLER", help="Butler to give it to.")
@click.option("--of", "butler", metavar="BUTLER", help="Butler to take it from, if several have a part.")
@write_options
def reroute(kubectl: Kubectl, own_id: str, to: str, butler: str | None, reason: str, manner: Manner) -> int:
    """Give a part of a request, ended or not, to another butler, with the same text and request id.

    What the first butler recorded stays. A unique prefix of the id is enough.
    """
    [target] = requests_of(kubectl, (own_id,))
    params = {"butler": butler or _only_one(kubectl, target), "to": to}
    return perform(kubectl, Wish("reroute", reason, params), [target], manner)


def _only_one(kubectl: Kubectl, target: Wanted) -> str:
    with ClusterHousehold(kubectl) as household, OpsClient(household) as ops:
        return butler_of(ops.get(f"/requests/{target.key}"))
