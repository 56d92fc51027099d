"""Hold or release a butler, as the household's operator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import quote

from butler_cli.client.answers import entries_of
from butler_cli.client.household import running_household
from butler_cli.client.ops import NotFound, OpsClient
from butler_cli.errors import UserError
from butler_cli.local.state import StateDir

__all__ = ["change_hold"]


def change_hold(
    state: StateDir, butler: str, action: Literal["quarantine", "release"], body: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the butler's new state. Raises `UserError`, for an unknown one naming those that there are."""
    if not str(body["reason"]).strip():
        raise UserError("--reason is empty; say why, for who asks later")
    with OpsClient(running_household(state)) as ops:
        try:
            return ops.post(f"/butlers/{quote(butler, safe='')}/{action}", body)
        except NotFound:
            known = [str(entry.get("name")) for entry in entries_of(ops.get("/butlers"), "butlers")]
            raise UserError(
                f"no butler {butler!r} in this household; it has {', '.join(known) or 'none'}"
            ) from None
