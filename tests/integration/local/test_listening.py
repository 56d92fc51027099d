"""Ports for programs that are started later: chosen once in all the machine, free for the program whenever it comes."""

import socket
from collections.abc import Iterator

import pytest

from butler_cli.errors import UserError
from butler_cli.local import listening
from butler_cli.local.listening import free_ports
from tests.support.loopback import free_port

HOST = "127.0.0.1"


@pytest.fixture
def three_ports(monkeypatch: pytest.MonkeyPatch) -> Iterator[range]:
    """A range of three; what is held in it is let go at the end."""
    held: list[socket.socket] = []
    first = next(free_ports())
    monkeypatch.setattr(listening, "FREE_RANGE", (first + 1, first + 4))
    monkeypatch.setattr(listening, "_HELD", held)
    yield range(first + 1, first + 4)
    for one in held:
        one.close()


def listens(port: int) -> socket.socket:
    """A server as asyncio, uvicorn and PostgreSQL make it."""
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((HOST, port))
    server.listen()
    return server


def test_two_who_choose_at_once_never_choose_the_same_port(three_ports: range) -> None:
    one, other = free_ports(), free_ports()
    chosen = [next(one), next(other)]
    chosen += list(_rest(one)) + list(_rest(other))
    assert len(chosen) == len(set(chosen))
    assert set(chosen) <= set(three_ports)


def test_a_chosen_port_is_there_for_its_program_and_again_after_its_end(three_ports: range) -> None:
    port = next(free_ports())
    for _ in range(2):
        with listens(port), socket.create_connection((HOST, port)):
            assert port not in _rest(free_ports())


def test_a_port_of_another_program_is_not_chosen(three_ports: range) -> None:
    with listens(three_ports[0]):
        assert three_ports[0] not in _rest(free_ports())


def test_the_tests_own_ports_are_given_once() -> None:
    assert len({free_port() for _ in range(20)}) == 20


def _rest(ports: Iterator[int]) -> set[int]:
    found: set[int] = set()
    with pytest.raises(UserError, match="no free port"):
        while True:
            found.add(next(ports))
    return found
