"""Who may look: tokens, cookies, one-time links; what a stranger, a foreign site and an old link get."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import StreamingResponse

from butler_dashboard.pages.events import EventLimits
from butler_kit.auth.jwks import ISSUER_LOCAL
from butler_kit.auth.revocation import DenyList, write_deny_list
from butler_kit.auth.signer import TokenSigner, audience_of
from butler_kit.time import ManualClock
from tests.support.dashboard import dashboard_served

PAGE = {"accept": "text/html"}
COOKIE = "butlers_session_40200"


def problem(answer):
    return answer.json()["error"]["message"]


def token_of(served, role="dashboard", **more):
    return served.keys.sign("ada", role, receiver=more.pop("receiver", "dashboard"), **more)


async def test_a_program_needs_a_token_for_the_dashboard_of_a_role_that_looks(served):
    async with served.anybody() as http:

        async def asked(token):
            return await http.get("/api/butlers", headers={"Authorization": f"Bearer {token}"})

        nobody = await http.get("/api/butlers")
        assert (nobody.status_code, nobody.headers["www-authenticate"]) == (401, 'Bearer realm="butlers"')
        for role in ("dashboard", "operator"):
            assert (await asked(token_of(served, role))).status_code == 200
        elsewhere = await asked(token_of(served, receiver="switchboard"))
        assert (elsewhere.status_code, "audience butlers.dev/dashboard" in problem(elsewhere)) == (401, True)
        butler = await asked(token_of(served, "butler", name="finance"))
        assert (butler.status_code, "this needs dashboard or operator" in problem(butler)) == (403, True)
        old = ManualClock(datetime.now(UTC) - timedelta(hours=3))
        signer = TokenSigner(served.keys.folder / "local.pem", ISSUER_LOCAL, old)
        expired = signer.sign(audience_of("dashboard"), "ada", 3600, {"role": "dashboard"})
        late = await asked(expired)
        assert (late.status_code, "expired at" in problem(late)) == (401, True)
        broken = await asked("eyJ.broken.token")
        assert (broken.status_code, "not a JWT" in problem(broken)) == (401, True)
        assert "broken" not in broken.text


async def test_a_person_signs_in_with_a_token_and_stays_until_signing_out(served):
    token = token_of(served)
    async with served.anybody() as http:
        sent = await http.get("/requests?state=errored", headers=PAGE)
        assert (sent.status_code, sent.headers["location"]) == (
            303,
            "/login?next=%2Frequests%3Fstate%3Derrored",
        )
        form = await http.get(sent.headers["location"])
        assert (form.status_code, "/requests?state=errored" in form.text.replace("&#x3D;", "=")) == (
            200,
            True,
        )

        wrong = await http.post("/login", data={"token": "nonsense", "next": "/requests"})
        assert (wrong.status_code, "that is no token" in wrong.text, "nonsense" in wrong.text) == (
            401,
            True,
            False,
        )

        done = await http.post("/login", data={"token": token, "next": "/requests?state=errored"})
        assert (done.status_code, done.headers["location"]) == (303, "/requests?state=errored")
        cookie = done.headers["set-cookie"]
        value = http.cookies[COOKIE]
        assert cookie.startswith(f"{COOKIE}={value};")
        assert token not in cookie
        assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/", "Max-Age="))
        assert token not in done.text

        assert (await http.get("/api/butlers")).status_code == 200
        out = await http.post("/logout")
        assert (out.status_code, out.headers["location"]) == (303, "/login")
        assert "Max-Age=0" in out.headers["set-cookie"]
        kept = await http.get("/api/butlers", headers={"cookie": f"{COOKIE}={value}"})
        assert (kept.status_code, "signed out" in problem(kept)) == (401, True)
        raw = await http.get("/api/butlers", headers={"cookie": f"{COOKIE}={token}"})
        assert raw.status_code == 401


async def test_a_link_opens_one_session_and_only_a_program_with_a_token_makes_one(served):
    token = token_of(served)
    async with served.anybody() as http:
        assert (await http.post("/login/once")).status_code == 401
        by_cookie = await http.post("/login/once", headers={"cookie": f"{COOKIE}={token}"})
        assert by_cookie.status_code == 401
        made = await http.post("/login/once", headers={"Authorization": f"Bearer {token}"})
        assert made.status_code == 201
        path = made.json()["path"]
        assert token not in json.dumps(made.json())
        opened = await http.get(path, headers=PAGE)
        assert (opened.status_code, "url=/today" in opened.text) == (200, True)
        assert (await http.get("/api/butlers")).status_code == 200
    async with served.anybody() as other:
        again = await other.get(path, headers=PAGE)
        assert (again.status_code, "was used or is too old" in again.text) == (401, True)
        assert (await other.get("/api/butlers")).status_code == 401
        assert (await other.get("/login?once=guess")).status_code == 401


async def test_every_answer_is_strict_and_foreign_names_forms_and_floods_are_refused(served):
    async with served.anybody() as http:
        answers = [
            await http.get("/api/butlers"),
            await http.get("/login"),
            await http.get("/api/openapi.json"),
            await http.get("/nowhere", headers=PAGE),
            await http.get("/login", headers={"host": "evil.example"}),
        ]
        for answer in answers:
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "same-origin"
            assert answer.headers["cache-control"] == "no-store"
        assert [answer.status_code for answer in answers] == [401, 200, 200, 303, 421]
        form = {"token": token_of(served)}
        for foreign in (
            {"origin": "https://evil.example"},
            {"origin": "null"},
            {"sec-fetch-site": "cross-site"},
        ):
            assert (await http.post("/login", data=form, headers=foreign)).status_code == 403
        own = await http.post("/login", data=form, headers={"origin": "http://127.0.0.1:40200"})
        assert own.status_code == 303
        assert (await http.post("/login", content=b"x" * 70_000)).status_code == 413

        async def flood():
            for _ in range(70):
                yield b"x" * 1_000

        assert (await http.post("/login", content=flood())).status_code == 413


async def test_a_session_ends_with_its_token_and_at_once_when_that_is_revoked(database, tmp_path):
    clock, denied = ManualClock(datetime.now(UTC)), tmp_path / "revoked.json"
    write_deny_list(denied, DenyList())
    async with dashboard_served(database, tmp_path / "keys", clock=clock, revoked_file=denied) as served:
        first, second = token_of(served, jti="one"), token_of(served, jti="two")
        async with served.anybody() as http:
            await http.post("/login", data={"token": first})
            assert (await http.get("/api/butlers")).status_code == 200
            write_deny_list(denied, DenyList(tokens=frozenset({"one"})))
            clock.advance(3)
            assert (await http.get("/api/butlers")).status_code == 401
        async with served.anybody() as http:
            await http.post("/login", data={"token": second})
            assert (await http.get("/api/butlers")).status_code == 200
            clock.advance(3700)
            late = await http.get("/requests", headers=PAGE)
            assert (late.status_code, "Max-Age=0" in late.headers["set-cookie"]) == (303, True)


async def test_signing_out_holds_for_every_replica_and_every_restart(served, database, tmp_path):
    async with (
        dashboard_served(database, tmp_path, keys=served.keys) as other,
        served.anybody() as http,
    ):
        await http.post("/login", data={"token": token_of(served)})
        cookies = dict(http.cookies)
        async with other.anybody(cookies=cookies) as elsewhere:
            assert (await elsewhere.get("/api/butlers")).status_code == 200
            assert (await elsewhere.post("/logout")).status_code == 303
        assert (await http.get("/api/butlers")).status_code == 401
    async with (
        dashboard_served(database, tmp_path, keys=served.keys) as later,
        later.anybody(cookies=cookies) as http,
    ):
        assert (await http.get("/api/butlers")).status_code == 401


async def test_what_the_database_keeps_of_a_session_opens_none(served, admin):
    token = token_of(served)
    async with served.anybody() as http:
        await http.post("/login", data={"token": token})
        value = http.cookies[COOKIE]
    [*_, row] = await admin.fetch("SELECT * FROM switchboard.dashboard_sign_in ORDER BY expires_at")
    for secret in (token.encode(), value.encode()):
        assert secret not in bytes(row["sealed_token"])
        assert secret not in bytes(row["sign_in_id"])
    for guess in (row["sign_in_id"].hex(), row["sealed_token"].hex(), ""):
        async with served.anybody(cookies={COOKIE: guess}) as http:
            assert (await http.get("/api/butlers")).status_code == 401


async def test_behind_a_proxy_that_ends_tls_the_cookie_is_for_https_alone(database, tmp_path):
    for secure in (False, True):
        folder = tmp_path / f"keys-{secure}"
        async with (
            dashboard_served(database, folder, secure_cookies=secure) as served,
            served.anybody() as http,
        ):
            done = await http.post("/login", data={"token": token_of(served)})
            assert ("Secure" in done.headers["set-cookie"]) is secure


async def test_an_open_stream_ends_when_its_session_does(database, tmp_path):
    async with dashboard_served(database, tmp_path / "keys", limits=EventLimits(beat_s=0.1)) as served:
        async with served.anybody() as http:
            await http.post("/login", data={"token": token_of(served)})
            scope: dict[str, Any] = {
                "type": "http",
                "path": "/events",
                "headers": [(b"cookie", _cookies(http))],
                "scheme": "http",
            }
            scope |= {"server": ("127.0.0.1", 40200), "query_string": b"", "method": "GET"}
            answer = await served.events.answer(Request(scope))
            assert isinstance(answer, StreamingResponse)
            parts = aiter(answer.body_iterator)
            async with asyncio.timeout(60):
                assert "hello" in str(await anext(parts))
                assert "beat" in str(await anext(parts))
                await http.post("/logout")
                assert [part async for part in parts if "beat" not in str(part)] == []
        assert served.events.listeners == 0


def _cookies(http):
    return "; ".join(f"{name}={value}" for name, value in http.cookies.items()).encode()
