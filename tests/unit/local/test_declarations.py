"""What Switchboard is told about butlers: declarations from manifests, evidence from processes."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from butler_cli.errors import UserError
from butler_cli.local.declare import Declarations, declaration_of, evidence_of, report_evidence
from butler_cli.local.ports import Ports
from butler_cli.local.process import ChildState
from butler_kit.time import ManualClock
from butler_resources.kinds import Butler, Manifests, parse_manifests

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
READY = ChildState(name="finance", state="ready", pid=1, restarts=2, crash_loop=False, last_exit=None)


def finance(extra: str = "") -> Butler:
    text = (
        "apiVersion: butlers.dev/v1alpha1\nkind: Butler\nmetadata: {name: finance}\n"
        f"spec: {{role: specialist, profile: finance{extra}}}\n"
    )
    return parse_manifests({"f": text}).butlers[0]


def test_a_declaration_has_endpoint_triggers_capabilities_and_role() -> None:
    assert declaration_of(finance(), port=40105, now=NOW) == {
        "endpoint": "http://127.0.0.1:40105/mcp",
        "role": "specialist",
        "description": "Receipts, invoices, bills and subscriptions",
        "triggers": ["receipts", "invoices", "bills", "subscriptions"],
        "capabilities": ["records"],
        "manifest_hold": None,
    }


def test_a_hold_of_the_manifest_is_declared_until_it_ends() -> None:
    held = finance(", eligibility: {quarantine: {reason: audit, until: 2026-01-31T13:00:00Z}}")
    assert declaration_of(held, port=1, now=NOW)["manifest_hold"] == {
        "reason": "audit",
        "until": "2026-01-31T13:00:00+00:00",
    }
    assert declaration_of(held, port=1, now=NOW + timedelta(hours=1))["manifest_hold"] is None
    forever = finance(", eligibility: {quarantine: {reason: audit}}")
    assert declaration_of(forever, port=1, now=NOW)["manifest_hold"] == {"reason": "audit", "until": None}


def test_evidence_is_what_was_seen_and_when() -> None:
    assert evidence_of(READY, now=NOW) == {
        "butler": "finance",
        "ready": True,
        "restarts": 2,
        "crash_loop": False,
        "observed_at": "2026-01-31T12:00:00+00:00",
    }


class Ops:
    """The ops API as the supervisor sees it, in memory."""

    def __init__(self, status: int = 200) -> None:
        self.requests: list[httpx.Request] = []
        self.status = status
        self.client = httpx.AsyncClient(transport=httpx.MockTransport(self.answer))
        self.declarations = Declarations(self.client, ops_url="http://s/ops/v1", token=lambda: "operator's")

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return httpx.Response(self.status, text="no such role")


async def test_every_butler_but_switchboard_is_declared_as_the_operator() -> None:
    ops = Ops()
    switchboard = parse_manifests(
        {"f": "apiVersion: butlers.dev/v1alpha1\nkind: Butler\nmetadata: {name: switchboard}\n"
         "spec: {role: switchboard}"}
    ).butlers[0]  # fmt: skip
    manifests = Manifests(butlers=(switchboard, finance()))
    await ops.declarations.declare(manifests, ports=Ports({"finance": 40105}, {}), now=NOW)
    (request,) = ops.requests
    assert (request.method, str(request.url)) == ("PUT", "http://s/ops/v1/butlers/finance")
    assert request.headers["Authorization"] == "Bearer operator's"


async def test_a_refused_declaration_is_told_with_its_reason() -> None:
    ops = Ops(status=422)
    with pytest.raises(UserError, match="Switchboard refused butler finance: 422 no such role"):
        await ops.declarations.declare(
            Manifests(butlers=(finance(),)), ports=Ports({"finance": 1}, {}), now=NOW
        )


async def test_evidence_is_reported_on_change_and_at_every_beat_and_survives_an_outage() -> None:
    ops, changed, states = Ops(status=503), asyncio.Event(), [READY]
    names = ["finance"]
    task = asyncio.create_task(
        report_evidence(
            ops.declarations,
            names=names,
            snapshot=lambda: states,
            changed=changed,
            clock=ManualClock(NOW),
            beat_s=0.05,
        )
    )
    async with asyncio.timeout(10):
        while len(ops.requests) < 3:
            await asyncio.sleep(0.01)
        states[:] = [
            ChildState("finance", "unready", 1, 2, True, None),
            ChildState("mail", "ready", 2, 0, False, None),
        ]
        changed.set()
        while json.loads(ops.requests[-1].content)["ready"]:
            await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    bodies = [json.loads(request.content) for request in ops.requests]
    assert {body["butler"] for body in bodies} == {"finance"}
    assert bodies[-1]["crash_loop"] is True
