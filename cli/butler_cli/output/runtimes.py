"""Which runtimes and tools are not available, why, and what is done meanwhile (pure, D28)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from butler_cli.output.screen import line_of
from butler_contracts.tool_servers import TOOLS_UNAVAILABLE

__all__ = ["Lack", "lacks_of", "notes_of"]


@dataclass(frozen=True, slots=True)
class Lack:
    """What `whose` needs and cannot get, in a line; `unable` means that nothing stands in for it."""

    whose: str
    said: str
    unable: bool


def lacks_of(runtime: Mapping[str, Any]) -> tuple[Lack, ...]:
    """Return what Switchboard's own runtime and the butlers' lack; nothing for an answer of another form."""
    told = runtime.get("butlers")
    of_butlers = told if isinstance(told, Mapping) else {}
    found = [_lack("switchboard", "", runtime, "messages are routed by", "messages go to general")]
    found += [
        _lack(
            name,
            f" of {name}",
            of_butlers[name],
            "it works by",
            "its messages wait for an outage, else end in an error",
        )
        for name in sorted(of_butlers)
    ]
    return tuple(one for one in found if one is not None)


def notes_of(runtime: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what looks odd about the models of Switchboard and the butlers, though they are not known to be away."""
    told = runtime.get("butlers")
    of_all = {"switchboard": runtime, **(told if isinstance(told, Mapping) else {})}
    notes = ((name, one.get("note")) for name, one in of_all.items() if isinstance(one, Mapping))
    return tuple(f"the runtime of {name}: {line_of(str(note))}" for name, note in notes if note)


def _lack(name: str, of: str, runtime: object, by: str, without: str) -> Lack | None:
    fault = runtime.get("fault") if isinstance(runtime, Mapping) else None
    if not isinstance(runtime, Mapping) or not isinstance(fault, Mapping):
        return None
    words = line_of(str(fault.get("message")))
    if fault.get("kind") == TOOLS_UNAVAILABLE:
        return Lack(
            name, f"tools{of} cannot be used: {words}; meanwhile it works without, and says so", unable=False
        )
    instead = runtime.get("fallback")
    meanwhile = f"{by} {instead}" if instead else without
    said = f"the runtime {runtime.get('family')}{of} is not available: {words}; meanwhile {meanwhile}"
    return Lack(name, said, unable=instead is None)
