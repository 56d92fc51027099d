"""A restart is asked for by an annotation of the resource, which its pods bear: their Deployment rolls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from butler_resources.kinds.names import RESTARTED_AT_ANNOTATION as RESTARTED_AT
from tests.support.cluster_resources import api_connector, butler, database_secret, secret, switchboard

Start = Callable[..., Any]


def _asks(moment: str) -> Callable[[Any], None]:
    def ask(body: Any) -> None:
        body["metadata"] = {**body["metadata"], "annotations": {RESTARTED_AT: moment, "team": "home"}}

    return ask


@pytest.mark.parametrize(("kind", "name"), [("Butler", "finance"), ("Connector", "api")])
async def test_a_restart_replaces_the_pods_once_and_changes_nothing_else(
    start: Start, kind: str, name: str
) -> None:
    async with start() as home:
        for body in (database_secret(), secret("webhook", token="t"), switchboard()):
            home.api.have(body)
        home.api.have(butler("finance"))
        home.api.have(api_connector())
        await home.until(home.has(kind, name, "Deployed", "True"))
        await home.settled()

        def bears() -> Any:
            made = home.api.find("Deployment", f"{kind.lower()}-{name}")
            return made["spec"]["template"]["metadata"]["annotations"]

        before = dict(bears())
        assert RESTARTED_AT not in before
        home.api.writes.clear()
        home.api.edit(kind, name, _asks("2026-03-01T10:00:00Z"))
        await home.until(lambda: RESTARTED_AT in bears())
        await home.settled()
        assert bears() == {**before, RESTARTED_AT: "2026-03-01T10:00:00Z"}
        applied = [ident for verb, ident, _ in home.api.writes if "status" not in str(verb)]
        assert len([one for one in applied if "Deployment" in str(one)]) == 1
        home.api.edit(kind, name, _asks("2026-03-01T11:00:00Z"))
        await home.until(lambda: bears()[RESTARTED_AT] == "2026-03-01T11:00:00Z")
