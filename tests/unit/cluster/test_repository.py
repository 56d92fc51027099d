"""How a registry is spoken to: it asks for a login in its way, and what it gives is what its digest says."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from images.push.artifacts import BILL, INDEX, attached_bill, bills_in, digest_of, with_referrer
from images.push.attach import _attach
from images.push.login import RegistryLogin, kept_login
from images.push.refused import Refused
from images.push.repository import Repository

LOGIN = base64.b64encode(b"ana:open sesame").decode()
SCOPE = "repository:house/butlers:pull,push"
MANIFEST = b'{"schemaVersion":2}'


def repository(answer: Callable[[httpx.Request], httpx.Response], login: str | None = LOGIN) -> Repository:
    client = httpx.Client(
        base_url="https://reg.example",
        transport=httpx.MockTransport(answer),
        auth=RegistryLogin(login, SCOPE),
        follow_redirects=True,
    )
    return Repository("reg.example", "house/butlers", client)


def challenged(realm: str) -> Callable[[httpx.Request], httpx.Response]:
    """A registry with a place for tokens, as the large ones have it."""

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "auth.example":
            assert request.headers["Authorization"] == f"Basic {LOGIN}"
            assert dict(request.url.params) == {"scope": SCOPE, "service": "reg"}
            return httpx.Response(200, json={"token": "t0ken"})
        if request.headers.get("Authorization") == "Bearer t0ken":
            return httpx.Response(200, content=MANIFEST)
        asked = f'Bearer realm="{realm}",service="reg",scope="{SCOPE}"'
        return httpx.Response(401, headers={"WWW-Authenticate": asked})

    return answer


def test_a_registry_that_wants_a_token_gets_one_for_this_repository() -> None:
    assert repository(challenged("https://auth.example/token")).manifest("1.0") == MANIFEST


def test_a_password_goes_to_no_place_without_tls_that_the_registry_names() -> None:
    with pytest.raises(Refused, match="asks for credentials or refuses those that it got"):
        repository(challenged("http://auth.example/token")).manifest("1.0")


def test_a_redirected_blob_is_fetched_without_the_login() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "store.example":
            assert "Authorization" not in request.headers
            return httpx.Response(200, content=b"blob")
        if "Authorization" not in request.headers:
            return httpx.Response(401, headers={"WWW-Authenticate": 'Basic realm="reg"'})
        return httpx.Response(307, headers={"Location": "https://store.example/blob"})

    assert repository(answer).blob(digest_of(b"blob")) == b"blob"


@pytest.mark.parametrize("call", [Repository.manifest, Repository.blob])
def test_another_content_than_the_digest_says_is_refused(
    call: Callable[[Repository, str], bytes | None],
) -> None:
    lying = repository(lambda _: httpx.Response(200, content=b"other"))
    with pytest.raises(Refused, match="has another content than its digest says"):
        call(lying, digest_of(b"asked for"))


@pytest.mark.parametrize("lists_referrers", [True, False])
def test_the_index_of_referrers_is_written_only_where_the_registry_has_none(lists_referrers: bool) -> None:
    sent: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "PUT" and "/manifests/" in request.url.path:
            sent.append(request.headers["Content-Type"])
            headers = {"OCI-Subject": "sha256:aa"} if lists_referrers else {}
            return httpx.Response(201, headers=headers)
        if request.method == "POST":
            return httpx.Response(202, headers={"Location": "/v2/house/butlers/blobs/uploads/1?state=x"})
        if request.method == "PUT":
            assert request.url.params["state"] == "x"
            return httpx.Response(201)
        return httpx.Response(404)

    bill = attached_bill(MANIFEST, b"{}", "butlers.cdx.json")
    tag, uploaded = _attach(repository(answer), digest_of(MANIFEST), b"{}", bill)
    assert uploaded
    assert (tag != "", sent[1:]) == ((False, []) if lists_referrers else (True, [INDEX]))


@pytest.mark.parametrize("status", [400, 404, 405])
def test_a_registry_that_does_not_know_referrers_has_none_of_them(status: int) -> None:
    assert repository(lambda _: httpx.Response(status)).referrers("sha256:aa") is None
    with pytest.raises(Refused, match="does not let this account"):
        repository(lambda _: httpx.Response(403)).referrers("sha256:aa")


def test_what_others_attached_stays_in_the_index() -> None:
    theirs = {"digest": "sha256:bb", "artifactType": "application/spdx+json", "size": 1, "mediaType": "m"}
    before = json.dumps({"schemaVersion": 2, "manifests": [theirs]}).encode()
    bill = attached_bill(MANIFEST, b"{}", "butlers.cdx.json")
    once = with_referrer(before, bill)
    assert json.loads(once)["manifests"][0] == theirs
    assert bills_in(once) == [digest_of(bill)]
    assert with_referrer(once, bill) == once
    assert json.loads(once)["manifests"][1]["artifactType"] == BILL


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        ({"reg.example": LOGIN}, LOGIN),
        ({"reg.example/house": "for the house", "reg.example": LOGIN}, "for the house"),
        ({"reg.example/other": "for others"}, None),
        ({}, None),
    ],
)
def test_the_login_that_buildah_kept_is_the_one_for_the_longest_name(
    entries: dict[str, str], found: str | None, tmp_path: Path
) -> None:
    file = tmp_path / "auth.json"
    file.write_text(json.dumps({"auths": {name: {"auth": text} for name, text in entries.items()}}), "utf-8")
    assert kept_login(file, "reg.example", "house/butlers") == found
    assert kept_login(tmp_path / "none.json", "reg.example", "house/butlers") is None


def test_a_credential_helper_is_asked_as_buildah_asks_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper = tmp_path / "docker-credential-team"
    helper.write_text(
        '#!/bin/sh\nread host\necho "{\\"Username\\": \\"$host\\", \\"Secret\\": \\"s\\"}"\n', "utf-8"
    )
    helper.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    file = tmp_path / "auth.json"
    file.write_text('{"credHelpers": {"reg.example": "team", "other.example": "gone"}}', "utf-8")
    assert kept_login(file, "reg.example", "house/butlers") == base64.b64encode(b"reg.example:s").decode()
    with pytest.raises(Refused, match="docker-credential-gone, which cannot be asked"):
        kept_login(file, "other.example", "house/butlers")
