"""The supervisor killed, started twice, asked to stop: nothing is lost, and nothing stays behind."""

import socket
from pathlib import Path

import psutil
import pytest

from tests.flow.household.load import Load
from tests.support.household import Place, RunningPlace, is_alive, until

pytestmark = pytest.mark.xdist_group("household")


@pytest.fixture
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Empty folders of this test alone where programs like to leave things."""
    folders = [tmp_path / name for name in ("HOME", "TMPDIR", "XDG_RUNTIME_DIR")]
    for folder in folders:
        folder.mkdir()
        monkeypatch.setenv(folder.name, str(folder))
    return folders


async def test_a_killed_supervisor_is_recovered_by_the_next_start_and_down_leaves_nothing_behind(
    own_folders: list[Path], fresh_place: Place
) -> None:
    async with fresh_place.up() as first:
        load = Load(first, number=1)
        await load.send()
        await load.answers_begin()
        family = _family(first)

        await first.kill_supervisor()
        await until(lambda: _all_gone(family), what="every process has died with its supervisor")

        async with fresh_place.up() as second:
            load.running = second
            await load.check(await load.settled())
            await _check_second_start(second)
            await _check_down(second)
    assert [list(folder.iterdir()) for folder in own_folders] == [[], [], []]
    assert sorted(path.name for path in fresh_place.root.iterdir()) == ["manifests", "providers", "state"]
    assert fresh_place.state.root.stat().st_mode & 0o777 == 0o700


async def _check_second_start(running: RunningPlace) -> None:
    place = running.place
    twice = await place.verb("up", "-f", str(place.manifests))
    assert twice.code == 1
    assert "is already up" in twice.stderr
    assert len(twice.stderr.splitlines()) == 1
    assert (await running.status())["ready"]


async def _check_down(running: RunningPlace) -> None:
    family, ports = _family(running), await _ports(running)
    assert all(_listens(port) for port in ports)
    down = await running.place.verb("down")
    assert (down.code, down.stderr) == (0, "")
    assert await running.household.ended() == 0
    assert await _all_gone(family)
    assert not any(_listens(port) for port in ports)
    assert not running.place.state.endpoints_file.exists()


def _family(running: RunningPlace) -> list[int]:
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
