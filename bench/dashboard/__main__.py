"""`make bench-dashboard`: how long the dashboard's answers take on a large household: first and hundredth pages, warm.

The real process answers over HTTP, with a token checked for every request; one caller at a time. Rounds over all
questions, so that whatever else the machine does falls on each alike. `/healthz` of the same process is the floor: on a
busy machine an answer waits for its turns. Processor time (dashboard and PostgreSQL) does not depend on that.

    python -m bench.dashboard [--rounds 40] [--messages 1000000] [--heartbeats 1000000] [--deliveries 100000]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import asyncpg
import httpx
import psutil

from bench.dashboard.fill import Sizes, fill
from bench.measure.cpu import tree_cpu_s
from bench.measure.machine import machine_facts
from bench.measure.report import Goal, Report
from butler_cli.local.listening import free_ports
from butler_cli.local.postgres import EmbeddedPostgres
from butler_kit.auth.jwks import ISSUER_LOCAL
from butler_kit.auth.keys import generate_key_pair, write_jwks
from butler_kit.auth.signer import TokenSigner, audience_of
from butler_kit.db import MigrationSource, SchemaPlan, provision
from butler_kit.time import SystemClock
from butler_provision.plans import dashboard_plan

PASSWORD = "bench"
GOAL_MS = 100.0
WEIGHED = 20
PAGE = 100
"""The page that is far away."""
LISTS = {
    "/api/requests": "requests",
    "/api/requests?state=errored": "requests",
    "/api/requests?channel=email": "requests",
    "/api/deliveries": "deliveries",
    "/api/deliveries?status=uncertain": "deliveries",
    "/api/dead-letters": "dead_letters",
    "/api/backfills": "backfills",
    "/api/connectors/errors": "errors",
    "/api/butlers/butler-1/history": "transitions",
}
FAR_BY_SMALL_PAGES = {"/api/requests?state=errored": 5, "/api/deliveries?status=uncertain": 1}
"""Lists that have no hundred full pages: their far page is that of a smaller limit."""
WHOLE = ("/api/connectors", "/api/butlers", "/api/connectors/errors")


@dataclass(frozen=True)
class Question:
    """One path, and what it is called in the table."""

    name: str
    path: str


@dataclass
class Answered:
    """How long the answers to a question took, in ms, and how large the last one was."""

    times_ms: list[float]
    size: int = 0
    cpu_ms: float = 0.0

    def percentile(self, share: int) -> float:
        return statistics.quantiles(self.times_ms, n=100, method="inclusive")[share - 1]


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.dashboard", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=40)
    for name in ("heartbeats", "messages", "deliveries", "connectors"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Sizes(), name))
    chosen = parser.parse_args()
    sizes = Sizes(chosen.heartbeats, chosen.messages, chosen.deliveries, chosen.connectors)
    with tempfile.TemporaryDirectory(prefix="butlers-bench-") as folder:
        report = asyncio.run(_measured(Path(folder), sizes, chosen.rounds))
    report.show()
    print(f"written to {report.write()}")
    return 0


async def _measured(folder: Path, sizes: Sizes, rounds: int) -> Report:
    machine = machine_facts()
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    try:
        began = time.monotonic()
        await _prepare(postgres, sizes)
        filled_s = time.monotonic() - began
        async with _dashboard(postgres, folder) as (http, process):
            answers = await _ask(http, await _questions(http), rounds)
            await _weigh(http, answers, (process.pid, _postmaster(folder)))
            resident_mb = psutil.Process(process.pid).memory_info().rss / 2**20
    finally:
        postgres.stop(deadline_s=20)
    return _report(machine, sizes, answers, filled_s=filled_s, resident_mb=resident_mb)


async def _prepare(postgres: EmbeddedPostgres, sizes: Sizes) -> None:
    plans = [
        SchemaPlan(
            name, f"butler_{name}", PASSWORD, (MigrationSource(name, f"butler_{name}", "sql/migrations"),)
        )
        for name in ("switchboard", "messenger")
    ]
    contacts = MigrationSource("shared", "butler_messenger", "sql/shared_migrations")
    plans.append(SchemaPlan("shared", "butler_messenger", PASSWORD, (contacts,)))
    reader = dashboard_plan(PASSWORD, switchboard="switchboard", messenger="messenger")
    await provision(postgres.admin_dsn, plans, readers=[reader])
    connection = await asyncpg.connect(postgres.admin_dsn)
    try:
        await fill(connection, sizes, lambda line: print(line, file=sys.stderr))
    finally:
        await connection.close()


@asynccontextmanager
async def _dashboard(
    postgres: EmbeddedPostgres, folder: Path
) -> AsyncIterator[tuple[httpx.AsyncClient, asyncio.subprocess.Process]]:
    """The process, ready, and a client of it."""
    local, jwks = folder / "local.pem", folder / "jwks.json"
    write_jwks(jwks, [generate_key_pair(local, ISSUER_LOCAL)])
    signer = TokenSigner(local, ISSUER_LOCAL, SystemClock())
    token = signer.sign(audience_of("dashboard"), "bench", 3600, {"role": "dashboard"})
    port = next(free_ports())
    env = {
        **os.environ,
        "BUTLERS_DATABASE_URL": postgres.dsn("butler_dashboard", PASSWORD),
        "BUTLERS_JWKS_FILE": str(jwks),
        "BUTLERS_PORT": str(port),
        "BUTLERS_LOG_LEVEL": "warning",
    }
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "butler_dashboard", env=env)
    try:
        headers = {"Authorization": f"Bearer {token}"}
        base = f"http://127.0.0.1:{port}"
        async with httpx.AsyncClient(base_url=base, headers=headers, timeout=60, trust_env=False) as http:
            await _ready(http)
            yield http, process
    finally:
        process.terminate()
        await process.wait()


async def _ready(http: httpx.AsyncClient) -> None:
    async with asyncio.timeout(120):
        while True:
            try:
                if (await http.get("/readyz")).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.1)


async def _questions(http: httpx.AsyncClient) -> list[Question]:
    one = (await http.get("/api/connectors?limit=1")).json()["connectors"][0]
    connector = f"/api/connectors/{one['connector_type']}/{quote(one['endpoint_identity'], safe='')}"
    request = (await http.get("/api/requests?limit=1")).json()["requests"][0]["request_id"]
    delivery = (await http.get("/api/deliveries?limit=1")).json()["deliveries"][0]["delivery_id"]
    letter = (await http.get("/api/dead-letters?limit=1")).json()["dead_letters"][0]["dead_letter_id"]
    paths = [
        *WHOLE[:2],
        "/api/connectors?limit=50",
        connector,
        *(f"{connector}/stats?period={period}" for period in ("24h", "7d", "30d")),
        f"{connector}/errors",
        *(f"/api/connectors/summary?period={period}" for period in ("24h", "7d", "30d")),
        *(f"/api/connectors/volume?period={period}" for period in ("24h", "7d", "30d")),
        *(f"/api/connectors/fanout?period={period}" for period in ("7d", "30d")),
        f"/api/requests/{request}",
        f"/api/deliveries/{delivery}",
        f"/api/dead-letters/{letter}",
    ]
    questions = [
        Question("/healthz", "/healthz"),
        *(Question(_named(path, connector), path) for path in paths),
    ]
    for path, name in LISTS.items():
        questions += [Question(f"{path}, page 1", path), await _far(http, path, name)]
    return questions


async def _far(http: httpx.AsyncClient, path: str, name: str) -> Question:
    """The hundredth page: ninety-nine cursors away."""
    joint = "&" if "?" in path else "?"
    limited = f"{path}{joint}limit={FAR_BY_SMALL_PAGES.get(path, 50)}"
    page, asked = 1, limited
    while page < PAGE:
        answer = (await http.get(asked)).json()
        if answer["next"] is None:
            raise SystemExit(f"{path}: only {page} pages of {name}; make the household larger")
        asked, page = f"{limited}&cursor={answer['next']}", page + 1
    return Question(f"{path}, page {PAGE}", asked)


def _named(path: str, connector: str) -> str:
    shown = path.replace(connector, "/api/connectors/T/E")
    parts = shown.split("/")
    if parts[2] in ("requests", "deliveries", "dead-letters") and len(parts) > 3:
        return f"/api/{parts[2]}/ID"
    return shown


async def _ask(
    http: httpx.AsyncClient, questions: list[Question], rounds: int
) -> Mapping[Question, Answered]:
    answers = {question: Answered([]) for question in questions}
    for number in range(rounds + 3):
        for question, answered in answers.items():
            began = time.perf_counter()
            answer = await http.get(question.path)
            took_ms = (time.perf_counter() - began) * 1000
            answer.raise_for_status()
            answered.size = len(answer.content)
            # The first three rounds warm up: connections, prepared statements, the server's cache.
            if number >= 3:
                answered.times_ms.append(took_ms)
    return answers


async def _weigh(
    http: httpx.AsyncClient, answers: Mapping[Question, Answered], roots: tuple[int, ...]
) -> None:
    """The processor time of an answer, from several in a row."""
    for question, answered in answers.items():
        before = sum(tree_cpu_s(root) for root in roots)
        for _ in range(WEIGHED):
            await http.get(question.path)
        used_s = sum(tree_cpu_s(root) for root in roots) - before
        answered.cpu_ms = used_s * 1000 / WEIGHED


def _postmaster(folder: Path) -> int:
    return int((folder / "pg/data/postmaster.pid").read_text().split()[0])


def _report(
    machine: Mapping[str, str],
    sizes: Sizes,
    answers: Mapping[Question, Answered],
    *,
    filled_s: float,
    resident_mb: float,
) -> Report:
    count = len(next(iter(answers.values())).times_ms)
    report = Report(
        "dashboard",
        machine,
        [
            f"{sizes.heartbeats:,} heartbeats and a year of statistics of {sizes.connectors} connectors, "
            f"{sizes.messages:,} messages, {sizes.deliveries:,} deliveries, 20,000 dead letters",
            f"filled by the server itself in {filled_s:.0f} s, then vacuumed and analysed",
            f"the real process over HTTP with a token, one caller; {count} warm answers to each question, in rounds",
            "pages of 50; the hundredth page is asked with its cursor",
        ],
    )
    for question, answered in answers.items():
        report.row(
            "answers, in ms",
            question=question.name,
            p50=answered.percentile(50),
            p95=answered.percentile(95),
            cpu=round(answered.cpu_ms, 1),
            kB=round(answered.size / 1000, 1),
        )
    by_name = {question.name: answered.percentile(95) for question, answered in answers.items()}
    worst = max(by_name, key=lambda name: by_name[name])
    report.goals.append(Goal(f"slowest p95 ({worst})", by_name[worst], at_most=GOAL_MS, unit="ms"))
    far = [
        by_name[f"{path}, page {PAGE}"] / by_name[f"{path}, page 1"]
        for path in LISTS
        if path not in FAR_BY_SMALL_PAGES
    ]
    heaviest = max(answers, key=lambda question: answers[question].cpu_ms)
    report.goals.append(
        Goal(f"most processor time ({heaviest.name})", answers[heaviest].cpu_ms, unit="ms an answer")
    )
    report.headline = {
        "worst_p95_ms": round(by_name[worst], 2),
        "worst_cpu_ms": round(answers[heaviest].cpu_ms, 1),
        "healthz_p95_ms": round(by_name["/healthz"], 2),
        "far_page_ratio": round(max(far), 2),
        "resident_mb": round(resident_mb, 1),
    }
    report.goals.append(Goal("hundredth page ÷ first page, the most", max(far)))
    report.goals.append(Goal("memory of the process", resident_mb, unit="MB"))
    return report


if __name__ == "__main__":
    sys.exit(main())
