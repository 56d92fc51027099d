"""Which ports of this machine nobody listens on."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from typing import Final

from butler_cli.errors import UserError
from butler_cli.local.ports import Ports

__all__ = ["check_ports", "free_ports"]

FREE_RANGE: Final = (20_000, 32_000)
"""Below the range from which the system takes ports of outgoing connections: a port stays free over a restart."""


def free_ports() -> Iterator[int]:
    """Ports that nothing listens on now, each once."""
    candidates = list(range(*FREE_RANGE))
    random.SystemRandom().shuffle(candidates)
    yield from (port for port in candidates if _is_free(port))
    raise UserError("no free port between 20000 and 32000; end some other program")


def check_ports(ports: Ports) -> None:
    """`UserError` naming the first port that another program has."""
    for name, port in [*ports.by_process.items(), *ports.webhooks.items()]:
        if not _is_free(port):
            raise UserError(
                f"port {port} for {name} is taken by another program; end it, or use --port-base 0 for free ports"
            )


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
