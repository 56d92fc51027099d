"""What operators, the dashboard and connectors may ask of `/ops/v1`, over HTTP with real tokens."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from butler_kit.ops.app import openapi_document
from butler_rollups.quality import Measure
from butler_switchboard.operations.ops_app import app
from butler_switchboard.registry.records import Declaration
from butler_switchboard.rollouts.rollouts import Rollouts
from butler_switchboard.rollouts.store import RolloutStore
from butler_switchboard.rollouts.trial import Rollout, Version
from butler_switchboard.telemetry import SwitchboardMetrics
from tests.integration.switchboard.operations.requests import a_finished_request, a_waiting_request
from tests.integration.switchboard.operations.served import Served
from tests.support.switchboard import BOT

DRIFTED = """
INSERT INTO routing_quality_daily
SELECT (now() AT TIME ZONE 'UTC')::date - n, 'telegram', '*', model, 'p1', 10, 20, 10,
       CASE WHEN n <= 7 AND model = 'small' THEN 5 ELSE 0 END, 0, 0, 0, 0, now()
FROM generate_series(1, 35) AS n CROSS JOIN (VALUES ('small'), ('big')) AS models (model);
INSERT INTO rollup_run
SELECT 'quality', day - n * interval '24 hours', day - (n - 1) * interval '24 hours', 1, 1, 'sql', 'v', now()
FROM generate_series(1, 35) AS n CROSS JOIN (SELECT date_trunc('day', now(), 'UTC') AS day) AS today;
"""
FINANCE = {
    "endpoint": "http://127.0.0.1:40105/mcp",
    "role": "specialist",
    "description": "Money.",
    "triggers": ["receipts", "invoices"],
    "capabilities": ["expenses"],
}


async def test_a_butler_is_declared_registers_and_is_shown(served: Served):
    async with served.http() as ops:
        declared = await ops.put("/butlers/finance", json=FINANCE)
        assert (declared.status_code, declared.json()["eligibility_state"]) == (200, "stale")
        finance = served.tools("finance", role="butler")
        answer = await finance.call(
            "register_butler", {"tools": ["route.execute"], "route_contract": "route.v1"}
        )
        assert answer["eligibility_state"] == "active"
        assert (await finance.call("butler.heartbeat", {"observed": {"queue_depth": 0}}))[
            "eligibility_state"
        ] == "active"
        await finance.aclose()
        (shown,) = (await ops.get("/butlers")).json()["butlers"]
        assert (shown["name"], shown["eligible"], shown["eligibility_state"]) == ("finance", True, "active")
        assert (shown["endpoint"], shown["triggers"]) == (FINANCE["endpoint"], FINANCE["triggers"])
        one = (await ops.get("/butlers/finance")).json()
        assert [line["new_state"] for line in one["transitions"]] == ["active"]


async def test_what_a_butler_says_of_its_model_is_shown_until_it_says_otherwise(served: Served):
    fault = {"kind": "unauthorized", "message": "llm refuses the key"}
    word = {"family": "api", "fallback": None, "fault": fault}
    async with served.http() as ops:
        await ops.put("/butlers/finance", json=FINANCE)
        finance = served.tools("finance", role="butler")
        await finance.call("register_butler", {"tools": [], "route_contract": "route.v1"})
        for said in (word, {"family": 7}, None):  # what cannot be read changes nothing
            await finance.call("butler.heartbeat", {"observed": {"runtime": said}})
        shown = (await ops.get("/runtime")).json()["butlers"]
        assert (shown["finance"]["family"], shown["finance"]["fallback"]) == ("api", None)
        assert {name: shown["finance"]["fault"][name] for name in fault} == fault
        await finance.call("butler.heartbeat", {"observed": {"runtime": {**word, "fault": None}}})
        assert (await ops.get("/runtime")).json()["butlers"]["finance"]["fault"] is None
        noted = {**word, "fault": None, "note": "llm does not list small"}
        await finance.call("butler.heartbeat", {"observed": {"runtime": noted}})
        await finance.aclose()
        shown = (await ops.get("/runtime")).json()["butlers"]["finance"]
        assert (shown["fault"], shown["note"]) == (None, "llm does not list small")


async def test_a_manifests_hold_and_its_end_come_by_declaration(served: Served):
    held = {**FINANCE, "manifest_hold": {"reason": "frozen", "until": "2100-01-01T00:00:00Z"}}
    async with served.http() as ops:
        assert (await ops.put("/butlers/finance", json=held)).json()["reason"] == "manifest_hold"
        refused = await ops.post("/butlers/finance/release", json={"reason": "please"})
        assert refused.status_code == 400
        assert "spec.eligibility.quarantine" in refused.json()["error"]["message"]
        assert (await ops.put("/butlers/finance", json=FINANCE)).json()["eligibility_state"] == "stale"


async def test_an_operator_quarantines_and_releases_under_their_own_name(served: Served):
    async with served.http(subject="ada") as ops:
        await ops.put("/butlers/finance", json=FINANCE)
        held = await ops.post("/butlers/finance/quarantine", json={"reason": "wrong answers"})
        said = held.json()
        assert (said["name"], said["eligibility_state"], said["reason"]) == (
            "finance",
            "quarantined",
            "operator_hold",
        )
        await ops.post("/butlers/finance/release", json={"reason": "fixed"})
    rows = await served.pool.fetch(
        "SELECT operation, actor, reason FROM dashboard_audit_log ORDER BY audit_id"
    )
    assert [tuple(row) for row in rows] == [
        ("butler.declare", "ada", None),
        ("butler.quarantine", "ada", "wrong answers"),
        ("butler.release", "ada", "fixed"),
    ]


async def test_evidence_of_a_crash_loop_quarantines(served: Served):
    async with served.http() as ops:
        await ops.put("/butlers/finance", json=FINANCE)
        body = {
            "butler": "finance",
            "ready": False,
            "restarts": 4,
            "crash_loop": True,
            "observed_at": datetime.now(UTC).isoformat(),
        }
        assert (await ops.post("/evidence", json=body)).json()["reason"] == "crash_loop"
        (shown,) = (await ops.get("/butlers")).json()["butlers"]
        assert (shown["crash_loop"], shown["restarts"], shown["quarantine_origin"]) == (True, 4, "automatic")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "says"),
    [
        ("PUT", "/butlers/finance", {**FINANCE, "endpoint": "ftp://x"}, 400, "not a butler's address"),
        ("PUT", "/butlers/finance", {**FINANCE, "colour": "red"}, 400, "colour"),
        ("PUT", "/butlers/switchboard", FINANCE, 400, "role 'specialist'"),
        ("PUT", "/butlers/messenger", FINANCE, 400, "role 'specialist'"),
        ("PUT", "/butlers/Finance!", FINANCE, 400, "name"),
        ("POST", "/butlers/nobody/quarantine", {"reason": "x"}, 404, "'nobody' is not declared"),
        ("POST", "/butlers/nobody/release", {"reason": ""}, 400, "reason"),
        ("POST", "/evidence", {"butler": "nobody"}, 400, "restarts"),
        ("GET", "/butlers/nobody", None, 404, "'nobody' is not declared"),
        ("GET", "/requests/42", None, 400, "is not a UUID"),
        ("GET", "/requests/0199d4b0-0000-7000-8000-000000000000", None, 404, "is not known"),
        ("GET", "/requests/7d444840-9dc0-11d1-b245-5ffdce74fad2", None, 404, "is not known"),
        ("GET", "/requests?limit=0", None, 400, "limit"),
        ("GET", "/requests?limit=many", None, 400, "limit"),
        ("GET", "/requests?channel=pigeon", None, 400, "channel"),
        ("GET", "/requests?before=7d444840-9dc0-11d1-b245-5ffdce74fad2", None, 400, "before"),
        ("POST", "/connectors/imap/nobody/quarantine", {"reason": "x"}, 404, "is not known"),
    ],
)
async def test_a_call_that_cannot_be_served_says_why(served: Served, method, path, body, status, says):
    async with served.http() as ops:
        response = await ops.request(method, path, json=body)
    assert response.status_code == status
    error = response.json()["error"]
    assert error["class"] == "validation_error"
    assert says in error["message"]


async def test_a_body_that_is_no_json_is_refused_readably(served: Served):
    async with served.http() as ops:
        response = await ops.put(
            "/butlers/finance", content=b"{", headers={"Content-Type": "application/json"}
        )
    assert (response.status_code, response.json()["error"]["class"]) == (400, "validation_error")


@pytest.mark.parametrize("role", ["dashboard", "connector", "butler"])
async def test_only_operators_change_anything(served: Served, role: str):
    async with served.http(role, subject="someone") as client:
        for method, path in operations(served):
            if method != "GET":
                some = path.removeprefix("/ops/v1").format(
                    name="finance",
                    connector_type="imap",
                    endpoint_identity="x",
                    request_id=UUID(int=1),
                    dead_letter_id=UUID(int=1),
                    job_id=UUID(int=1),
                    rule_id=UUID(int=1),
                    verb="cancel",
                    person="ada",
                )
                response = await client.request(method, some, json={})
                assert response.status_code == 403, (method, path, response.text)


@pytest.mark.parametrize("role", ["connector", "butler"])
async def test_lists_are_for_operators_and_the_dashboard(served: Served, role: str):
    async with served.http(role, subject="someone") as client:
        for path in ("/requests", "/connectors", "/butlers"):
            assert (await client.get(path)).status_code == 403
    async with served.http("dashboard") as client:
        for path in ("/requests", "/connectors", "/butlers"):
            assert (await client.get(path)).status_code == 200


async def test_it_is_told_how_far_statistics_are(served: Served):
    async with served.http("dashboard") as client:
        answer = await client.get("/rollups")
    told = answer.json()
    assert (answer.status_code, told["engine"]) == (200, "sql")
    assert [(job["job"], job["window_s"]) for job in told["jobs"]] == [
        ("hourly", 3_600),
        ("daily", 86_400),
        ("fanout", 86_400),
        ("quality", 86_400),
    ]
    assert [(job["watermark"], job["lag_s"]) for job in told["jobs"]] == [(None, 0.0)] * 4


@pytest.mark.spec("SWB-37.1")
async def test_it_is_told_how_good_routing_was_by_slices_and_what_has_drifted(served: Served):
    async with served.http("dashboard") as client:
        new = (await client.get("/quality")).json()
        async with served.pool.acquire() as connection:
            await connection.execute(DRIFTED)
        told = (await client.get("/quality", params={"by": "model"})).json()
        wrong = await client.get("/quality", params={"by": "mood"})
        for table in ("routing_quality_daily", "rollup_run"):
            async with served.pool.acquire() as connection:
                await connection.execute(f"DELETE FROM {table}")
    assert (new["slices"], new["drifts"]) == ([], [])
    assert [(one["name"], one["recent"]["decisions"]) for one in told["slices"]] == [
        ("big", 70),
        ("small", 70),
    ]
    assert told["slices"][1]["recent"]["counts"]["corrected"] == 35
    nothing = {measure.value: 0 for measure in Measure}
    before = {"decisions": 280, "segments": 560, "counts": {**nothing, "divided": 280}}
    assert told["slices"][1]["before"] == before
    drifts = {(one["dimension"], one["name"], one["measure"]): one for one in told["drifts"]}
    assert set(drifts) == {("model", "small", "corrected"), ("household", "*", "corrected")}
    assert drifts["model", "small", "corrected"]["recent"] == {"count": 35, "of": 70}
    assert wrong.status_code == 400


@pytest.mark.spec("SWB-36.1")
async def test_it_is_told_how_a_candidate_stands_also_before_any_day_is_over(served: Served):
    rollout = Rollout(Version("stub", "p-1"), Version("next", "p-1"), "", 20, 30, 0.001)
    rollouts = Rollouts(rollout, RolloutStore(served.pool, served.audit), SwitchboardMetrics(served.metrics))
    async with served.http("dashboard") as client:
        none = (await client.get("/quality")).json()["rollout"]
        await rollouts.look()
        served.ops.rollouts._rollout = rollout
        told = (await client.get("/quality")).json()["rollout"]
        served.ops.rollouts._rollout = None
    assert none is None
    assert (told["key"], told["state"], told["percent"]) == (rollout.key, "collecting", 20)
    nothing = {"invalid_verdicts": 0, "fallbacks": 0, "corrected": 0, "errors": 0}
    assert told["candidate"] == {
        "model": "next", "prompt_version": "p-1", "family": "api", "decisions": 0, "signals": nothing,
    }  # fmt: skip
    assert (told["rolled_back_at"], told["worse"], told["fault"]) == (None, None, None)


async def test_statistics_of_a_database_that_is_away_are_unavailable_and_no_defect(served: Served):
    async with served.http("dashboard") as client:
        served.pool.terminate()
        answer = await client.get("/rollups")
    assert (answer.status_code, answer.json()["error"]["class"]) == (503, "target_unavailable")


async def test_nobody_is_served_without_a_token_and_the_document_tells_of_every_path(served: Served):
    async with served.http(None) as client:
        for method, path in (
            *operations(served),
            ("GET", "/ops/v1/openapi.json"),
            ("GET", "/ops/v1/nothing"),
        ):
            response = await client.request(method, path.removeprefix("/ops/v1"), json={})
            assert response.status_code == 401, (method, path)
    async with served.http("butler", subject="finance") as client:
        assert (await client.get("/openapi.json")).status_code == 403
    async with served.http("dashboard") as client:
        document = (await client.get("/openapi.json")).json()
    assert {
        (method.upper(), path) for path, item in document["paths"].items() for method in item
    } == operations(served)
    assert len(operations(served)) == 44
    replay = document["paths"]["/ops/v1/dead-letters/{dead_letter_id}/replay"]["post"]
    assert replay["summary"] == "Send its failed parts again, once"
    assert set(replay["responses"]) == {"200", "400", "401", "403", "404", "409", "422", "503", "504"}
    schema = replay["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    assert set(document["components"]["schemas"][schema]["properties"]) == {"reason", "requested_by"}
    names = {one["name"] for one in document["paths"]["/ops/v1/requests"]["get"]["parameters"]}
    assert names == {"limit", "state", "channel", "since", "before", "dedupe_key"}


async def test_a_path_or_method_that_is_not_there_is_refused_readably(served: Served):
    async with served.http() as ops:
        for method, path, status in (("GET", "/nothing", 404), ("PATCH", "/butlers", 405)):
            response = await ops.request(method, path)
            assert (response.status_code, response.json()["error"]["class"]) == (status, "validation_error")


async def test_what_sessions_read_and_wrote_is_shown_to_operators_and_to_nobody_else(served: Served):
    request = await a_finished_request(served.pool)
    session = await served.pool.fetchval("SELECT session_id FROM sessions WHERE request_id = $1", request)
    await served.pool.execute(
        "INSERT INTO session_transcripts (session_id, prompt, output) VALUES ($1, 'CANARY-READ', 'CANARY-WROTE')",
        session,
    )
    path = f"/requests/{request}/sessions"
    async with served.http() as operator:
        [shown] = (await operator.get(path)).json()["sessions"]
    assert (shown["session_id"], shown["kind"], shown["family"]) == (str(session), "route", "rules")
    assert shown["tool_calls"] == [{"tool": "route_to_butler", "args": {"butler": "finance"}}]
    assert shown["transcript"] == {"prompt": "CANARY-READ", "output": "CANARY-WROTE"}
    for role, subject in (("dashboard", "dashboard"), ("butler", "finance"), ("connector", BOT)):
        async with served.http(role, subject=subject) as other:
            refused, whole = await other.get(path), await other.get(f"/requests/{request}")
        assert refused.status_code == 403, role
        assert "CANARY" not in refused.text + whole.text


async def test_a_connector_reads_its_own_requests_and_no_others(served: Served):
    mine = await a_finished_request(served.pool, reply="Noted.")
    async with served.http("connector", subject=BOT) as own:
        shown = (await own.get(f"/requests/{mine}")).json()
    assert (shown["lifecycle_state"], shown["aggregated_reply"]["text"]) == ("parsed", "Noted.")
    assert shown["envelope"]["payload"]["normalized_text"] == "lunch was 12 euros"
    assert not {"subroutes", "sessions", "audit", "decisions"} & shown.keys()
    for subject, kind in (("telegram:bot:other", "telegram_bot"), (BOT, "webhook")):
        async with served.http("connector", subject=subject, kind=kind) as other:
            response = await other.get(f"/requests/{mine}")
        assert response.status_code == 404
        assert response.json()["error"]["message"] == f"request {mine} is not known"


async def test_requests_are_listed_newest_first_page_by_page(served: Served):
    ids = [str(await a_waiting_request(served.pool, number)) for number in range(5)]
    async with served.http() as ops:
        seen: list[str] = []
        query: dict[str, str] = {"limit": "2"}
        for _ in range(3):
            page = (await ops.get("/requests", params=query)).json()
            seen += [line["request_id"] for line in page["requests"]]
            query = {"limit": "2", "before": page["next"] or ""}
    assert page["next"] is None
    assert seen == ids[::-1]


async def test_a_list_can_be_narrowed_by_state_channel_and_time(served: Served):
    done = str(await a_finished_request(served.pool))
    waiting = str(await a_waiting_request(served.pool, 7))

    async def listed(ops, **query: str) -> list[str]:
        lines = (await ops.get("/requests", params=query)).json()["requests"]
        return sorted(line["request_id"] for line in lines)

    async with served.http() as ops:
        assert await listed(ops) == sorted([done, waiting])
        assert await listed(ops, state="parsed") == [done]
        assert await listed(ops, state="accepted", channel="telegram") == [waiting]
        assert await listed(ops, channel="email") == []
        tomorrow = (datetime.now(UTC) + timedelta(days=1)).isoformat()
        assert await listed(ops, since=tomorrow) == []


async def test_a_database_that_is_away_is_a_503_that_can_be_tried_again(served: Served):
    await served.pool.close()
    async with served.http() as ops:
        response = await ops.get("/butlers")
    assert (response.status_code, response.json()["error"]["retryable"]) == (503, True)


async def test_a_foreign_butler_cannot_speak_for_another(served: Served):
    await served.butlers.declare("finance", _declared(), actor="ada")
    intruder = served.tools("travel", role="butler")
    with pytest.raises(RuntimeError, match="'travel' is not declared"):
        await intruder.call(
            "register_butler", {"tools": [], "route_contract": "route.v1", "description": "finance"}
        )
    await intruder.aclose()
    assert (
        await served.pool.fetchval("SELECT registered_at FROM butler_registry WHERE name = 'finance'") is None
    )


async def test_an_unknown_route_contract_is_refused_naming_the_known_one(served: Served):
    await served.butlers.declare("finance", _declared(), actor="ada")
    finance = served.tools("finance", role="butler")
    with pytest.raises(RuntimeError, match=r"route\.v1"):
        await finance.call("register_butler", {"tools": [], "route_contract": "route.v2"})
    await finance.aclose()


def _declared() -> Declaration:
    return Declaration("specialist", "http://127.0.0.1:1/mcp")


def operations(served: Served) -> set[tuple[str, str]]:
    """Method and path of everything that is described."""
    paths = openapi_document(app)["paths"]
    return {(method.upper(), path) for path, item in paths.items() for method in item}
