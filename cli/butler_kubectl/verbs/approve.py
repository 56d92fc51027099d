"""`kubectl butler approve`: approve messages, and calls, that wait for it."""

from __future__ import annotations

import click

from butler_cli.client.approvals import ALWAYS_MOST_DAYS
from butler_cli.client.filters import Length
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.operations import Wish
from butler_kubectl.targets import approvals_of
from butler_kubectl.writing import Manner, perform, write_options

__all__ = ["approve"]

EPILOG = """\b
Example:
  kubectl butler approve 019ca8d9-0b40-7000-8000-000000000001 --reason "Ben asked for it"
"""


@click.command("approve", short_help="Approve waiting messages or calls.", epilog=EPILOG)
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@click.option(
    "--always",
    "always_for_s",
    type=Length(ALWAYS_MOST_DAYS),
    metavar="LENGTH",
    help="For this long, also allow this butler's messages to this recipient in the same way, or the same call with "
    "the same arguments: 12h, 30d, at most 90d.",
)
@write_options
def approve(
    kubectl: Kubectl, ids: tuple[str, ...], always_for_s: int | None, reason: str, manner: Manner
) -> int:
    """Approve messages or calls. Each is sent or made once.

    ID is from `kubectl butler approvals`; a unique prefix is enough.
    """
    params = {} if always_for_s is None else {"alwaysForSeconds": str(always_for_s)}
    return perform(kubectl, Wish("approve", reason, params), approvals_of(kubectl, ids), manner)
