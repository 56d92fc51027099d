"""Whoever writes a household's manifests gets no code into its pods, and none of its secrets that are not for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.cluster_resources import butler, database_secret, secret, switchboard

Start = Callable[..., Any]


async def test_a_variable_that_names_other_code_is_a_condition_and_what_runs_stays(start: Start) -> None:
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(secret("extra", path="/tmp/other"))
        home.api.have(switchboard())
        home.api.have(butler("finance"))
        await home.until(home.has("Butler", "finance", "Deployed", "True"))
        before = home.api.find("Deployment", "butler-finance")["spec"]

        named = [{"name": "PYTHONPATH", "secretRef": {"name": "extra", "key": "path"}}]
        home.api.have(butler("finance", env=named))

        await home.until(home.has("Butler", "finance", "Accepted", "False", "InvalidSpec"))
        assert "which code a pod runs" in home.api.condition("Butler", "finance", "Accepted")["message"]
        await home.settled()
        assert home.api.find("Deployment", "butler-finance")["spec"] == before
