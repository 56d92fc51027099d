"""pgbench as the baseline of what this PostgreSQL can do now: one INSERT of the same full row per transaction."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

from bench.ingest.messages import a_row
from bench.ingest.place import Place
from bench.measure.cpu import CpuMeter
from bench.measure.slices import Slice
from butler_cli.local.postgres_host import binaries
from butler_switchboard.ingress.rows import AdmissionRow

__all__ = ["Pgbench"]

_TPS = re.compile(r"tps = ([0-9.]+)")
_MOST_SECONDS = 5
_LEAST_EACH = 4
_DONE = re.compile(r"number of transactions actually processed: (\d+)")
_COLUMNS = {
    "schema_version": "schema_version",
    "source_channel": "channel",
    "source_provider": "provider",
    "source_endpoint_identity": "endpoint_identity",
    "source_sender_identity": "sender_identity",
    "source_thread_identity": "thread_identity",
    "policy_tier": "policy_tier",
    "ingestion_tier": "ingestion_tier",
    "sender_class": "sender_class",
    "reply_policy": "reply_policy",
    "request_context": "context_json",
    "raw_payload": "raw_json",
    "normalized_text": "text",
    "lifecycle_state": "lifecycle_state",
}


class Pgbench:
    """Writes into `message_inbox` of its own database, so that neither side fills the other's tables."""

    def __init__(self, place: Place, database: str) -> None:
        self._place = place
        self._database = database
        self._script = place.folder / "row.sql"
        self._script.write_text(_statement(a_row(1)), encoding="utf-8")

    async def slice(self, *, clients: int, cpu: CpuMeter) -> Slice:
        """Run for one second (pgbench takes whole seconds), with the latency of every transaction logged.

        Its clients connect within that second; if a busy machine leaves too little of it, the run is longer.
        """
        for seconds in range(1, _MOST_SECONDS + 1):
            taken = await self._run(clients, seconds, cpu)
            if taken is not None and taken.count >= _LEAST_EACH * clients:
                return taken
        raise RuntimeError(f"pgbench hardly finished a transaction within {_MOST_SECONDS} s")

    async def _run(self, clients: int, seconds: int, cpu: CpuMeter) -> Slice | None:
        prefix = self._place.folder / "pgbench"
        cpu.start()
        process = await asyncio.create_subprocess_exec(
            str(binaries() / "pgbench"), "-n", "-M", "prepared", "-f", str(self._script), "-c", str(clients),
            "-j", str(min(2, clients)), "-T", str(seconds), "-l", f"--log-prefix={prefix}",
            "-h", "127.0.0.1", "-p", str(self._place.postgres.port), "-U", "butler_switchboard", self._database,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "PGPASSWORD": "bench", "PGOPTIONS": "-csearch_path=switchboard"},
        )  # fmt: skip
        output, errors = await process.communicate()
        used, latencies = cpu.stop(), _latencies(prefix)
        if process.returncode:
            raise RuntimeError(f"pgbench failed: {errors.decode()[-500:]}")
        text = output.decode()
        done, per_s = _DONE.search(text), _TPS.search(text)
        if done is None or per_s is None or not float(per_s[1]):
            return None
        return Slice(int(done[1]), int(done[1]) / float(per_s[1]), latencies, used)


def _latencies(prefix: Path) -> list[float]:
    found: list[float] = []
    for file in prefix.parent.glob(f"{prefix.name}.*"):
        found += [int(line.split()[2]) / 1e6 for line in file.read_text(encoding="ascii").splitlines()]
        file.unlink()
    return found


def _statement(row: AdmissionRow) -> str:
    values = [_literal(getattr(row, field)) for field in _COLUMNS.values()]
    columns = ", ".join(_COLUMNS)
    event = "CAST(CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint) AS text)"
    key = f"{_literal(f'event:telegram:telegram:{row.endpoint_identity}:')} || {event}"
    return (
        "INSERT INTO message_inbox (request_id, received_at, external_event_id, external_message_id, dedupe_key,"
        f" {columns}) VALUES (gen_random_uuid(), now(), {event}, {event}, {key}, {', '.join(values)});\n"
    )


def _literal(value: object) -> str:
    # pgbench would take a colon before a word for a variable.
    text = str(value).replace("\\", "\\\\").replace("'", "''").replace(":", "\\072")
    return f"E'{text}'"
