"""All tool servers of a butler: what they currently offer, cached for a while, and what is wrong with them.

Invariants: no session waits longer than one check may take for a server that is away; a server that comes back is
used without anyone's action; an unreachable server is a state, never an end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from butler_contracts.tool_servers import TOOLS_UNAVAILABLE
from butler_kit.config import ToolServerConfig
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock, wait_until_set
from butler_specialist.outside.model import Listed, Offer, Said, ServerFault
from butler_specialist.outside.offers import Offers, fitting, offers_of
from butler_specialist.outside.server import ToolServer

__all__ = ["Serves", "Shelf", "ToolServers"]

_log = get_logger(__name__)

_WELL_S: Final = 60.0
_AMISS_S: Final = 10.0
_FRESH_S: Final = 120.0
"""How old the cached offers may be."""
_AGAIN_S: Final = 2.0
"""The pause between two checks by sessions of a server that is away."""
_LOOK_S: Final = 3.0
"""How long a session waits for a check of a server that was away."""
_FIRST_LOOK_S: Final = 10.0
"""The same for a server not checked yet; the first check begins with the process."""
_MESSAGE: Final = 500


_NOTHING: Final = Offers()


@dataclass(frozen=True, slots=True)
class Shelf:
    """The tools that a session is offered; `away` are the servers that cannot be used now."""

    offers: tuple[Offer, ...] = ()
    away: tuple[str, ...] = ()


class Serves(Protocol):
    """A tool server, wherever it is; see `ToolServer`."""

    @property
    def config(self) -> ToolServerConfig: ...

    async def list(self) -> Sequence[Listed]: ...

    async def call(self, tool: str, args: Mapping[str, Any]) -> Said: ...

    async def aclose(self) -> None: ...


@dataclass(slots=True)
class _Known:
    server: Serves
    offers: Offers = _NOTHING
    fault: str | None = None
    looked_at: float | None = None


class ToolServers:
    """The tool servers of one process.

    `run` checks them, `env` has the tokens, `more` are the household's own.
    """

    def __init__(
        self,
        configs: Sequence[ToolServerConfig],
        env: Mapping[str, str],
        clock: Clock,
        *,
        more: Sequence[Serves] = (),
    ) -> None:
        servers = [*more, *(ToolServer(config, _token(config, env)) for config in configs)]
        self._known = {server.config.name: _Known(server) for server in servers}
        self._clock = clock

    @property
    def names(self) -> tuple[str, ...]:
        """The servers, by name."""
        return tuple(self._known)

    async def run(self, stopping: asyncio.Event) -> None:
        """Check until stopped, more often while something is wrong."""
        while self._known and not stopping.is_set():
            await asyncio.gather(*(self._look(known) for known in self._known.values()))
            amiss = any(known.fault is not None for known in self._known.values())
            await wait_until_set(stopping, _AMISS_S if amiss else _WELL_S)

    async def aclose(self) -> None:
        await asyncio.gather(*(known.server.aclose() for known in self._known.values()))

    async def shelf(self) -> Shelf:
        """Return what can be used now, after checking servers that are unknown or were away."""
        stale = [known for known in self._known.values() if self._to_look_at(known)]
        await asyncio.gather(*(self._look(known, within_s=_patience(known)) for known in stale))
        offers = self._offered().tools
        return Shelf(offers, tuple(name for name, known in self._known.items() if not _usable(known)))

    def allows(self, server: str, tool: str) -> bool:
        """Return whether the configuration allows this tool of this server."""
        known = self._known.get(server)
        return known is not None and tool in known.server.config.allow

    async def call(self, server: str, tool: str, args: Mapping[str, Any]) -> Said:
        """Return the server's answer. Raises `ServerFault`."""
        known = self._known[server]
        try:
            return await known.server.call(tool, args)
        except ServerFault as fault:
            if not fault.sent:
                self._say(known, fault.words)
            raise

    def fault(self) -> dict[str, str] | None:
        """Return the fault for the heartbeat; None while every allowed tool is available."""
        said = [known.fault for known in self._known.values() if known.fault is not None]
        said += [words for known in self._known.values() if _usable(known) for words in known.offers.amiss]
        said += self._offered().amiss
        return {"kind": TOOLS_UNAVAILABLE, "message": "; ".join(said)[:_MESSAGE]} if said else None

    def _offered(self) -> Offers:
        """Return the offers of all usable servers."""
        return fitting(
            [offer for known in self._known.values() if _usable(known) for offer in known.offers.tools]
        )

    def _to_look_at(self, known: _Known) -> bool:
        if known.looked_at is None:
            return True
        age = self._clock.monotonic() - known.looked_at
        return age >= (_FRESH_S if known.fault is None else _AGAIN_S)

    async def _look(self, known: _Known, *, within_s: float | None = None) -> None:
        try:
            async with asyncio.timeout(within_s):
                listed = await known.server.list()
        except ServerFault as fault:
            self._say(known, fault.words)
        except TimeoutError:
            self._say(known, f"the tool server {known.server.config.name} gave no answer in time")
        except Exception:
            _log.exception("tool_server_look_failed", server=known.server.config.name)
            self._say(
                known, f"the tool server {known.server.config.name} cannot be used; the log has the reason"
            )
        else:
            known.offers = offers_of(known.server.config, listed)
            self._say(known, None)
        known.looked_at = self._clock.monotonic()

    def _say(self, known: _Known, fault: str | None) -> None:
        if fault == known.fault:
            return
        known.fault, name = fault, known.server.config.name
        if fault is None:
            _log.info("tool_server_there", server=name)
        else:
            _log.warning("tool_server_away", server=name, problem=fault)


def _patience(known: _Known) -> float:
    return _FIRST_LOOK_S if known.looked_at is None else _LOOK_S


def _usable(known: _Known) -> bool:
    return known.fault is None and known.looked_at is not None


def _token(config: ToolServerConfig, env: Mapping[str, str]) -> str | None:
    return None if config.token_env is None else env.get(config.token_env, "").strip()
