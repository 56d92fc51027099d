"""What the operator declares and undeclares over `/ops/v1`: butlers, connectors, and who speaks for them."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from butler_kit.auth import Role, SubjectDirectories
from butler_kit.time import SystemClock
from butler_switchboard.registry.bindings import BindingCopy, BindingStore
from butler_switchboard.registry.subjects import AlreadyBound, Binding, DeclaredSubjects
from tests.integration.switchboard.operations.served import Served
from tests.support.switchboard import BOT, MAILBOX

FINANCE = {"endpoint": "http://127.0.0.1:40105/mcp", "role": "specialist"}
AS_FINANCE = "system:serviceaccount:home:butler-finance"
AS_BOT = "system:serviceaccount:home:connector-bot"
AS_COPY = "system:serviceaccount:home:connector-copy"
BOT_PATH = f"/connectors/telegram_bot/{BOT}"


def bot(subject: str = AS_BOT, tier: str = "interactive") -> dict[str, str]:
    return {"subject": subject, "max_tier": tier}


def role_of(served: Served, subject: str) -> Role | None:
    standing = served.subjects.find(subject)
    return standing.role if standing is not None else None


async def audited(served: Served) -> list[tuple[str, str, str]]:
    rows = await served.pool.fetch(
        "SELECT operation, actor, subject FROM dashboard_audit_log ORDER BY audit_id"
    )
    return [tuple(row) for row in rows]


def said(response: httpx.Response) -> str:
    return str(response.json()["error"]["message"])


async def test_messengers_mailbox_is_that_of_its_last_declaration_and_nobody_elses(served: Served):
    at = {"endpoint": "http://127.0.0.1:40104/mcp", "role": "messenger"}

    async def mailbox() -> str | None:
        found: str | None = await served.pool.fetchval(
            "SELECT mailbox FROM butler_registry WHERE name = 'messenger'"
        )
        return found

    async with served.http() as ops:
        assert (await ops.put("/butlers/messenger", json={**at, "mailbox": MAILBOX})).status_code == 200
        assert await mailbox() == MAILBOX
        assert (await ops.put("/butlers/messenger", json=at)).status_code == 200
        assert await mailbox() is None
        refused = await ops.put("/butlers/finance", json={**FINANCE, "mailbox": MAILBOX})
    assert refused.status_code == 400
    assert "mailbox: goes with no specialist" in said(refused)


async def test_a_butlers_subject_comes_with_its_declaration_and_counts_at_once(served: Served):
    async with served.http() as ops:
        declared = await ops.put("/butlers/finance", json={**FINANCE, "subject": AS_FINANCE})
        assert (declared.status_code, declared.json()["eligibility_state"]) == (200, "stale")
        standing = served.subjects.find(AS_FINANCE)
        assert standing is not None
        assert (standing.role, standing.name) == (Role.BUTLER, "finance")
        again = await ops.put("/butlers/finance", json={**FINANCE, "subject": AS_FINANCE})
        assert again.status_code == 200
        await ops.put("/butlers/finance", json=FINANCE)
    assert role_of(served, AS_FINANCE) is Role.BUTLER, "a declaration that names no subject takes none away"
    assert await audited(served) == [
        ("subject.declare", "ada", AS_FINANCE),
        ("butler.declare", "ada", "finance"),
    ]


async def test_a_connector_is_declared_with_its_subject_and_highest_tier(served: Served):
    async with served.http() as ops:
        declared = await ops.put(BOT_PATH, json=bot())
        assert declared.json() == {
            "connector_type": "telegram_bot",
            "endpoint_identity": BOT,
            "subject": AS_BOT,
            "max_tier": "interactive",
        }
        assert (await ops.put(BOT_PATH, json=bot())).status_code == 200
        assert (await ops.put(BOT_PATH, json=bot(tier="default"))).status_code == 200
    standing = served.subjects.find(AS_BOT)
    assert standing is not None
    assert standing.connector is not None
    assert (standing.role, standing.connector.max_tier) == (Role.CONNECTOR, "default")
    assert await audited(served) == [("subject.declare", "ada", AS_BOT)] * 2


async def test_two_who_want_one_place_at_once_do_not_both_get_it(served: Served):
    path = "/connectors/webhook/webhook:home/door"
    async with served.http() as ops:
        answers = await asyncio.gather(
            *(ops.put(path, json=bot(f"system:serviceaccount:home:c-{n}")) for n in range(6))
        )
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * 5
        assert (await ops.delete(path)).json()["endpoint_identity"] == "webhook:home/door"


async def test_the_operator_sees_who_speaks_for_each_source_and_nobody_else_does(served: Served):
    async with served.http() as ops:
        assert (await ops.get("/bindings")).json() == {"bindings": []}
        await ops.put(BOT_PATH, json=bot())
        await ops.put("/butlers/finance", json={**FINANCE, "subject": AS_FINANCE})
        [bound] = (await ops.get("/bindings")).json()["bindings"]
        assert (bound["connector_type"], bound["endpoint_identity"], bound["subject"]) == (
            "telegram_bot",
            BOT,
            AS_BOT,
        )
    async with served.http(role="dashboard") as reader:
        assert (await reader.get("/bindings")).status_code == 403


async def test_another_subject_takes_a_place_only_after_the_first_was_undeclared(served: Served):
    async with served.http() as ops:
        await ops.put(BOT_PATH, json=bot())
        refused = await ops.put(BOT_PATH, json=bot(AS_COPY))
        assert (refused.status_code, refused.json()["error"]["retryable"]) == (409, False)
        assert f"declared with the subject '{AS_BOT}'" in said(refused)
        assert (await ops.delete(BOT_PATH)).json()["subject"] is None
        assert role_of(served, AS_BOT) is None
        assert (await ops.put(BOT_PATH, json=bot(AS_COPY))).status_code == 200
    assert role_of(served, AS_COPY) is Role.CONNECTOR


async def test_a_subject_speaks_for_one_caller_over_butlers_and_connectors(served: Served):
    async with served.http() as ops:
        await ops.put(BOT_PATH, json=bot())
        refused = await ops.put("/butlers/finance", json={**FINANCE, "subject": AS_BOT})
        assert refused.status_code == 409
        assert f"speaks for telegram_bot connector '{BOT}'" in said(refused)
        assert (await ops.get("/butlers/finance")).status_code == 404, "nothing was declared half"
        second = await ops.put("/connectors/imap/imap:home@example.org", json=bot())
        assert (second.status_code, role_of(served, AS_BOT)) == (409, Role.CONNECTOR)


async def test_a_resource_that_lost_the_place_does_not_undeclare_its_owner(served: Served):
    async with served.http() as ops:
        await ops.put(BOT_PATH, json=bot())
        await ops.put("/butlers/finance", json={**FINANCE, "subject": AS_FINANCE})
        for path in (BOT_PATH, "/butlers/finance"):
            refused = await ops.delete(path, params={"subject": AS_COPY})
            assert refused.status_code == 404
            assert "nothing was undeclared" in said(refused)
        assert (await ops.get("/butlers/finance")).status_code == 200
        assert (role_of(served, AS_BOT), role_of(served, AS_FINANCE)) == (Role.CONNECTOR, Role.BUTLER)
        assert (await ops.delete(BOT_PATH, params={"subject": AS_BOT})).status_code == 200
        assert (await ops.delete("/butlers/finance", params={"subject": AS_FINANCE})).status_code == 200


async def test_an_undeclared_butler_is_gone_and_its_history_stays(served: Served):
    async with served.http() as ops:
        await ops.put("/butlers/finance", json={**FINANCE, "subject": AS_FINANCE})
        finance = served.tools("finance", role="butler")
        await finance.call("register_butler", {"tools": ["route.execute"], "route_contract": "route.v1"})
        now = datetime.now(UTC).isoformat()
        evidence = {
            "butler": "finance",
            "ready": True,
            "restarts": 0,
            "crash_loop": False,
            "observed_at": now,
        }
        await ops.post("/evidence", json=evidence)
        await ops.post("/butlers/finance/quarantine", json={"reason": "wrong answers"})
        gone = await ops.delete("/butlers/finance")
        assert (gone.status_code, gone.json()["eligibility_state"]) == (200, "undeclared")
        assert (await ops.get("/butlers/finance")).status_code == 404
        assert (await ops.get("/butlers")).json()["butlers"] == []
        assert role_of(served, AS_FINANCE) is None
        with pytest.raises(RuntimeError, match="'finance' is not declared"):
            await finance.call("butler.heartbeat", {})
        await finance.aclose()
        log = await served.store.transitions("butler", "finance")
        assert [(line["previous_state"], line["new_state"]) for line in log] == [
            ("quarantined", "undeclared"),
            ("active", "quarantined"),
            ("stale", "active"),
        ]
        ended = await served.pool.fetchrow(
            "SELECT actor, reason FROM dashboard_audit_log WHERE operation = 'butler.undeclare'"
        )
        assert ended is not None
        assert tuple(ended) == ("ada", "an operator's hold ended with it: wrong answers")
        again = await ops.put("/butlers/finance", json={**FINANCE, "subject": AS_FINANCE})
        assert again.json()["reason"] == "never_seen", "a butler that comes back registers anew"


async def test_a_connector_that_is_undeclared_stays_registered_and_is_missed_until_then_alone(
    served: Served, pool: Any
):
    await pool.execute(
        "INSERT INTO connector_registry (connector_type, endpoint_identity, instance_id, instance_started_at, "
        "state, uptime_s, counters, first_seen_at, registered_via, last_heartbeat_at, eligibility_state, "
        "eligibility_updated_at) VALUES ('telegram_bot', $1, gen_random_uuid(), now(), 'healthy', 1, '{}', "
        "now(), 'self', now(), 'active', now())",
        BOT,
    )
    async with served.http() as ops:
        await ops.put(BOT_PATH, json=bot())
        (before,) = (await ops.get("/connectors")).json()["connectors"]
        await ops.delete(BOT_PATH)
        (shown,) = (await ops.get("/connectors")).json()["connectors"]
        await ops.put(BOT_PATH, json=bot(AS_COPY))
        (again,) = (await ops.get("/connectors")).json()["connectors"]
    assert shown["endpoint_identity"] == BOT
    assert [one["undeclared_at"] is None for one in (before, shown, again)] == [True, False, True]


async def test_a_declaration_that_cannot_be_taken_says_why(served: Served):
    for method, path, body, status, says in (
        ("PUT", "/connectors/pigeon/home", bot(), 400, "connector_type"),
        ("PUT", "/connectors/imap/%20", bot(), 400, "endpoint_identity"),
        ("PUT", BOT_PATH, bot("ada"), 400, "system:serviceaccount:NAMESPACE:NAME"),
        ("PUT", BOT_PATH, bot(tier="urgent"), 400, "max_tier"),
        ("PUT", BOT_PATH, {"subject": AS_BOT}, 400, "max_tier"),
        ("PUT", "/butlers/finance", {**FINANCE, "subject": "finance"}, 400, "system:serviceaccount"),
        ("DELETE", BOT_PATH, None, 404, "is not declared"),
        ("DELETE", "/butlers/nobody", None, 404, "'nobody' is not declared"),
        ("DELETE", f"{BOT_PATH}?subject=ada", None, 400, "subject"),
        ("DELETE", f"{BOT_PATH}?other=1", None, 400, "other"),
    ):
        async with served.http() as ops:
            response = await ops.request(method, path, json=body)
        assert (response.status_code, says in said(response)) == (status, True), response.text
    assert await audited(served) == []


async def test_what_one_replica_declares_another_knows_after_its_next_reading(served: Served):
    elsewhere = DeclaredSubjects()
    copy = BindingCopy(pool=served.pool, subjects=elsewhere, clock=SystemClock())
    await copy.refresh()
    async with served.http() as ops:
        await ops.put(BOT_PATH, json=bot())
        await ops.put("/butlers/finance", json={**FINANCE, "subject": AS_FINANCE})
    assert elsewhere.find(AS_BOT) is None
    assert elsewhere.asked.is_set(), "a subject that is not known asks for a reading"
    await copy.refresh()
    assert not elsewhere.asked.is_set()
    assert elsewhere.find(AS_BOT) is not None
    assert elsewhere.find(AS_FINANCE) is not None


async def test_the_copy_follows_by_itself_and_outlives_an_outage(served: Served):
    elsewhere = DeclaredSubjects()
    copy = BindingCopy(pool=served.pool, subjects=elsewhere, clock=SystemClock())
    stopping = asyncio.Event()
    running = asyncio.create_task(copy.run(stopping))
    async with served.http() as ops:
        await ops.put(BOT_PATH, json=bot())
    async with asyncio.timeout(90):
        while elsewhere.find(AS_BOT) is None:
            await asyncio.sleep(0.02)
    await served.pool.close()
    elsewhere.find(AS_COPY)
    async with asyncio.timeout(90):
        while elsewhere.asked.is_set():
            await asyncio.sleep(0.02)
    assert not running.done()
    assert elsewhere.find(AS_BOT) is not None
    running.cancel()


async def test_the_households_own_subjects_cannot_be_given_away(served: Served):
    reserved = DeclaredSubjects()
    reserved.replace([Binding(AS_COPY, butler="somebody")])
    store = BindingStore(served.audit, reserved=SubjectDirectories(reserved))
    async with served.pool.acquire() as connection, connection.transaction():
        with pytest.raises(AlreadyBound, match=rf"'{AS_COPY}' is the household's butler"):
            await store.bind(connection, Binding(AS_COPY, butler="finance"), actor="ada")
