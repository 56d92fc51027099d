"""What the scenarios share: doors into the household, and a signing key that is being replaced meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest

from tests.e2e.cluster import Cluster
from tests.e2e.household import Household
from tests.e2e.scenarios.auditing import now
from tests.e2e.scenarios.doors import doors_of
from tests.e2e.scenarios.rotation import Rotating


@pytest.fixture(scope="session")
def doors(cluster: Cluster) -> Iterator[Household]:
    """The demo household by the node's address; ready when the session first asks."""
    cluster.ready("butler,connector", timeout_s=300)
    with doors_of(cluster) as found:
        yield found


@pytest.fixture(scope="session")
def rotating(cluster: Cluster, often: datetime) -> Rotating:
    """Switchboard's signing key, asked to be replaced while everything else goes on."""
    return Rotating.ask(cluster)


@pytest.fixture
def home(
    cluster: Cluster, often: datetime, doors: Household, request: pytest.FixtureRequest
) -> Iterator[Household]:
    """The whole household before and after the test."""
    if any("rotating" in getattr(item, "fixturenames", ()) for item in request.session.items):
        request.getfixturevalue("rotating")
    cluster.ready("butler,connector", timeout_s=240)
    yield doors
    cluster.ready("butler,connector", timeout_s=240)


@pytest.fixture
def since() -> datetime:
    """The moment at which the test began."""
    return now()
