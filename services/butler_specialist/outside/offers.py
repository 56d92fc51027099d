"""Which tools of a server a session is offered, and what is wrong with the others (pure).

Invariants: nothing is offered that the configuration does not allow, whatever the server lists; every provider
accepts the name, and it is never that of a tool of ours; only the configuration, or the server where that is
silent, makes a tool read-only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from butler_kit.config import ToolServerConfig
from butler_kit.runtime.fence import plain
from butler_specialist.outside.model import Listed, Offer
from butler_specialist.outside.schemas import UnfitSchema, bounded_schema

__all__ = ["MOST_DESCRIBED", "OWN_TOOLS", "Offers", "fitting", "offers_of"]

OWN_TOOLS: Final = frozenset(
    {
        "record_add",
        "record_search",
        "record_update",
        "record_forget",
        "notify",
        "answer",
        "ask",
        "say_nothing",
    }
)
_LONGEST_NAME: Final = 64
_DESCRIPTION: Final = 500
MOST_DESCRIBED: Final = 48_000
"""The most UTF-8 bytes of all tools of a session."""


@dataclass(frozen=True, slots=True)
class Offers:
    """The tools offered; `amiss` says what to do about each allowed tool that cannot be."""

    tools: tuple[Offer, ...] = ()
    amiss: tuple[str, ...] = ()


def offers_of(server: ToolServerConfig, listed: Sequence[Listed]) -> Offers:
    """Return what is offered of `server`, in the order of its configuration."""
    known = {tool.tool: tool for tool in listed}
    offered: list[Offer] = []
    amiss: list[str] = []
    for allowed in server.allow:
        found = known.get(allowed)
        if found is None:
            amiss.append(f"{server.name} has no tool {allowed}; correct spec.tools[].allow, or the server")
            continue
        try:
            offered.append(_offer(server, found, [one.name for one in offered]))
        except (UnfitSchema, SchemaError) as unfit:
            why = unfit if isinstance(unfit, UnfitSchema) else "its arguments are described wrongly"
            amiss.append(f"{server.name}: {allowed} is not offered: {why}")
    return Offers(tuple(offered), tuple(amiss))


def fitting(offers: Sequence[Offer]) -> Offers:
    """Return as many of all servers' tools, in order, as fit: each question repeats their descriptions."""
    kept: list[Offer] = []
    amiss: list[str] = []
    left = MOST_DESCRIBED
    for offer in offers:
        left -= len(json.dumps([offer.name, offer.description, offer.schema], ensure_ascii=False).encode())
        if left >= 0:
            kept.append(offer)
        else:
            amiss.append(
                f"{offer.server}: {offer.tool} is not offered: all tools together take more than {MOST_DESCRIBED} "
                "bytes to describe; allow fewer"
            )
    return Offers(tuple(kept), tuple(amiss))


def _offer(server: ToolServerConfig, listed: Listed, taken: Collection[str]) -> Offer:
    schema = bounded_schema(listed.schema)
    Draft202012Validator.check_schema(schema)
    read_only = server.may_repeat(listed.tool, hinted=listed.reads_only)
    return Offer(
        server=server.name,
        tool=listed.tool,
        name=_name(server.name, listed.tool, taken),
        description=plain(listed.description, most=_DESCRIPTION),
        schema=schema,
        read_only=read_only,
        waits=server.waits(destructive=listed.destructive and not read_only),
    )


def _name(server: str, tool: str, taken: Collection[str]) -> str:
    """Return `server_tool` in the letters that providers accept; with a digest if too long or taken."""
    whole = f"{server}_{tool}"
    name = re.sub(r"[^A-Za-z0-9_-]", "_", whole)
    if len(name) <= _LONGEST_NAME and name not in taken and name not in OWN_TOOLS:
        return name
    mark = sha256(whole.encode()).hexdigest()[:8]
    return f"{name[: _LONGEST_NAME - 9]}_{mark}"
