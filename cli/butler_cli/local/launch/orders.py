"""The messages between the supervisor and the fork server: one JSON document per packet.

An order's two descriptors travel beside it: the log of the process, and a pipe from which the process, when it may
begin, reads its environment. So no secret ever passes through the fork server, whose memory every process inherits.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

__all__ = [
    "Fork",
    "Forked",
    "Preload",
    "read_environment",
    "receive_forked",
    "receive_order",
    "send_forked",
    "send_order",
    "write_environment",
]

PACKET_BYTES: Final = 160_000
"""Largest order: a few arguments. Below the kernel's default for a socket's buffer."""


@dataclass(frozen=True)
class Preload:
    """Import these modules before the next fork; a failure is left to the module's program to report."""

    modules: tuple[str, ...]


@dataclass(frozen=True)
class Fork:
    """Fork a process that runs the module `program` as `python -m` would; `parent` must be its parent."""

    number: int
    name: str
    program: str
    arguments: tuple[str, ...]
    cwd: str
    parent: int


@dataclass(frozen=True)
class Forked:
    """The answer to the order of the same number: the new process's id, or why there is none."""

    number: int
    pid: int | None
    problem: str = ""


def send_order(channel: socket.socket, order: Preload | Fork, descriptors: tuple[int, ...] = ()) -> None:
    """Send an order; `OSError` when it is too large or nobody is there."""
    packet = _packed(type(order).__name__, asdict(order))
    if descriptors:
        socket.send_fds(channel, [packet], list(descriptors))
    else:
        channel.send(packet)


def receive_order(channel: socket.socket) -> tuple[Preload | Fork, tuple[int, ...]] | None:
    """Return the next order and its descriptors; None if the sender is gone."""
    packet, descriptors, _, _ = socket.recv_fds(channel, PACKET_BYTES, 2)
    if not packet:
        return None
    kind, fields = _unpacked(packet)
    if kind == "Preload":
        return Preload(tuple(fields["modules"])), ()
    fields["arguments"] = tuple(fields["arguments"])
    return Fork(**fields), tuple(descriptors)


def send_forked(channel: socket.socket, answer: Forked) -> None:
    """Answer an order."""
    channel.send(_packed("Forked", asdict(answer)))


def receive_forked(packet: bytes) -> Forked:
    """Return the answer in `packet`."""
    return Forked(**_unpacked(packet)[1])


def write_environment(pipe: int, env: Mapping[str, str]) -> None:
    """Let the process begin, with this environment; `OSError` when it is gone."""
    with os.fdopen(pipe, "wb") as file:
        file.write(json.dumps(dict(env)).encode())


def read_environment(pipe: int) -> dict[str, str] | None:
    """Return the environment once it is written; None if the pipe closes without one: not wanted any more."""
    with os.fdopen(pipe, "rb") as file:
        said = file.read()
    return dict(json.loads(said)) if said else None


def _packed(kind: str, fields: dict[str, Any]) -> bytes:
    packet = json.dumps([kind, fields]).encode()
    if len(packet) > PACKET_BYTES:
        raise OSError(f"an order of {len(packet)} bytes is too large for the fork server")
    return packet


def _unpacked(packet: bytes) -> tuple[str, dict[str, Any]]:
    kind, fields = json.loads(packet)
    return str(kind), dict(fields)
