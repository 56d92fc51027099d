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


@click.command("reset-slo", short_help="Slow a channel down no longer.", epilog=EPILOG)
@click.argument("channel", type=click.Choice(["telegram", "email"]), metavar="CHANNEL")
@write_options
def reset_slo(kubectl: Kubectl, channel: str, reason: str, manner: Manner) -> int:
    """Let CHANNEL, telegram or email, go: what it did until now counts no more.

    If its deliveries go on failing or being late, it is slowed down again.
    """
    return perform(kubectl, Wish("reset", reason), [Wanted(SERVICE_LEVEL, channel)], manner)
