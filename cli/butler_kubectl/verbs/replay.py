"""`kubectl butler replay`: send again what failed for good, once."""

from __future__ import annotations

import click

from butler_kubectl.household import ClusterHousehold
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.operations import Wish
from butler_kubectl.targets import Wanted, by_id, id_of
from butler_kubectl.writing import Manner, confirm, perform, write_options

__all__ = ["replay"]

EPILOG = """\b
Examples:
  kubectl replay dead-letter/019ca8d9-0b40-7000-8000-000000000001 --reason "bank is up again"
  kubectl butler replay 019ca8d9-0b40 --reason "bank is up again"
"""


@click.command("replay", short_help="Replay dead letters.", epilog=EPILOG)
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@click.option(
    "--resend-uncertain",
    is_flag=True,
    help="Also resend what may have arrived: you have checked, and accept that it may be read twice.",
)
@write_options
def replay(
    kubectl: Kubectl, ids: tuple[str, ...], resend_uncertain: bool, reason: str, manner: Manner
) -> int:
    """Send the failed parts of requests, or deliveries, again. What succeeded is not repeated.

    ID is request/ID, dead-letter/ID or delivery/ID. For a bare id or a unique prefix, the household is asked what
    it names.
    """
    targets = _targets(kubectl, ids)
    if resend_uncertain:
        if any(one.kind == "Request" for one in targets):
            raise click.UsageError("--resend-uncertain is for deliveries; replay a request without.")
        confirm(manner, f"Sending {' '.join(ids)} again, though it may have arrived,")
    params = {"resendUncertain": "true"} if resend_uncertain else {}
    return perform(kubectl, Wish("replay", reason, params), targets, manner)


def _targets(kubectl: Kubectl, ids: tuple[str, ...]) -> list[Wanted]:
    written = [by_id(text) for text in ids]
    if all(written):
        return [one for one in written if one is not None]
    with ClusterHousehold(kubectl) as household:
        return [one or id_of(household, text) for text, one in zip(ids, written, strict=True)]
