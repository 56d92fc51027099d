"""`kubectl butler cancel`: end requests that are under way."""

from __future__ import annotations

import click

from butler_kubectl.kubectl import Kubectl
from butler_kubectl.operations import Wish
from butler_kubectl.targets import requests_of
from butler_kubectl.writing import Manner, confirm, perform, write_options

__all__ = ["cancel"]

EPILOG = """\b
Example:
  kubectl butler cancel 019ca8d9-0b40 --reason "written twice"
"""


@click.command("cancel", short_help="Cancel requests in progress.", epilog=EPILOG)
@click.argument("ids", nargs=-1, required=True, metavar="REQUEST_ID…")
@write_options
def cancel(kubectl: Kubectl, ids: tuple[str, ...], reason: str, manner: Manner) -> int:
    """Cancel requests in progress: remaining work is dropped, and their senders are told.

    What was already done or sent stays. A unique prefix of an id is enough.
    """
    targets = requests_of(kubectl, ids)
    confirm(manner, f"Cancelling {' '.join(one.short for one in targets)}")
    return perform(kubectl, Wish("cancel", reason), targets, manner)
