"""`kubectl butler complete`: declare requests that are under way done."""

from __future__ import annotations

import click

from butler_kubectl.kubectl import Kubectl
from butler_kubectl.operations import Wish
from butler_kubectl.targets import requests_of
from butler_kubectl.writing import Manner, confirm, perform, write_options

__all__ = ["complete"]

EPILOG = """\b
Example:
  kubectl butler complete 019ca8d9-0b40 --reason "paid by hand"
"""


@click.command("complete", short_help="Mark requests in progress as done.", epilog=EPILOG)
@click.argument("ids", nargs=-1, required=True, metavar="REQUEST_ID…")
@write_options
def complete(kubectl: Kubectl, ids: tuple[str, ...], reason: str, manner: Manner) -> int:
    """Mark requests in progress as done, if somebody has handled them. Their butlers are stopped.

    The reason is kept as their closing annotation. A unique prefix of an id is enough.
    """
    targets = requests_of(kubectl, ids)
    confirm(manner, f"Completing {' '.join(one.short for one in targets)}")
    return perform(kubectl, Wish("complete", reason), targets, manner)
