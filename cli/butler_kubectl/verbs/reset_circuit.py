"""`kubectl butler reset-circuit`: send through a channel again, without waiting for its next probe."""

from __future__ import annotations

import click

from butler_kubectl.kubectl import Kubectl
from butler_kubectl.operations import Wish
from butler_kubectl.targets import CIRCUIT, Wanted
from butler_kubectl.writing import Manner, perform, write_options

__all__ = ["reset_circuit"]

EPILOG = """\b
Example:
  kubectl butler reset-circuit telegram --reason "the line is back"
"""


@click.command("reset-circuit", short_help="Close the circuit breaker of a channel.", epilog=EPILOG)
@click.argument("channel", type=click.Choice(["telegram", "email"]), metavar="CHANNEL")
@write_options
def reset_circuit(kubectl: Kubectl, channel: str, reason: str, manner: Manner) -> int:
    """Close the circuit breaker of CHANNEL, telegram or email. Waiting messages go out, new ones are accepted.

    If the provider still does not answer, the circuit opens again after as many failures as before.
    """
    return perform(kubectl, Wish("reset", reason), [Wanted(CIRCUIT, channel)], manner)
