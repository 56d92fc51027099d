"""The limiter alone: four processes admit at the same time, into a queue that is drained as fast as it fills.

Measured with budgets, and with deliveries under no budget (reactions), so that the ratio shows what counting costs
whatever else the machine does; refusals and their CPU cost; and one budget that all four compete for.
`python -m bench.delivery.limiter DSN KIND COUNT` is one of the four.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import asyncpg

from bench.measure.report import Goal, Report
from butler_cli.local.postgres import ADMIN_ROLE, EmbeddedPostgres
from butler_contracts.errors import OverloadRejected
from butler_kit.db import SchemaPlan, open_pool, provision
from butler_messenger.admission.limits import AdmissionLimits, RateLimits
from butler_messenger.admission.store import AdmissionStore, NewDelivery
from butler_messenger.delivery.states import Status
from butler_messenger.sql import MIGRATIONS, SHARED_MIGRATIONS

__all__ = ["limiter"]

PROCESSES: Final = 4
_AT_ONCE: Final = 8
_PLENTY: Final = 1_000_000
_SHARED_BUDGET: Final = 200
_EMPTIED_EVERY_S: Final = 0.02
_PLANS: Final = tuple(
    SchemaPlan(schema, "butler_messenger", "bench", migrations)
    for schema, migrations in (("messenger", MIGRATIONS), ("shared", SHARED_MIGRATIONS))
)
_ROOMY: Final = RateLimits(_PLENTY, {"telegram": _PLENTY}, _PLENTY)
_KINDS: Final = {
    "counted": AdmissionLimits(_PLENTY, _ROOMY),
    "uncounted": AdmissionLimits(_PLENTY, _ROOMY),
    "refused": AdmissionLimits(_PLENTY, RateLimits(recipient_per_minute=1)),
    "wanted by all": AdmissionLimits(_PLENTY, RateLimits(_SHARED_BUDGET, {"telegram": _PLENTY}, _PLENTY)),
}


async def limiter(report: Report, *, count: int) -> None:
    """Admit `count` deliveries per process and kind."""
    folder = Path(tempfile.mkdtemp(prefix="butlers-bench-"))
    postgres = EmbeddedPostgres(folder)
    try:
        postgres.start()
        password = postgres.admin_dsn.split(":")[2].split("@")[0]
        admin = postgres.dsn(ADMIN_ROLE, password, database="postgres")
        await provision(admin, _PLANS)
        plan = _PLANS[0]
        dsn = postgres.dsn(plan.role, plan.password, plan.schema, database="postgres")
        found = {kind: await _measured(admin, dsn, kind, count) for kind in _KINDS}
    finally:
        postgres.stop(deadline_s=5)
        shutil.rmtree(folder, ignore_errors=True)
    _told(report, found)


def _told(report: Report, found: dict[str, dict[str, float]]) -> None:
    for kind, figures in found.items():
        report.row("limiter", wishes=kind, **figures)
    counted, uncounted = found["counted"]["per s"], found["uncounted"]["per s"]
    over = max(0.0, found["wanted by all"]["admitted"] - 2 * _SHARED_BUDGET)
    report.goals += [
        Goal("admissions with budgets, four processes", counted, at_least=2000, unit="/s"),
        Goal("of those without budgets", counted / uncounted, at_least=0.5),
        Goal("a refusal, CPU of the process", found["refused"]["CPU ms"], at_most=2, unit="ms"),
        Goal("admitted beyond a budget that all want", over, at_most=0),
    ]


async def _measured(admin: str, dsn: str, kind: str, count: int) -> dict[str, float]:
    connection = await asyncpg.connect(admin)
    try:
        await connection.execute("TRUNCATE messenger.delivery_requests, messenger.delivery_work CASCADE")
        await connection.execute("TRUNCATE messenger.rate_used")
    finally:
        await connection.close()
    emptying = asyncio.create_task(_emptied(admin))
    try:
        answers = await asyncio.gather(*(_process(dsn, kind, count) for _ in range(PROCESSES)))
    finally:
        emptying.cancel()
        await asyncio.gather(emptying, return_exceptions=True)
    seconds = max(one["ended"] for one in answers) - min(one["began"] for one in answers)
    return {
        "admitted": sum(one["admitted"] for one in answers),
        "refused": sum(one["refused"] for one in answers),
        "per s": PROCESSES * count / seconds,
        "CPU ms": 1000 * sum(one["cpu_s"] for one in answers) / (PROCESSES * count),
    }


async def _emptied(admin: str) -> None:
    """Takes out what waits, as workers do: a household has a hundred places, not as many rows as a bench admits."""
    connection = await asyncpg.connect(admin)
    try:
        while True:
            await connection.execute("DELETE FROM messenger.delivery_work")
            await asyncio.sleep(_EMPTIED_EVERY_S)
    finally:
        await connection.close()


async def _process(dsn: str, kind: str, count: int) -> dict[str, Any]:
    command = (sys.executable, "-m", "bench.delivery.limiter", dsn, kind, str(count))
    child = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    output, _ = await asyncio.wait_for(child.communicate(), 300)
    if child.returncode:
        raise RuntimeError(f"a process of the limiter's bench ended with {child.returncode}")
    answer: dict[str, Any] = json.loads(output)
    return answer


async def admit(dsn: str, kind: str, count: int) -> dict[str, float]:
    """Admit `count` deliveries in one process, eight at once; times are of the machine's monotonic clock."""
    pool = await open_pool(dsn, "messenger", name="limiter", min_size=_AT_ONCE, max_size=_AT_ONCE)
    store, limits, admitted = AdmissionStore(pool), _KINDS[kind], 0
    numbers = iter(range(count))

    async def one_after_another() -> None:
        nonlocal admitted
        for number in numbers:
            try:
                stored = await store.admit(_wish(kind, number), limits)
            except OverloadRejected:
                continue
            admitted += stored is not None

    began, spent = time.monotonic(), time.process_time()
    await asyncio.gather(*(one_after_another() for _ in range(_AT_ONCE)))
    ended, cpu_s = time.monotonic(), time.process_time() - spent
    await pool.close()
    return {
        "began": began,
        "ended": ended,
        "cpu_s": cpu_s,
        "admitted": admitted,
        "refused": count - admitted,
    }


def _wish(kind: str, number: int) -> NewDelivery:
    to = "1" if kind == "refused" else str(number % 200)
    return NewDelivery(
        delivery_id=uuid4(),
        idempotency_key=str(uuid4()),
        request_id=None,
        subrequest_id=None,
        origin_butler="finance",
        intent="react" if kind == "uncounted" else "reply",
        channel="telegram",
        contact_id=None,
        target_identity=to,
        thread_identity=f"telegram:{to}",
        reply_to=None,
        notify_request={"delivery": {"message": "Your electricity bill is due on Friday."}},
        route_context=None,
        status=Status.PENDING,
        expires_after_s=86_400.0,
    )


if __name__ == "__main__":
    print(json.dumps(asyncio.run(admit(sys.argv[1], sys.argv[2], int(sys.argv[3])))))
