"""Keep the household's processes running: ordered start, restart, ordered stop.

Invariant: every child is owned by exactly one `Child`; after `stop` none of them, nor anything they started, runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from butler_cli.errors import UserError
from butler_cli.local.backoff import RestartPolicy
from butler_cli.local.child_state import ChildState
from butler_cli.local.launch.process import Launcher
from butler_cli.local.logs import bound_log, tail
from butler_cli.local.plan import ProcessSpec
from butler_cli.local.process import Child, Probe, Timing, end_leftover
from butler_cli.local.state import StateDir

__all__ = ["NotReady", "Supervisor"]


class NotReady(UserError):
    """A process did not become ready; the message ends with the tail of its log."""

    def __init__(self, state: ChildState, *, why: str, log: Path) -> None:
        ended = f", last {state.last_exit}" if state.last_exit else ""
        text = f"{state.name} is not ready: {why} (state {state.state}, restarts {state.restarts}{ended})"
        lines = tail(log)
        excerpt = "".join(f"\n    {line}" for line in lines.splitlines())
        super().__init__(f"{text}; its log {log}" + (f" ends with:{excerpt}" if lines else " is empty"))


class Supervisor:
    """The children of one state directory. `env` returns a process's environment at each start.

    A `UserError` that it raises is shown as the reason, and the process is tried again.
    """

    def __init__(
        self,
        state: StateDir,
        *,
        env: Callable[[ProcessSpec], Mapping[str, str]],
        launcher: Launcher,
        probe: Probe,
        policy: RestartPolicy | None = None,
        timing: Timing | None = None,
    ) -> None:
        self._state = state
        self._env = env
        self._launcher = launcher
        self._probe = probe
        self._policy = policy or RestartPolicy()
        self._timing = timing or Timing()
        self._children: dict[str, Child] = {}
        self._changed = asyncio.Event()
        self._listeners: list[Callable[[], None]] = []

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever the state of a process changed."""
        self._listeners.append(listener)

    def snapshot(self) -> tuple[ChildState, ...]:
        """Return what is known of every process, in the order of the stages."""
        children = sorted(self._children.values(), key=lambda child: child.spec.stage)
        return tuple(child.snapshot() for child in children)

    def end_leftovers(self) -> list[int]:
        """End what a killed supervisor left behind."""
        records = sorted((self._state.run_dir / "pids").glob("*.json"))
        return [pid for pid in map(end_leftover, records) if pid is not None]

    def start(self, specs: Sequence[ProcessSpec]) -> None:
        """Start processes; returns at once."""
        for spec in specs:
            child = Child(
                spec,
                state=self._state,
                env=lambda spec=spec: self._env(spec),  # type: ignore[misc]
                launcher=self._launcher,
                probe=self._probe,
                changed=self._notify,
                policy=self._policy,
                timing=self._timing,
            )
            self._children[spec.name] = child
            child.start()

    async def wait_ready(self, names: Sequence[str], *, deadline_s: float) -> None:
        """Wait until all of `names` are ready; `NotReady` for the first that crash-loops or is late."""
        for late in await self.late_after(names, deadline_s=deadline_s):
            raise self._not_ready(late, f"it did not become ready within {deadline_s:g} s")

    async def late_after(self, names: Sequence[str], *, deadline_s: float) -> tuple[str, ...]:
        """Return those of `names` not ready by the deadline; raises `NotReady` for one that crash-loops."""
        waiting: list[str] = []
        try:
            async with asyncio.timeout(deadline_s):
                while waiting := [name for name in names if not self._children[name].snapshot().ready]:
                    self._fail_on_crash_loop(waiting)
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return tuple(waiting)
        return ()

    def _fail_on_crash_loop(self, names: Sequence[str]) -> None:
        for name in names:
            if self._children[name].snapshot().crash_loop:
                raise self._not_ready(name, "it ends again and again")

    def _not_ready(self, name: str, why: str) -> NotReady:
        return NotReady(self._children[name].snapshot(), why=why, log=self._state.log_file(name))

    async def stop(self) -> None:
        """Stop everything, the last stage first, each in bounded time. Safe to repeat.

        An error of one child is raised once all are stopped.
        """
        failed: list[BaseException] = []
        for stage in sorted({child.spec.stage for child in self._children.values()}, reverse=True):
            members = [child for child in self._children.values() if child.spec.stage == stage]
            ended = await asyncio.gather(*(child.stop() for child in members), return_exceptions=True)
            failed += [error for error in ended if error is not None]
        for error in failed:
            raise error

    def kill(self) -> None:
        """End everything at once; `stop` still has to be awaited."""
        for child in self._children.values():
            child.kill()

    def bound_logs(self) -> None:
        """Keep the logs of running processes bounded."""
        for name in self._children:
            bound_log(self._state.log_file(name))

    def _notify(self) -> None:
        self._changed.set()
        for listener in self._listeners:
            listener()
