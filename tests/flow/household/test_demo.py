"""`make run` itself: started twice, its terminal closed, killed; it never leaves a household behind."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from butler_cli.local.state import StateDir
from tests.support.household import is_alive, until
from tests.support.messages import load_examples

pytestmark = pytest.mark.xdist_group("household")

ROOT = Path(__file__).parents[3]
DEADLINE_S = 90.0


class Demo:
    """`python -m examples.demo.run` on a state directory of its own, mostly with `--stay --empty`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.family: list[int] = []

    async def says(self, wanted: str) -> list[str]:
        """Wait for a line that holds `wanted`; return the lines until then."""
        assert self._process.stdout is not None
        said: list[str] = []
        async with asyncio.timeout(DEADLINE_S):
            async for line in self._process.stdout:
                said.append(line.decode())
                if wanted in said[-1]:
                    return said
        raise AssertionError(f"it ended without saying {wanted!r}")

    def remember(self) -> None:
        """Take down every process that belongs to it now."""
        children = psutil.Process(self._process.pid).children(recursive=True)
        self.family = [self._process.pid, *(child.pid for child in children)]

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    async def ended(self) -> int:
        async with asyncio.timeout(DEADLINE_S):
            await self._process.communicate()
        return self._process.returncode or 0

    async def all_gone(self) -> None:
        async def gone() -> bool:
            return not any(is_alive(pid) for pid in self.family)

        await until(gone, what="every process of the household is gone")


@asynccontextmanager
async def demo(state: Path, *how: str) -> AsyncIterator[Demo]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "examples.demo.run", *(how or ("--stay",)), "--state", str(state)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=ROOT,
        start_new_session=True,
    )
    try:
        yield Demo(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def contents(folder: Path, chosen: Callable[[Path], bool]) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and chosen(path)
    }


async def test_a_second_run_touches_nothing_and_a_killed_one_leaves_nothing_running(tmp_path: Path) -> None:
    async with demo(tmp_path, "--stay", "--empty") as first:
        await first.says("switchboard ready")
        first.remember()
        assert len(first.family) > 3
        journal = tmp_path / "run" / "providers" / "telegram.json"

        async def polled() -> bool:
            return b'"change": "allowed"' in journal.read_bytes()

        # The bot writes down which updates its first poll asked for.
        await until(polled, what="the bot being polled")
        kept = ("manifests", "providers")
        before = _kept(contents(tmp_path / "run", lambda path: any(name in path.parts for name in kept)))

        async with demo(tmp_path, "--stay", "--empty") as second:
            await second.says("is already up")
            assert await second.ended() == 1
        after = contents(tmp_path / "run", lambda path: any(name in path.parts for name in kept))
        assert _kept(after) == before

        first.send(signal.SIGKILL)
        await first.all_gone()


def _kept(files: dict[str, bytes]) -> dict[str, list[bytes]]:
    """Their lines, without those that the first household's polls may add at any moment."""
    return {
        path: [line for line in body.splitlines() if b'"change": "allowed"' not in line]
        for path, body in files.items()
    }


async def test_the_demo_with_a_model_asks_it_by_both_protocols_and_ends_with_the_same_table(
    tmp_path: Path,
) -> None:
    async with demo(tmp_path, "--model") as run:
        await run.says("a stand-in for a model in")
        assert await run.ended() == 0
    summary = json.loads((tmp_path / "demo-llm" / "summary.json").read_text("utf-8"))
    assert len(summary["requests"]) == len(load_examples())


async def test_a_closed_terminal_stops_the_household_even_while_it_starts(tmp_path: Path) -> None:
    async with demo(tmp_path, "--stay", "--empty") as run:
        await run.says("PostgreSQL ready")
        run.remember()
        run.send(signal.SIGHUP)
        assert await run.ended() == 0
        await run.all_gone()
    assert not (tmp_path / "run" / "endpoints.json").exists()


async def test_a_killed_supervisor_is_told_of_and_leaves_nothing_running(tmp_path: Path) -> None:
    async with demo(tmp_path, "--stay", "--empty") as run:
        await run.says("the household is up")
        run.remember()
        supervisor = StateDir.at(tmp_path / "run").supervisor_pid()
        assert supervisor is not None
        os.kill(supervisor, signal.SIGKILL)
        await run.says("killed by signal 9")
        assert await run.ended() == 1
        await run.all_gone()


async def test_the_first_start_sends_the_sample_messages_and_a_later_one_sends_nothing(
    tmp_path: Path,
) -> None:
    for start in range(2):
        async with demo(tmp_path) as run:
            said = await run.says("the household is up")
            run.remember()
            run.send(signal.SIGINT)
            assert await run.ended() == 0
            await run.all_gone()
        assert any("signed in (works once" in line for line in said)
        answers = [line for line in said if "↳" in line]
        assert bool(answers) is (start == 0)
        assert (tmp_path / "run" / "summary.json").exists()
