"""`kubectl butler correct`: say which butler a request was for."""

from __future__ import annotations

import click

from butler_kubectl.kubectl import Kubectl
from butler_kubectl.operations import Wish
from butler_kubectl.targets import requests_of
from butler_kubectl.writing import Manner, perform, write_options

__all__ = ["correct"]

EPILOG = """\b
Example:
  kubectl butler correct 019ca8d9-0b40 --to health --reason "it was never finance's"
"""


@click.command("correct", short_help="Say whose a request was; the wrong butler takes back.", epilog=EPILOG)
@click.argument("own_id", metavar="REQUEST_ID")
@click.option("--to", required=True, metavar="BUTLER", help="Whose it was.")
@click.option("--of", "butler", metavar="BUTLER", help="Whose part, where it has more than one.")
@write_options
def correct(kubectl: Kubectl, own_id: str, to: str, butler: str | None, reason: str, manner: Manner) -> int:
    """Give it to the butler whose it was, in the same words; the one that had it takes back what it noted.

    The beginning of the id is enough.
    """
    params = {"to": to} | ({"butler": butler} if butler is not None else {})
    return perform(kubectl, Wish("correct", reason, params), requests_of(kubectl, (own_id,)), manner)
