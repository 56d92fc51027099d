"""`kubectl butler suspend`: set `spec.suspend: true`, and wait until nothing runs."""

from __future__ import annotations

import click

from butler_kubectl.changing import Pace, change_options, perform_in_order
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.lifecycle import suspending

__all__ = ["suspend"]

EPILOG = """\b
Examples:
  kubectl butler suspend connector/telegram
  kubectl butler suspend --all
"""


@click.command("suspend", short_help="Stop butlers or connectors and keep their data.", epilog=EPILOG)
@change_options
def suspend(kubectl: Kubectl, pace: Pace) -> int:
    """Stop butlers or connectors until they are resumed: set `spec.suspend` to true. Their data is kept.

    Order: connectors first, Switchboard last. A manifest that sets `suspend` overrides this when it is applied again.

    NAME is finance, butler/finance or connector/telegram.
    """
    return perform_in_order(kubectl, suspending(), pace)
