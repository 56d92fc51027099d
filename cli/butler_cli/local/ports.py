"""Assign a port to each process, without asking the machine (`listening` does)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from butler_cli.errors import UserError
from butler_resources.kinds import Manifests
from butler_resources.render import BASE_PORT, FIRST_CONNECTOR_PORT, default_port, defaults_of

__all__ = ["Ports", "assign_ports"]

WEBHOOK_OFFSET: Final = 20
DASHBOARD_OFFSET: Final = 100


@dataclass(frozen=True)
class Ports:
    """`by_process`: service or health port by process name; `webhooks`: a webhook connector's own port."""

    by_process: Mapping[str, int]
    webhooks: Mapping[str, int]


def assign_ports(manifests: Manifests, *, base: int | None, free: Iterator[int]) -> Ports:
    """Assign a household's ports; raises `UserError` if two processes would share one.

    `base` None: the manifests' ports, else the defaults from 40100. A number: the default layout moved there,
    whatever the manifests say. 0: the next of `free` for each.
    """
    by_process: dict[str, int] = {}
    for butler in manifests.butlers:
        moved = None if base is None else base + defaults_of(butler).port - BASE_PORT
        port = default_port(butler) if moved is None else moved
        by_process[butler.name] = next(free) if base == 0 else _untaken(port, by_process, base)
    webhooks: dict[str, int] = {}
    first = FIRST_CONNECTOR_PORT + ((base or BASE_PORT) - BASE_PORT)
    for number, connector in enumerate(manifests.connectors):
        by_process[connector.name] = next(free) if base == 0 else first + number
        block = connector.spec.webhook
        if block is not None:
            given = block.port if base is None else None
            port = given or first + WEBHOOK_OFFSET + number
            webhooks[connector.name] = next(free) if base == 0 else port
    moved = (BASE_PORT if base is None else base) + DASHBOARD_OFFSET
    by_process["dashboard"] = next(free) if base == 0 else moved
    _refuse_shared([*by_process.items(), *webhooks.items()])
    return Ports(by_process, webhooks)


def _untaken(port: int, taken: Mapping[str, int], base: int | None) -> int:
    """Return a free port in a moved layout, where two specialists of one profile have one default port."""
    while base is not None and port in taken.values():
        port += 1
    return port


def _refuse_shared(ports: list[tuple[str, int]]) -> None:
    owners: dict[int, str] = {}
    for name, port in ports:
        if not 1 <= port <= 65535:
            raise UserError(f"{name} would get port {port}; choose a lower --port-base")
        if port in owners:
            raise UserError(
                f"{owners[port]} and {name} would share port {port}; set spec.port of one of them"
            )
        owners[port] = name
