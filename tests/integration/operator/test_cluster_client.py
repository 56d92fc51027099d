"""The Kubernetes client on a real socket: what it sends, that it keeps its connection, how a call ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
import yaml
from aiohttp import web
from kubernetes.aio.client import ApiClient, Configuration

from butler_operator.cluster.client import Cluster, connect
from butler_operator.cluster.errors import ClusterConflict, ClusterGone, ClusterRefused, ClusterUnavailable
from tests.support.loopback import HOST

BUTLER = {
    "kind": "Butler",
    "metadata": {"namespace": "home", "name": "finance", "uid": "u-1", "resourceVersion": "7"},
}


class Api:
    """Answers every request with `answer`, and keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, str, str]] = []
        self.connections: set[int] = set()
        self.status = 200
        self.silent = False
        self.message = "said so"

    async def handle(self, request: web.Request) -> web.Response:
        text = await request.text()
        self.asked.append((request.method, request.path_qs, request.headers["Content-Type"], text))
        assert request.transport is not None
        self.connections.add(request.transport.get_extra_info("peername")[1])
        if self.silent:
            await asyncio.Event().wait()
        return web.json_response({"kind": "Status", "message": self.message, "items": []}, status=self.status)


@pytest.fixture
def api() -> Api:
    return Api()


@pytest.fixture
async def url(api: Api) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", api.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, HOST, 0)
    await site.start()
    yield f"http://{HOST}:{runner.addresses[0][1]}"
    await runner.cleanup()


@pytest.fixture
async def cluster(url: str) -> AsyncIterator[Cluster]:
    cluster = await connect(host=url)
    yield cluster
    await cluster.close()


async def test_a_merge_patch_sends_the_null_that_removes_a_key(api: Api, cluster: Cluster) -> None:
    await cluster.write_status(BUTLER, {"phase": None, "replicas": 0})
    method, path, content_type, text = api.asked[-1]
    assert (method, content_type) == ("PATCH", "application/merge-patch+json")
    assert path.endswith("/butlers/finance/status?fieldManager=butlers-operator")
    assert json.loads(text)["status"] == {"phase": None, "replicas": 0}


async def test_an_apply_sends_the_whole_manifest_as_an_apply_patch(api: Api, cluster: Cluster) -> None:
    manifest = {"kind": "Service", "metadata": {"namespace": "home", "name": "x"}, "spec": {"ports": []}}
    await cluster.apply(manifest)
    method, path, content_type, text = api.asked[-1]
    assert (method, json.loads(text)) == ("PATCH", manifest)
    assert content_type.partition(";")[0] == "application/apply-patch+yaml"
    assert path == "/api/v1/namespaces/home/services/x?fieldManager=butlers-operator&force=true"


async def test_an_apply_is_yaml_too_whatever_characters_a_household_writes(
    api: Api, cluster: Cluster
) -> None:
    said = "a bunch \U0001f490, a caf\u00e9, \u2028 and \x7f, \\ud83d as it is"
    await cluster.apply({**BUTLER, "spec": {"description": said}})
    [(*_, text)] = api.asked
    assert json.loads(text)["spec"]["description"] == said
    assert yaml.safe_load(text)["spec"]["description"] == said
    assert "\U0001f490" in text, "no pair of escapes, which the API server refuses"


async def test_one_connection_serves_one_call_after_another(api: Api, cluster: Cluster) -> None:
    for _ in range(5):
        await cluster.list_all("Butler", "home")
        await cluster.patch("Pod", "home", "x", {"metadata": {"annotations": {"a": "b"}}})
    assert len(api.asked) == 10
    assert len(api.connections) == 1


@pytest.mark.parametrize(
    ("status", "error"),
    [(404, ClusterGone), (409, ClusterConflict), (422, ClusterRefused), (503, ClusterUnavailable)],
)
async def test_a_refusal_is_ours_with_the_words_of_the_server(
    api: Api, cluster: Cluster, status: int, error: type[Exception]
) -> None:
    api.status = status
    with pytest.raises(error, match="said so"):
        await cluster.write_finalizers(BUTLER, [])


async def test_a_refusal_is_told_the_same_in_whatever_order_the_server_lists_it(
    api: Api, cluster: Cluster
) -> None:
    api.status, told = 422, set()
    for api.message in ("errors:\n  .b: unknown\n  .a: unknown", "errors:\n  .a: unknown\n  .b: unknown"):
        with pytest.raises(ClusterRefused) as refused:
            await cluster.apply(BUTLER)
        told.add(refused.value.message)
    assert told == {"errors: .a: unknown .b: unknown"}


async def test_a_call_that_fails_is_not_repeated_behind_the_back_of_who_made_it(
    api: Api, cluster: Cluster
) -> None:
    api.status = 503
    for call in (cluster.get("Butler", "home", "x"), cluster.delete("Service", "home", "x")):
        with pytest.raises(ClusterUnavailable):
            await call
    assert [method for method, *_ in api.asked] == ["GET", "DELETE"]


async def test_a_server_that_says_nothing_is_unavailable(api: Api, url: str) -> None:
    api.silent = True
    cluster = Cluster(ApiClient(Configuration(host=url)), timeout_s=0.2)
    with pytest.raises(ClusterUnavailable):
        await cluster.get("Butler", "home", "finance")
    await cluster.close()
