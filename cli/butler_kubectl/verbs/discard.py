"""`kubectl butler discard`: close what failed for good; it is kept, and never sent again."""

from __future__ import annotations

import click

from butler_kubectl.household import ClusterHousehold
from butler_kubectl.kubectl import Kubectl
from butler_kubectl.operations import Wish
from butler_kubectl.targets import Wanted, by_id, id_of
from butler_kubectl.writing import Manner, confirm, perform, write_options

__all__ = ["discard"]

EPILOG = """\b
Example:
  kubectl butler discard dead-letter/019ca8d9-0b40-7000-8000-000000000001 --reason "told by phone"
"""


@click.command("discard", short_help="Close dead letters without sending them again.", epilog=EPILOG)
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@write_options
def discard(kubectl: Kubectl, ids: tuple[str, ...], reason: str, manner: Manner) -> int:
    """Close dead letters for good. Their records stay for 90 days.

    ID is dead-letter/ID or delivery/ID. For request/ID, a bare id or a unique prefix, the household is asked what
    it names.
    """
    targets = _targets(kubectl, ids)
    confirm(manner, f"Discarding {' '.join(one.short for one in targets)}")
    return perform(kubectl, Wish("discard", reason), targets, manner)


def _targets(kubectl: Kubectl, ids: tuple[str, ...]) -> list[Wanted]:
    """Return the targets; a request cannot be discarded itself and stands for its one dead letter."""
    written = [one if one is None or one.kind != "Request" else None for one in map(by_id, ids)]
    if all(written):
        return [one for one in written if one is not None]
    with ClusterHousehold(kubectl) as household:
        return [one or id_of(household, text) for text, one in zip(ids, written, strict=True)]
