"""A cluster's operator at Messenger: its service account, its own audience, and nobody else (D2)."""

from __future__ import annotations

from typing import Any

from butler_kit.time import SystemClock
from tests.integration.messenger.household import Place
from tests.support.cluster_tokens import OPERATOR, ClusterKeys, joined


async def test_a_service_account_that_the_file_names_is_the_operator_with_a_token_for_this_service(
    place: Place,
) -> None:
    cluster, clock = ClusterKeys("ES256"), SystemClock()
    place.more_environment |= joined(cluster, place.keys.jwks, place.folder)

    def token(**claims: Any) -> str:
        return cluster.token("default", clock, **{"receiver": "messenger", "sub": OPERATOR, **claims})

    async with place.messenger() as messenger:
        assert (await messenger.get("/ops/v1/deliveries", token=token())).status_code == 200
        for wrong in (
            token(receiver="switchboard"),
            cluster.token("default", clock, receiver="messenger", role="operator"),
            ClusterKeys("ES256", number=1).token("default", clock, receiver="messenger", sub=OPERATOR),
        ):
            assert (await messenger.get("/ops/v1/deliveries", token=wrong)).status_code == 401
