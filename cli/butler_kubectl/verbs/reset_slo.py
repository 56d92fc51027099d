"""`kubectl butler reset-slo`: lift the slowdown of a tight channel before it ends by itself."""

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


@click.command("reset-slo", short_help="End the slowdown of a channel.", epilog=EPILOG)
@click.argument("channel", type=click.Choice(["telegram", "email"]), metavar="CHANNEL")
@write_options
def reset_slo(kubectl: Kubectl, channel: str, reason: str, manner: Manner) -> int:
    """End the slowdown of CHANNEL, telegram or email. Its past deliveries no longer count.

    If its deliveries keep failing or being late, it is slowed down again.
    """
    return perform(kubectl, Wish("reset", reason), [Wanted(SERVICE_LEVEL, channel)], manner)
