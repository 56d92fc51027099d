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


@click.command("cancel", short_help="End requests that are under way.", epilog=EPILOG)
@click.argument("ids", nargs=-1, required=True, metavar="REQUEST_ID…")
@write_options
def cancel(kubectl: Kubectl, ids: tuple[str, ...], reason: str, manner: Manner) -> int:
    """End them: what their butlers have not done is not done any more, and whoever wrote is told so.

    What was done or told before stays. The beginning of an id is enough.
    """
    targets = requests_of(kubectl, ids)
    confirm(manner, f"Cancelling {' '.join(one.short for one in targets)}")
    return perform(kubectl, Wish("cancel", reason), targets, manner)
