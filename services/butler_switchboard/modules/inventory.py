"""PURE: which modules are enabled here, which butlers carry each out, and its state (SWB-24.2, D48, D53).

Switchboard has nobody's account: channels and calendar belong to Messenger, memories to the specialists. Enabling a
module here lets butlers reach it, and nothing more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from butler_contracts.calendar import CALENDAR, CalendarWord
from butler_contracts.memory import CAPABILITY as MEMORY

__all__ = ["SEED", "Module", "inventory"]

MESSENGER: Final = "messenger"
SEED: Final = CalendarWord(provider="google", conflicts="suggest", state="unknown")
"""The calendar until Messenger reports something else."""
_CHANNELS: Final = ("telegram", "email")


@dataclass(frozen=True, slots=True)
class Module:
    """`scopes` maps each scope to whether it is on; `by` are the butlers that carry it out now."""

    name: str
    enabled: bool
    by: tuple[str, ...] = ()
    scopes: Mapping[str, bool] | None = None
    provider: str | None = None
    conflicts: str | None = None
    state: str = "off"
    words: str = ""


def inventory(capabilities: Mapping[str, Sequence[str]], calendar: CalendarWord | None) -> tuple[Module, ...]:
    """Return the modules; `capabilities` are every registered butler's, `calendar` is Messenger's report."""
    return (
        _calendar(capabilities, calendar or SEED),
        *(_channel(name, capabilities) for name in _CHANNELS),
        _memory(capabilities),
    )


def _calendar(capabilities: Mapping[str, Sequence[str]], word: CalendarWord) -> Module:
    return Module(
        CALENDAR,
        True,
        by=_with(CALENDAR, capabilities),
        provider=word.provider,
        conflicts=word.conflicts,
        state=word.state,
        words=word.words,
    )


def _channel(name: str, capabilities: Mapping[str, Sequence[str]]) -> Module:
    """Return a channel carried out by the bot alone: a person's own account is never used (D48)."""
    by = tuple(one for one in _with(name, capabilities) if one == MESSENGER)
    words = "" if by else f"messenger has no {name} bot"
    return Module(
        name, True, by=by, scopes={"bot": True, "user": False}, state="well" if by else "off", words=words
    )


def _memory(capabilities: Mapping[str, Sequence[str]]) -> Module:
    by = _with(MEMORY, capabilities)
    words = "" if by else "no specialist remembers (spec.modules.memory)"
    return Module(MEMORY, True, by=by, state="well" if by else "off", words=words)


def _with(capability: str, capabilities: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    return tuple(sorted(name for name, offered in capabilities.items() if capability in offered))
