"""`kubectl butler restart`: new pods, by the same rollout as for any change of a butler or connector."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from butler_kubectl.changing import Pace, change_options, perform_in_order
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.lifecycle import restarting

__all__ = ["restart"]

EPILOG = """\b
Examples:
  kubectl butler restart finance connector/telegram
  kubectl butler restart --all
"""


@click.command("restart", short_help="Restart butlers or connectors.", epilog=EPILOG)
@change_options
def restart(kubectl: Kubectl, pace: Pace) -> int:
    """Restart butlers or connectors with new pods, by the same rollout as for any change.

    Order: Switchboard, Messenger, specialists, connectors; each starts only when the one before is ready. No pod is
    deleted: a butler's old pod serves until its new one does.

    NAME is finance, butler/finance or connector/telegram.
    """
    return perform_in_order(kubectl, restarting(now()), pace)


def now() -> str:
    """Return a value that distinguishes this restart from the one before."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
