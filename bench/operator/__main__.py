"""`make bench-operator`: hundreds of resources until all conditions are there, then an idle while, then repairs."""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean, median
from typing import Any, Final

import httpx

from bench.measure.cpu import tree_cpu_s
from bench.measure.machine import machine_facts
from bench.measure.report import RESULTS, Report
from bench.measure.slices import percentile
from bench.operator.audit import Calls, policy_for, read_calls
from bench.operator.goals import FEW, Figures, converge_goal_s, goals_for
from bench.operator.household import (
    OPERATOR_USER,
    create_all,
    everything,
    install,
    is_settled,
    namespaces,
    shares,
)
from bench.operator.plane import Plane, running, running_plane
from bench.operator.registry import RegistryAnswers
from bench.operator.told import answering, environment
from butler_operator.cluster.paths import path_of

STATE: Final = Path(".butlers/bench-operator")
RESYNC_S: Final = 60.0
POLL_S: Final = 1.0
LATE: Final = 5
"""Times the goal for converging, after which the run gives up."""
QUIET_S: Final = 15.0
QUIET_LIMIT_S: Final = 45.0
RESTORE_LIMIT_S: Final = 15.0
CHILDREN: Final = (
    ("apis/apps/v1", "deployments"),
    ("api/v1", "services"),
    ("api/v1", "configmaps"),
    ("apis/networking.k8s.io/v1", "networkpolicies"),
    ("api/v1", "serviceaccounts"),
)
METHOD: Final = (
    "etcd, kube-apiserver, kube-controller-manager as processes of this machine; no node, so no pods; no fsync in etcd",
    "the operator is its real process with the chart's roles, place and CRDs, by a token of its service account",
    "Butlers with replicas 0 or suspended, Connectors suspended; an HTTP server answers in the place of Switchboard",
    "converged: every condition of this generation there, Eligible or Online true; from the first create, to a second "
    "(with 2,000 resources to seven)",
    f"writes are counted in the audit log; resync every {RESYNC_S:.0f} s (300 by default): the idle while has several",
    "restored: from the DELETE of a child by hand to another of that name, asked for every 20 ms; five kinds in turn",
    "processor time from /proc; memory is the most that the process ever had resident (VmHWM)",
)


@dataclass
class Bench:
    """The running parts."""

    plane: Plane
    http: httpx.AsyncClient
    operator_pid: int
    report: Report
    watched: tuple[str, ...]

    def cpu(self) -> dict[str, float]:
        """Processor seconds so far, by process."""
        pids = {**self.plane.pids, "operator": self.operator_pid}
        return {name: tree_cpu_s(pid) for name, pid in pids.items()}

    def calls(self) -> Calls:
        return read_calls(self.plane.audit_log)

    async def resources(self) -> list[dict[str, Any]]:
        """Every Butler and Connector now, from the API server's cache."""
        found: list[dict[str, Any]] = []
        for kind, namespace in itertools.product(("Butler", "Connector"), self.watched):
            answer = await self.http.get(path_of(kind, namespace), params={"resourceVersion": "0"})
            found += [{**body, "kind": kind} for body in answer.raise_for_status().json()["items"]]
        return found


async def measure(chosen: argparse.Namespace) -> Report:
    """Run every part on one control plane, one after another."""
    report = Report("operator", machine_facts(), METHOD)
    registry, watched = RegistryAnswers(), namespaces(chosen.households)
    async with running_plane(STATE, policy_for(OPERATOR_USER)) as plane, plane.client() as http:
        place = install(plane, watched=watched)
        async with registry.serving() as ops_url:
            told = await environment(plane, http, place, ops_url, resync_s=RESYNC_S, watched=watched)
            command = [sys.executable, "-m", "butler_operator"]
            with running("operator", command, plane.folder, told) as operator:
                await answering(int(told["BUTLERS_HEALTH_PORT"]))
                bench = Bench(plane, http, operator.pid, report, watched)
                try:
                    await _parts(bench, chosen)
                finally:
                    RESULTS.mkdir(parents=True, exist_ok=True)
                    (RESULTS / "operator.log").write_bytes((plane.folder / "operator.log").read_bytes())
    return report


async def _parts(bench: Bench, chosen: argparse.Namespace) -> None:
    converge_s = await converge(bench, chosen.butlers, chosen.connectors)
    writes, events = await count_writes(bench)
    idle = await idle_while(bench, chosen.idle)
    least = min(shares(chosen.butlers, chosen.households))
    restores = await restore(bench, chosen.restores, among=least - 1)
    rss_mb = _status_mb(bench.operator_pid, "VmHWM")
    bench.report.row(
        "operator",
        **{"highest resident MB": rss_mb, "resident MB at the end": _status_mb(bench.operator_pid, "VmRSS")},
    )
    p95 = percentile(restores, 0.95)
    bench.report.goals += goals_for(
        Figures(
            resources=chosen.butlers + chosen.connectors,
            converge_s=converge_s,
            writes=writes,
            events=events,
            rss_mb=rss_mb,
            idle_s=chosen.idle,
            idle_writes=idle,
            restored=len(restores),
            restored_p95_s=p95,
        )
    )
    bench.report.headline.update(
        converge_s=round(converge_s, 1),
        writes_per_object=round(writes, 2),
        idle_writes=idle,
        rss_mb=round(rss_mb, 1),
        restore_s=round(p95, 3),
    )


async def converge(bench: Bench, butlers: int, connectors: int) -> float:
    """Create everything; seconds until the last resource has all its conditions."""
    bodies = everything(bench.watched, butlers=butlers, connectors=connectors)
    size = len(bodies)
    before, began = bench.cpu(), time.monotonic()
    await create_all(bench.http, bodies)
    created_s = time.monotonic() - began
    half_s = 0.0
    while True:
        settled = sum(is_settled(body) for body in await bench.resources())
        spent = time.monotonic() - began
        if not half_s and settled >= size / 2:
            half_s = spent
        if settled == size:
            break
        if spent > LATE * converge_goal_s(size):
            raise TimeoutError(f"{settled} of {size} settled after {spent:.0f} s")
        await asyncio.sleep(POLL_S * max(1.0, size / FEW))
    used = {f"CPU s {name}": after - before[name] for name, after in bench.cpu().items()}
    bench.report.row(
        "converge",
        resources=size,
        households=len(bench.watched),
        **{
            "created s": created_s,
            "half s": half_s,
            "all s": spent,
            "load (1 min)": os.getloadavg()[0],
            **used,
        },
    )
    return spent


async def count_writes(bench: Bench) -> tuple[float, float]:
    """Wait until the operator writes no more, then the most writes and the most events of any resource."""
    waited = time.monotonic()
    while time.monotonic() - waited < QUIET_LIMIT_S:
        calls = bench.calls()
        if not calls.writes or (datetime.now(UTC) - calls.writes[-1].at).total_seconds() > QUIET_S:
            break
        await asyncio.sleep(POLL_S)
    calls = bench.calls()
    writes, events = calls.per_owner(events=False), calls.per_owner(events=True)
    for letter, kind in (("b", "Butler"), ("c", "Connector")):
        mine = [count for name, count in writes.items() if f"/{letter}" in name]
        told = [events[name] for name in writes if f"/{letter}" in name]
        figures = {
            "writes, mean": mean(mine),
            "most": max(mine),
            "events, mean": mean(told),
            "most ": max(told),
        }
        bench.report.row("writes a resource", kind=kind, **figures)
    for what, count in calls.by_kind().most_common(24):
        bench.report.row("calls until converged", call=what, count=count, each=count / len(writes))
    refused = sum(call.status >= 400 for call in calls.calls if call.status != 404)
    bench.report.row("calls until converged", call="answered with an error (not 404)", count=refused)
    return max(writes.values()), max(events.values(), default=0)


async def idle_while(bench: Bench, seconds: float) -> int:
    """Leave everything alone; how often the operator wrote."""
    begin, before = datetime.now(UTC), bench.cpu()
    await asyncio.sleep(seconds)
    used = {name: after - before[name] for name, after in bench.cpu().items()}
    calls = bench.calls().between(begin, datetime.now(UTC))
    # There are no pods, so it is one page a resync and household.
    resyncs = calls.by_kind()["list pods"] // len(bench.watched)
    bench.report.row(
        "idle",
        seconds=seconds,
        resyncs=resyncs,
        writes=len(calls.writes),
        reads=len(calls.calls) - len(calls.writes),
        **{"operator's CPU %": 100 * used["operator"] / seconds, "load (1 min)": os.getloadavg()[0]},
    )
    for call in calls.writes[:20]:
        bench.report.row(
            "written while idle", call=f"{call.verb} {call.resource} {call.name}", status=call.status
        )
    if not resyncs:
        raise RuntimeError("no resync within the idle while")
    return len(calls.writes)


async def restore(bench: Bench, count: int, *, among: int) -> list[float]:
    """Delete children by hand, one after another; seconds until each is there again."""
    times: dict[str, list[float]] = {}
    for number, (root, plural) in zip(range(count), itertools.cycle(CHILDREN), strict=False):
        namespace = bench.watched[number % len(bench.watched)]
        path = f"/{root}/namespaces/{namespace}/{plural}/butler-b{number * 7 % among:03}"
        times.setdefault(plural, []).append(await _restored(bench.http, path))
    for plural, seconds in times.items():
        bench.report.row(
            "restored", kind=plural, times=len(seconds), median=median(seconds), longest=max(seconds)
        )
    return [one for seconds in times.values() for one in seconds]


async def _restored(http: httpx.AsyncClient, path: str) -> float:
    old = (await http.get(path)).raise_for_status().json()["metadata"]["uid"]
    began = time.monotonic()
    answer = await http.request("DELETE", path, json={"propagationPolicy": "Background"})
    answer.raise_for_status()
    while True:
        found = await http.get(path)
        spent = time.monotonic() - began
        if found.status_code == 200 and found.json()["metadata"]["uid"] != old:
            return spent
        if spent > RESTORE_LIMIT_S:
            raise TimeoutError(f"{path} was not restored within {spent:.0f} s")
        await asyncio.sleep(0.02)


def _status_mb(pid: int, field: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise LookupError(field)


@contextmanager
def _ended_by_term() -> Iterator[None]:
    """SIGTERM ends the bench as Ctrl-C does, so that nothing it started stays behind."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.operator", description=(__doc__ or "").strip())
    parser.add_argument(
        "--households", type=int, default=1, help="namespaces that the resources are spread over"
    )
    parser.add_argument("--butlers", type=int, default=200, help="of all households")
    parser.add_argument("--connectors", type=int, default=100, help="of all households")
    parser.add_argument("--idle", type=float, default=185.0, help="seconds that nothing is touched")
    parser.add_argument("--restores", type=int, default=20)
    parser.add_argument(
        "--profile", action="store_true", help="build/bench/operator.pstats; slows the operator"
    )
    chosen = parser.parse_args()
    os.umask(0o077)
    with _ended_by_term():
        report = asyncio.run(measure(chosen))
    report.show()
    print(f"written: {report.write()}")
    return 0 if all(goal.met for goal in report.goals) else 1


if __name__ == "__main__":
    raise SystemExit(main())
