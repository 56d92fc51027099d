"""`kubectl butler release`: end the hold of an operator, or an automatic quarantine."""

from __future__ import annotations

import click

from butler_kubectl.flags import selector_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.operations import Wish
from butler_kubectl.targets import chosen
from butler_kubectl.writing import Manner, perform, write_options

__all__ = ["release"]

EPILOG = """\b
Example:
  kubectl butler release finance --reason "mended"
"""


@click.command("release", short_help="End the hold on butlers.", epilog=EPILOG)
@click.argument("names", nargs=-1, metavar="NAME…")
@selector_option
@write_options
def release(
    kubectl: Kubectl, names: tuple[str, ...], selector: str | None, reason: str, manner: Manner
) -> int:
    """End the hold on butlers or connectors. To end a hold set in a manifest, edit the manifest."""
    return perform(kubectl, Wish("release", reason), chosen(kubectl, names, selector), manner)
