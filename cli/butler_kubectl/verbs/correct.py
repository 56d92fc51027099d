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


@click.command(
    "correct", short_help="Reroute a request and withdraw what the wrong butler recorded.", epilog=EPILOG
)
@click.argument("own_id", metavar="REQUEST_ID")
@click.option("--to", required=True, metavar="BUTLER", help="Butler that should have got it.")
@click.option("--of", "butler", metavar="BUTLER", help="Butler to take it from, if several have a part.")
@write_options
def correct(kubectl: Kubectl, own_id: str, to: str, butler: str | None, reason: str, manner: Manner) -> int:
    """Give a request to the right butler, with the same text. The wrong butler withdraws what it recorded.

    A unique prefix of the id is enough.
    """
    params = {"to": to} | ({"butler": butler} if butler is not None else {})
    return perform(kubectl, Wish("correct", reason, params), requests_of(kubectl, (own_id,)), manner)
