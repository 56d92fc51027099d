"""`kubectl butler reset-slo`: lift what a tight service level holds back before it ends by itself."""

from __future__ import annotations

import click

from butler_kubectl.kubectl import Kubectl
from butler_kubectl.operations import Wish
from butler_kubectl.targets import SERVICE_LEVEL, Wanted
from butler_kubectl.writing import Manner, perform, write_options

__all__ = ["reset_slo"]

EPILOG = """\b
Example:
  kubectl butler reset-slo telegram --reason "it was one broken chat"
"""


@click.command("reset-slo", short_help="End the slowdown of a service level.", epilog=EPILOG)
@click.argument("name", type=click.Choice(["switchboard", "telegram", "email"]), metavar="NAME")
@write_options
def reset_slo(kubectl: Kubectl, name: str, reason: str, manner: Manner) -> int:
    """End the slowdown of NAME: switchboard, or the channel telegram or email. What happened before no longer counts.

    If as much keeps failing or being late, it is slowed down again.
    """
    return perform(kubectl, Wish("reset", reason), [Wanted(SERVICE_LEVEL, name)], manner)
