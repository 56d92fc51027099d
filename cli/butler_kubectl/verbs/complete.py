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


@click.command("complete", short_help="Declare requests done that are under way.", epilog=EPILOG)
@click.argument("ids", nargs=-1, required=True, metavar="REQUEST_ID…")
@write_options
def complete(kubectl: Kubectl, ids: tuple[str, ...], reason: str, manner: Manner) -> int:
    """Declare them done, because somebody has seen to it: their butlers are stopped.

    The reason is kept as the annotation of their end. The beginning of an id is enough.
    """
    targets = requests_of(kubectl, ids)
    confirm(manner, f"Completing {' '.join(one.short for one in targets)}")
    return perform(kubectl, Wish("complete", reason), targets, manner)
