"""A cluster's operator at a specialist: its service account, its own audience, and nobody else (D2)."""

from __future__ import annotations

from typing import Any

from butler_kit.time import SystemClock
from tests.integration.specialist.household import Place
from tests.support.cluster_tokens import OPERATOR, ClusterKeys, joined


async def test_a_service_account_that_the_file_names_is_the_operator_with_a_token_for_this_service(
    place: Place,
) -> None:
    cluster, clock = ClusterKeys("ES256"), SystemClock()
    place.more_environment |= joined(cluster, place.keys.jwks, place.folder)

    def token(**claims: Any) -> str:
        return cluster.token("default", clock, **{"receiver": place.name, "sub": OPERATOR, **claims})

    async with place.specialist() as specialist:
        assert (await specialist.get("/ops/v1/records", token=token())).status_code == 200
        for wrong in (
            token(receiver="switchboard"),
            cluster.token("default", clock, receiver=place.name, role="operator"),
            ClusterKeys("ES256", number=1).token("default", clock, receiver=place.name, sub=OPERATOR),
        ):
            assert (await specialist.get("/ops/v1/records", token=wrong)).status_code == 401
