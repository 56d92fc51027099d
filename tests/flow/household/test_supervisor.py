"""The supervisor killed, started twice, asked to stop: nothing is lost, and nothing stays behind."""

import socket
from pathlib import Path

import psutil
import pytest

from tests.flow.household.load import Load
from tests.support.household import Place, RunningPlace, is_alive, until


async def test_the_next_start_recovers_what_a_killed_supervisor_left(fresh_place: Place) -> None:
    async with fresh_place.up() as first:
        load = Load(first, number=1)
        await load.send()
        await load.answers_begin()
        family = await _family(first)

        await first.kill_supervisor()
        await until(lambda: _all_gone(family), what="every process has died with its supervisor")

        async with fresh_place.up() as second:
            load.running = second
            ends = await load.settled()
            await load.check(ends)


async def test_a_second_start_is_refused_and_down_leaves_nothing_behind(
    fresh_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HOME", "TMPDIR", "XDG_RUNTIME_DIR"):
        (tmp_path / variable).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / variable))
    beside = sorted(path.name for path in fresh_place.root.iterdir())
    async with fresh_place.up() as running:
        family, ports = await _family(running), await _ports(running)
        assert all(_listens(port) for port in ports)

        twice = await fresh_place.verb("up", "-f", str(fresh_place.manifests))
        assert twice.code == 1
        assert "is already up" in twice.stderr
        assert len(twice.stderr.splitlines()) == 1
        assert (await running.status())["ready"]

        down = await fresh_place.verb("down")
        assert (down.code, down.stderr) == (0, "")
        assert await running.household.ended() == 0
    assert await _all_gone(family)
    assert not any(_listens(port) for port in ports)
    assert sorted(path.name for path in fresh_place.root.iterdir()) == sorted([*beside, "state"])
    assert [list((tmp_path / name).iterdir()) for name in ("HOME", "TMPDIR", "XDG_RUNTIME_DIR")] == [
        [],
        [],
        [],
    ]
    assert not fresh_place.state.endpoints_file.exists()
    assert fresh_place.state.root.stat().st_mode & 0o777 == 0o700


async def _family(running: RunningPlace) -> list[int]:
    """Every process of the household and what it started, the supervisor and PostgreSQL included."""
    supervisor = psutil.Process(running.household.pid)
    return [supervisor.pid, *(child.pid for child in supervisor.children(recursive=True))]


async def _all_gone(pids: list[int]) -> bool:
    return not any(is_alive(pid) for pid in pids)


async def _ports(running: RunningPlace) -> list[int]:
    processes = (await running.status())["processes"]
    endpoints = running.household.endpoints
    others = [endpoints["webhook"], endpoints["database"]["dsn"].rpartition("/")[0]]
    return [*(entry["port"] for entry in processes), *(int(url.rpartition(":")[2]) for url in others)]


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
