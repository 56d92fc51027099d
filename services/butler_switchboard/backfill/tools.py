"""Backfill's MCP tools: for operators and the dashboard (SWB-19), and for connectors (SWB-20, CNX-06.4)."""

from __future__ import annotations

from typing import Any, Final

from butler_kit.auth import Caller, Forbidden, Role
from butler_kit.mcp.server import ToolServer
from butler_switchboard.backfill.models import CreateJob, JobQuestion, JobRef, PollArgs, ProgressArgs
from butler_switchboard.backfill.states import LEASE
from butler_switchboard.backfill.store import BackfillStore, Taken

__all__ = ["register_backfill_tools"]

_OPERATORS: Final = (Role.OPERATOR,)
_READERS: Final = (Role.OPERATOR, Role.DASHBOARD)
_CONNECTORS: Final = (Role.CONNECTOR,)


def register_backfill_tools(server: ToolServer, jobs: BackfillStore, *, cents_per_message: float) -> None:
    """Offer both sets; `cents_per_message` is what connectors charge a message that they submit."""
    _register_for_people(server, jobs)
    _register_for_connectors(server, jobs, cents_per_message)


def _register_for_people(server: ToolServer, jobs: BackfillStore) -> None:
    @server.tool("create_backfill_job", CreateJob, roles=_OPERATORS)
    async def create(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Have a connector read the history of some days; the connector has to be online."""
        job_id, status = await jobs.create(CreateJob(**args), actor=caller.subject)
        return {"job_id": str(job_id), "status": status.value}

    async def act(verb: str, caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        job_id = args["job_id"]
        status = await jobs.act(verb, job_id, actor=caller.subject, owner=None, reason=None)
        return {"job_id": str(job_id), "status": status.value}

    @server.tool("backfill.pause", JobRef, roles=_OPERATORS)
    async def pause(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Stop a job and keep its place; the connector notices within one batch."""
        return await act("pause", caller, args)

    @server.tool("backfill.cancel", JobRef, roles=_OPERATORS)
    async def cancel(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """End a job for good; what it has submitted stays."""
        return await act("cancel", caller, args)

    @server.tool("backfill.resume", JobRef, roles=_OPERATORS)
    async def resume(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Queue a paused or cost_capped job again, from its place."""
        return await act("resume", caller, args)

    @server.tool("backfill.list", JobQuestion, roles=_READERS)
    async def listed(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Jobs with their figures, newest first."""
        found = await jobs.list(JobQuestion(**args))
        return {"jobs": [job.model_dump(mode="json") for job in found]}


def _register_for_connectors(server: ToolServer, jobs: BackfillStore, cents_per_message: float) -> None:
    @server.tool("backfill.poll", PollArgs, roles=_CONNECTORS)
    async def poll(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """The oldest job that waits for your source, now yours under a lease; `job` is null when none does."""
        source = _own_source(caller)
        if source != (args["connector_type"], args["endpoint_identity"]):
            raise Forbidden(
                f"'{caller.subject}' is bound to {source[0]} '{source[1]}' and polls for that only"
            )
        taken = await jobs.poll(*source, actor=caller.subject)
        return {"job": None if taken is None else _handed_out(taken, cents_per_message)}

    @server.tool("backfill.progress", ProgressArgs, roles=_CONNECTORS)
    async def progress(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Report a batch of your job; the answer is the job's state, to be obeyed."""
        source = _own_source(caller)
        told = ProgressArgs(**args)
        applied, row = await jobs.report(told.job_id, told.to_progress(), source=source, actor=caller.subject)
        return {
            "job_id": str(told.job_id),
            "status": applied.job.status.value,
            "outcome": applied.outcome.value,
            "batch_seq": applied.job.batch_seq,
            "rate_limit_per_hour": row["rate_limit_per_hour"],
        }


def _own_source(caller: Caller) -> tuple[str, str]:
    binding = caller.connector
    if binding is None:
        raise Forbidden(f"'{caller.subject}' is bound to no source")
    return binding.connector_type, binding.endpoint_identity


def _handed_out(taken: Taken, cents_per_message: float) -> dict[str, Any]:
    job, row = taken.job, taken.row
    return {
        "job_id": str(job.job_id),
        "params": {
            "target_categories": list(row["target_categories"]),
            "date_from": row["date_from"].isoformat(),
            "date_to": row["date_to"].isoformat(),
            "rate_limit_per_hour": row["rate_limit_per_hour"],
            "daily_cost_cap_cents": row["daily_cost_cap_cents"],
            "cents_per_message": cents_per_message,
        },
        "cursor": job.cursor,
        "lease_id": str(job.lease_id),
        "lease_s": LEASE.total_seconds(),
        "batch_seq": job.batch_seq,
    }
