"""What the specialists of a household are asked, one after another: the same wherever it runs."""

from __future__ import annotations

from typing import Any, Final

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.ops import OpsClient
from butler_cli.client.protocol import Household
from butler_cli.errors import UserError

__all__ = ["RUNS", "ask_schedules", "butler_option", "specialists"]

SWITCHBOARD: Final = "switchboard"
RUNS: Final = 10
"""How many runs of each schedule a document has; a table shows the last."""
butler_option = click.option("--butler", metavar="NAME", help="Only schedules of this butler.")


def specialists(household: Household, named: str | None = None) -> list[str]:
    """Return the butlers that keep records, or the named one. Raises `UserError` for an unknown one."""
    known = list(household.specialists())
    if named is None or named in known:
        return known if named is None else [named]
    raise UserError(f"no butler {named!r} keeps records here; there are {', '.join(known) or 'none'}")


def ask_schedules(household: Household, *, butler: str | None, runs: int) -> dict[str, Any]:
    """Return the butlers' schedules, each with its butler and last runs, under `schedules`. Raises `UserError`.

    Switchboard's native jobs are among them only if `butler` names it.
    """
    names = [SWITCHBOARD] if butler == SWITCHBOARD else specialists(household, butler)
    found = [entry for name in names for entry in _entries(household, name, runs)]
    if butler is None:
        own = _entries(household, SWITCHBOARD, runs)
        found += [entry for entry in own if entry.get("kind") == "prompt"]
    return {"schedules": found}


def _entries(household: Household, name: str, runs: int) -> list[dict[str, Any]]:
    with OpsClient(household, name) as ops:
        entries = entries_of(ops.get("/schedules", limit=runs), "schedules")
    return [{"butler": name, **entry} for entry in entries]
