"""Callers of a cluster at a served Switchboard: declared, bound, revoked; who pretends is refused (D2, D3, CNX-16)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from butler_kit.auth import DenyList, write_deny_list
from butler_kit.auth.signer import audience_of
from butler_kit.mcp import AuthenticationRefused, ToolError
from butler_kit.time import SystemClock
from tests.support.cluster_tokens import OPERATOR, ClusterKeys, joined, subject_of
from tests.support.switchboard import BOT, telegram
from tests.support.switchboard_service import Household, Running, until

BOT_PATH = f"/connectors/telegram_bot/{BOT}"
AS_BOT = {"subject": subject_of("connector-bot"), "max_tier": "interactive"}
OTHER = "telegram:bot:other"


class Ahead(SystemClock):
    """The machine's clocks, moved ahead by a test."""

    def __init__(self) -> None:
        self.by = 0.0

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.by)

    def monotonic(self) -> float:
        return super().monotonic() + self.by


class Cluster:
    """The household's keys, subjects and deny list as the operator mounts them, and tokens of its accounts."""

    def __init__(self, home: Household, folder: Path) -> None:
        self.home, self.clock = home, Ahead()
        self.keys, self.revoked = ClusterKeys("ES256"), folder / "revoked.json"
        write_deny_list(self.revoked, DenyList())
        home.more_environment |= joined(self.keys, home.keys.jwks, folder)
        home.more_environment["BUTLERS_REVOKED_FILE"] = str(self.revoked)

    def token(self, account: str = "connector-bot", **more: Any) -> str:
        return self.keys.token(account, self.clock, **more)

    def has_reader(self, account: str) -> None:
        """As the operator writes it into the trust document."""
        subjects = Path(self.home.more_environment["BUTLERS_SUBJECTS_FILE"])
        known = json.loads(subjects.read_text())
        known["subjects"][subject_of(account)] = {"role": "dashboard"}
        subjects.write_text(json.dumps(known))

    def operator(self, running: Running) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {self.token(sub=OPERATOR)}"}
        return httpx.AsyncClient(
            base_url=f"{running.url}/ops/v1", headers=headers, trust_env=False, timeout=60
        )


@pytest.fixture
def cluster(home: Household, tmp_path: Path) -> Cluster:
    return Cluster(home, tmp_path)


async def submit(running: Running, token: str, number: int = 1, **source: str) -> dict[str, Any]:
    envelope = telegram(number, control={"policy_tier": "high_priority"}).to_wire()
    envelope["source"] |= source
    return await running.call(token, "ingestion.ingest", {"envelope": envelope})


def beat(endpoint: str) -> dict[str, Any]:
    return {
        "schema_version": "connector.heartbeat.v1",
        "connector": {
            "connector_type": "telegram_bot",
            "endpoint_identity": endpoint,
            "instance_id": str(uuid4()),
        },
        "status": {"state": "healthy", "uptime_s": 1.0},
        "counters": {},
        "sent_at": datetime.now(UTC).isoformat(),
    }


@pytest.mark.spec("CNX-16.1")
async def test_a_connectors_token_is_good_for_its_own_source_alone(home: Household, cluster: Cluster):
    """The same for a token of the household's own authority and for one of a cluster's service account."""
    async with home.run(clock=cluster.clock) as running:
        async with cluster.operator(running) as operator:
            assert (await operator.put(BOT_PATH, json=AS_BOT)).status_code == 200
        for number, token in enumerate((home.keys.connector("telegram_bot", BOT), cluster.token()), start=1):
            accepted = await submit(running, token, number)
            row = await home.row(accepted["request_id"])
            assert (row["source_endpoint_identity"], row["policy_tier"]) == (BOT, "interactive")
            for stolen in (
                {"endpoint_identity": OTHER},
                {"channel": "email", "provider": "imap"},
                {"channel": "api", "provider": "internal"},
            ):
                with pytest.raises(ToolError, match=r"is bound to|submits for telegram") as refused:
                    await submit(running, token, number + 10, **stolen)
                assert refused.value.error is not None
                assert refused.value.error.retryable is False
            with pytest.raises(ToolError, match="is bound to"):
                await running.call(token, "connector.heartbeat", {"heartbeat": beat(OTHER)})
            calls: list[tuple[str, dict[str, Any]]] = [
                ("notify", {"notify_request": {}}),
                ("butler.heartbeat", {}),
            ]
            for tool, args in calls:
                with pytest.raises(ToolError):
                    await running.call(token, tool, args)
            async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
                taken = await client.put(f"{running.url}/ops/v1{BOT_PATH}", json=AS_BOT)
            assert taken.status_code == 403
        assert await home.pool.fetchval("SELECT count(*) FROM message_inbox") == 2
        page = await running.metrics()
    assert 'butlers_switchboard_tier_clamped_total{channel="telegram"} 2.0' in page


@pytest.mark.parametrize("account", ["default", "editor", "butler-x", "connector-bot", "butlers-dashboard"])
async def test_no_account_of_the_household_but_its_reader_s_reads_what_people_wrote(
    home: Household, cluster: Cluster, account: str
):
    """Whoever may make tokens in the namespace gets any account's; the API server guards that one (ADR 0047)."""
    finance = {
        "endpoint": home.butler("finance").url,
        "role": "specialist",
        "subject": subject_of("butler-x"),
    }
    cluster.has_reader("butlers-reader")
    async with home.run(clock=cluster.clock) as running:
        async with cluster.operator(running) as operator:
            await operator.put(BOT_PATH, json=AS_BOT)
            await operator.put("/butlers/finance", json=finance)
        for path in ("/requests", "/dead-letters"):
            url = f"{running.url}/ops/v1{path}"
            async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
                said = await client.get(url, headers={"Authorization": f"Bearer {cluster.token(account)}"})
                read = await client.get(
                    url, headers={"Authorization": f"Bearer {cluster.token('butlers-reader')}"}
                )
            assert said.status_code in (401, 403), (path, said.text)
            assert read.status_code == 200, (path, read.text)


async def test_a_service_account_is_nobody_before_and_after_its_declaration(
    home: Household, cluster: Cluster
):
    finance = {
        "endpoint": home.butler("finance").url,
        "role": "specialist",
        "subject": subject_of("butler-x"),
    }
    async with home.run(clock=cluster.clock) as running, home.run(clock=cluster.clock) as second:
        with pytest.raises(AuthenticationRefused):
            await submit(running, cluster.token())
        async with cluster.operator(running) as operator:
            await operator.put(BOT_PATH, json=AS_BOT)
            await operator.put("/butlers/finance", json=finance)
        await submit(running, cluster.token(), 1)

        async def known_there() -> bool:
            try:
                return bool(await submit(second, cluster.token(), 2))
            except AuthenticationRefused:
                return False

        await until(known_there, what="the other replica taking a declared connector")
        # Its claims would make it somebody else, if they counted.
        forged = cluster.token("butler-x", role="operator", name="health", origin="health")
        said = {
            "schema_version": "notify.v1",
            "origin_butler": "health",
            "delivery": {"intent": "send", "channel": "telegram", "message": "pay"},
        }
        with pytest.raises(
            ToolError, match=r"origin_butler 'health' is not 'system:serviceaccount:home:butler-x'"
        ):
            await running.call(forged, "notify", {"notify_request": said})
        told = [route.input.context.notify_request for route in home.messenger.got if route.input.context]
        assert "health" not in {request.origin_butler for request in told if request is not None}
        async with cluster.operator(second) as operator:
            assert (await operator.delete(BOT_PATH)).status_code == 200
        with pytest.raises(AuthenticationRefused):
            await submit(second, cluster.token(), 3)

        async def gone_here() -> bool:
            return not await _accepted(running, cluster)

        await until(gone_here, what="the first replica forgetting an undeclared connector")


@pytest.mark.spec("CNX-16.2")
async def test_a_compromised_token_is_refused_within_a_minute_of_its_revocation(
    home: Household, cluster: Cluster
):
    async with home.run(clock=cluster.clock) as running:
        async with cluster.operator(running) as operator:
            await operator.put(BOT_PATH, json=AS_BOT)
        stolen = cluster.token(jti="stolen")
        await submit(running, stolen, 1)
        write_deny_list(cluster.revoked, DenyList(frozenset({"stolen"})))
        cluster.clock.by += 59
        with pytest.raises(AuthenticationRefused):
            await submit(running, stolen, 2)
        await submit(running, cluster.token(jti="next"), 3)
        everything = DenyList(subjects={AS_BOT["subject"]: cluster.clock.now()})
        write_deny_list(cluster.revoked, everything)
        older = cluster.token(jti="older")
        cluster.clock.by += 59
        with pytest.raises(AuthenticationRefused):
            await submit(running, older, 4)
        await submit(running, cluster.token(jti="newer"), 5)
        for wrong in (
            cluster.token(aud=[audience_of("messenger")]),
            cluster.token(life_s=86_400),
            ClusterKeys("ES256", number=1).token("connector-bot", cluster.clock),
            cluster.token(iss="https://another.example"),
        ):
            with pytest.raises(AuthenticationRefused):
                await submit(running, wrong, 6)


async def _accepted(running: Running, cluster: Cluster) -> bool:
    try:
        return bool(await submit(running, cluster.token(), 4))
    except AuthenticationRefused:
        return False
