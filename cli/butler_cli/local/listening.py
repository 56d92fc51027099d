"""Find ports of this machine that nobody listens on."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from butler_cli.errors import UserError

if TYPE_CHECKING:
    from butler_cli.local.ports import Ports

__all__ = ["check_ports", "free_ports", "is_free"]

FREE_RANGE: Final = (20_000, 32_000)
"""Below the range from which the system takes ports of outgoing connections: a port stays free over a restart."""


_HELD: Final[list[socket.socket]] = []
"""The ports that this process chose, bound by it until it ends: another household that starts at the same time cannot
choose them, and a program that is killed finds its port free again."""


def free_ports() -> Iterator[int]:
    """Yield ports, each once, that only programs of ours can listen on while this process lives."""
    candidates = list(range(*FREE_RANGE))
    random.SystemRandom().shuffle(candidates)
    yield from (port for port in candidates if _hold(port))
    raise UserError("no free port between 20000 and 32000; end some other program")


def _hold(port: int) -> bool:
    """Bind the port exclusively, then admit programs that ask for a shared address, as servers do."""
    held = socket.socket()
    try:
        held.bind(("127.0.0.1", port))
    except OSError:
        held.close()
        return False
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    _HELD.append(held)
    return True


def check_ports(ports: Ports) -> None:
    """Raise `UserError` naming the first port that another program has."""
    for name, port in [*ports.by_process.items(), *ports.webhooks.items()]:
        if not is_free(port):
            raise UserError(
                f"port {port} for {name} is taken by another program; end it, or use --port-base 0 for free ports"
            )


def is_free(port: int) -> bool:
    """Whether a program could listen on this port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
