"""`kubectl butler deny`: refuse what waits for an approval, so that it is never sent or called."""

from __future__ import annotations

import click

from butler_kubectl.kubectl import Kubectl
from butler_kubectl.operations import Wish
from butler_kubectl.targets import approvals_of
from butler_kubectl.writing import Manner, confirm, perform, write_options

__all__ = ["deny"]

EPILOG = """\b
Example:
  kubectl butler deny 019ca8d9-0b40-7000-8000-000000000001 --reason "not by mail"
"""


@click.command("deny", short_help="Deny waiting messages or calls.", epilog=EPILOG)
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@write_options
def deny(kubectl: Kubectl, ids: tuple[str, ...], reason: str, manner: Manner) -> int:
    """Deny messages or calls. They are never sent or made, and the butlers that asked for them are told.

    ID is from `kubectl butler approvals`; a unique prefix is enough.
    """
    targets = approvals_of(kubectl, ids)
    confirm(manner, f"Denying {' '.join(one.short for one in targets)}")
    return perform(kubectl, Wish("deny", reason), targets, manner)
