"""`kubectl butler quarantine`: hold butlers or connectors, by a ButlerOperation."""

from __future__ import annotations

import click

from butler_cli.client.filters import Until
from butler_kubectl.flags import selector_option
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.operations import Wish
from butler_kubectl.targets import chosen
from butler_kubectl.writing import Manner, perform, write_options

__all__ = ["quarantine"]

EPILOG = """\b
Examples:
  kubectl quarantine finance --reason "wrong sums"
  kubectl butler quarantine butler/finance --until 2h --reason "its bank is down"
"""


@click.command("quarantine", short_help="Hold butlers: they get no new messages.", epilog=EPILOG)
@click.argument("names", nargs=-1, metavar="NAME…")
@click.option(
    "--until", type=Until(), metavar="WHEN", help="End of a butler's hold: 30m, 2h, 7d, a timestamp (UTC)."
)
@selector_option
@write_options
def quarantine(
    kubectl: Kubectl,
    names: tuple[str, ...],
    until: str | None,
    selector: str | None,
    reason: str,
    manner: Manner,
) -> int:
    """Hold butlers or connectors until they are released, or until WHEN. They finish work already begun.

    NAME is finance, butler/finance or connector/telegram.
    """
    targets = chosen(kubectl, names, selector)
    if until is not None and any(one.kind == "Connector" for one in targets):
        raise click.UsageError("--until is for butlers; hold a connector without it.")
    params = {} if until is None else {"until": until}
    return perform(kubectl, Wish("quarantine", reason, params), targets, manner)
