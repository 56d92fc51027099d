"""What Switchboard is told about butlers: declarations from manifests, evidence from processes."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from butler_cli.errors import UserError
from butler_cli.local.child_state import ChildState
from butler_cli.local.declare import (
    Declarations,
    evidence_of_child,
    report_evidence,
    wait_registered,
)
from butler_cli.local.ports import Ports
from butler_kit.time import ManualClock
from butler_resources.kinds import Butler, Manifests, parse_manifests
from butler_resources.render.registry import declaration_of
from butler_switchboard.operations.ops_models import DeclareBody

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
READY = ChildState(name="finance", state="ready", pid=1, restarts=2, crash_loop=False, last_exit=None)


def finance(extra: str = "") -> Butler:
    text = (
        "apiVersion: butlers.dev/v1alpha1\nkind: Butler\nmetadata: {name: finance}\n"
        f"spec: {{role: specialist, profile: finance{extra}}}\n"
    )
    return parse_manifests({"f": text}).butlers[0]


def test_a_declaration_has_endpoint_and_role_and_what_the_manifest_itself_says() -> None:
    assert declaration_of(
        finance(
            ", triggers: [taxes], capabilities: [tax.de], description: Money, requiredInformation: [the sum]"
        ),
        endpoint="http://127.0.0.1:40105/mcp",
        now=NOW,
    ) == {
        "endpoint": "http://127.0.0.1:40105/mcp",
        "role": "specialist",
        "description": "Money",
        "triggers": ["taxes"],
        "capabilities": ["tax.de"],
        "required_information": ["the sum"],
        "manifest_hold": None,
    }


@pytest.mark.parametrize(
    ("said", "declared"), [("", None), (", arbitrationPriority: 0", None), (", arbitrationPriority: -3", -3)]
)
def test_an_arbitration_priority_is_declared_where_it_says_anything(said: str, declared: int | None) -> None:
    """A Switchboard of the release before refuses the field."""
    body = declaration_of(finance(said), endpoint="http://127.0.0.1:40105/mcp", now=NOW)
    assert body.get("arbitration_priority") == declared
    assert DeclareBody.model_validate(body).to_declaration().arbitration_priority == (declared or 0)


@pytest.mark.parametrize(
    ("inbox", "mailbox"),
    [
        ("", None),
        (", inbox: {host: imap.example.org, port: 993}", "imap:home@example.org"),
        (", inbox: {host: imap.example.org, port: 993, endpointIdentity: 'imap:mail'}", "imap:mail"),
    ],
)
def test_the_mailbox_whose_mail_messenger_may_submit_is_declared_with_it(
    inbox: str, mailbox: str | None
) -> None:
    bot = (
        "address: home@example.org, passwordSecretRef: {name: mail, key: password}, "
        f"smtp: {{host: smtp.example.org, port: 465}}{inbox}"
    )
    text = (
        "apiVersion: butlers.dev/v1alpha1\nkind: Butler\nmetadata: {name: messenger}\n"
        f"spec: {{role: messenger, modules: {{email: {{bot: {{{bot}}}}}}}}}\n"
    )
    [messenger] = parse_manifests({"f": text}).butlers
    declared = declaration_of(messenger, endpoint="http://127.0.0.1:40104/mcp", now=NOW)
    assert declared.get("mailbox") == mailbox


def test_what_the_manifest_leaves_open_is_left_to_the_butler_s_registration() -> None:
    declared = declaration_of(finance(), endpoint="http://127.0.0.1:40105/mcp", now=NOW)
    assert (declared["triggers"], declared["capabilities"]) == ([], [])


def test_a_hold_of_the_manifest_is_declared_until_it_ends() -> None:
    held = finance(", eligibility: {quarantine: {reason: audit, until: 2026-01-31T13:00:00Z}}")
    assert declaration_of(held, endpoint="http://127.0.0.1:1/mcp", now=NOW)["manifest_hold"] == {
        "reason": "audit",
        "until": "2026-01-31T13:00:00+00:00",
    }
    assert (
        declaration_of(held, endpoint="http://127.0.0.1:1/mcp", now=NOW + timedelta(hours=1))["manifest_hold"]
        is None
    )
    forever = finance(", eligibility: {quarantine: {reason: audit}}")
    assert declaration_of(forever, endpoint="http://127.0.0.1:1/mcp", now=NOW)["manifest_hold"] == {
        "reason": "audit",
        "until": None,
    }


def test_evidence_is_what_was_seen_and_when() -> None:
    assert evidence_of_child(READY, now=NOW) == {
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


async def test_connectors_wait_until_every_butler_is_registered_but_not_for_ever() -> None:
    states = {"finance": "stale", "travel": "active"}
    answers: list[httpx.Response] = []

    def answer(_: httpx.Request) -> httpx.Response:
        entries = [{"name": name, "eligibility_state": state} for name, state in states.items()]
        answers.append(httpx.Response(200, json={"butlers": entries}))
        if len(answers) == 3:
            states["finance"] = "quarantined"
        return answers[-1]

    client = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    declarations = Declarations(client, ops_url="http://s/ops/v1", token=lambda: "t")
    names = ["finance", "travel"]
    assert await wait_registered(declarations, names, deadline_s=10, every_s=0.01) == []
    assert len(answers) == 4
    states["travel"] = "stale"
    assert await wait_registered(declarations, names, deadline_s=0.05, every_s=0.01) == ["travel"]


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
    async with asyncio.timeout(90):
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


@pytest.mark.parametrize("steps", range(6))
async def test_reporting_ends_when_it_is_cancelled_at_the_moment_of_a_change(steps: int) -> None:
    ops, changed = Ops(), asyncio.Event()
    task = asyncio.create_task(
        report_evidence(ops.declarations, names=[], snapshot=list, changed=changed, clock=ManualClock(NOW))
    )
    await asyncio.sleep(0.01)
    changed.set()
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    done, _ = await asyncio.wait({task}, timeout=5)
    assert done == {task}
