"""`kubectl butler resume`: set `spec.suspend: false`, and wait until everything runs."""

from __future__ import annotations

import click

from butler_kubectl.changing import Pace, change_options, perform_in_order
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.lifecycle import resuming

__all__ = ["resume"]

EPILOG = """\b
Examples:
  kubectl butler resume connector/telegram
  kubectl butler resume --all
"""


@click.command("resume", short_help="Resume suspended butlers or connectors.", epilog=EPILOG)
@change_options
def resume(kubectl: Kubectl, pace: Pace) -> int:
    """Resume suspended butlers or connectors: set `spec.suspend` to false.

    Order: Switchboard, Messenger, specialists, connectors; each starts only when the one before is ready.

    NAME is finance, butler/finance or connector/telegram.
    """
    return perform_in_order(kubectl, resuming(), pace)
