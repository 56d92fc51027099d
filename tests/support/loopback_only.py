"""One session of a command line where loopback is all of the network, with a name server that keeps what it is asked.

`command` starts it, as `python -m tests.support.loopback_only FAMILY FOLDER`; it prints as JSON what was called and
asked. The names are those of the resolver that every program of the system uses; nothing else leads out of there.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from butler_contracts.errors import ButlerError
from butler_kit.runtime import SessionJob, SessionTool, ToolBelt
from butler_kit.runtime.api import Endpoint
from butler_kit.runtime.commandline import COMMAND_LINES, CommandLineFamily, Doors
from butler_switchboard.routing.prompt import ROUTE_TOOL, ROUTE_TOOL_SCHEMA
from tests.support.command_lines import INSTALLED
from tests.support.model_api import ModelServer

__all__ = ["NAMESPACES", "command"]

NAMESPACES: Final = ("unshare", "--user", "--map-root-user", "--net", "--mount")
_SIOCSIFFLAGS: Final = 0x8914
_IFF_UP_RUNNING: Final = 0x41
_NO_SUCH_NAME: Final = 0x8183
_HEADER: Final = 12
_SESSION_S: Final = 60.0


def command(family: str, folder: Path) -> list[str]:
    """What runs this program in namespaces of its own."""
    return [*NAMESPACES, sys.executable, "-m", "tests.support.loopback_only", family, str(folder)]


class NameServer(asyncio.DatagramProtocol):
    """Knows no name and keeps each that it is asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, addr: Any) -> None:
        self.asked.append(_name(data))
        if self._transport is not None:
            question = data[_HEADER:]
            answer = data[:2] + struct.pack("!HHHHH", _NO_SUCH_NAME, 1, 0, 0, 0) + question
            self._transport.sendto(answer, addr)


def _name(question: bytes) -> str:
    labels, at = [], _HEADER
    while at < len(question) and question[at]:
        labels.append(question[at + 1 : at + 1 + question[at]].decode("ascii", "replace"))
        at += 1 + question[at]
    return ".".join(labels)


def _only_loopback(folder: Path) -> None:
    """Bring `lo` up, and let the resolver ask 127.0.0.1."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", _IFF_UP_RUNNING, b""))
    mine = folder / "resolv.conf"
    mine.write_text("nameserver 127.0.0.1\n", "ascii")
    subprocess.run(["mount", "--bind", str(mine), "/etc/resolv.conf"], check=True, timeout=10)


async def _told(family: str, folder: Path) -> dict[str, Any]:
    loop, names = asyncio.get_running_loop(), NameServer()
    transport, _ = await loop.create_datagram_endpoint(lambda: names, local_addr=("127.0.0.1", 53))
    try:
        await loop.run_in_executor(None, socket.gethostbyname_ex, "localhost")
        await _look_up("who-asks.example")
        calls = await _session(family, folder)
    finally:
        transport.close()
    return {"calls": calls, "asked": names.asked}


async def _look_up(name: str) -> None:
    """A question of our own: one that is not written down would prove that nothing is."""
    try:
        await asyncio.get_running_loop().getaddrinfo(name, 80)
    except OSError:
        return
    raise AssertionError(f"{name} was found")


async def _session(family: str, folder: Path) -> list[str]:
    line, doors = COMMAND_LINES[family], Doors()
    belt = ToolBelt([SessionTool(ROUTE_TOOL, "Route a part.", ROUTE_TOOL_SCHEMA)])
    payload = "<<<untrusted 0123456789abcdef\nI paid 40 euro\nuntrusted 0123456789abcdef>>>"
    job = SessionJob(uuid4(), "route", "You route.", payload, belt, None, "1", _SESSION_S)
    work = folder / "work"
    work.mkdir()
    try:
        async with ModelServer("route", key="sk-test") as model:
            endpoint = Endpoint(line.provider, ("stub",), model.base_url(line.provider), "sk-test")
            ours = CommandLineFamily(
                line, endpoint, doors, lambda program: str(INSTALLED / program), work_dir=work
            )
            await ours.launch(job).program(job)
    except ButlerError as failed:
        return [f"failed: {failed.message}"]
    finally:
        await doors.aclose()
    return [str(call.args["butler"]) for call in belt.ledger]


def main() -> None:
    family, folder = sys.argv[1], Path(sys.argv[2])
    _only_loopback(folder)
    print(json.dumps(asyncio.run(_told(family, folder))))


if __name__ == "__main__":
    main()
