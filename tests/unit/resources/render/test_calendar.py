"""What a manifest's calendar becomes: an environment that may lack its secret, and a port that a pod may open."""

from __future__ import annotations

from typing import Any

import pytest

from butler_resources.kinds import SecretRef
from butler_resources.render import IfThere, Surroundings
from butler_resources.render.butler_env import render_butler_env
from butler_resources.render.cluster.networkpolicy import provider_ports
from butler_resources.render.cluster.references import dispensable, references
from tests.support.manifests import butler_of

PLACE = Surroundings(
    switchboard_url="http://127.0.0.1:40100/sse", jwks_file="/j", token_file="/t", revoked_file="/r"
)
SECRET = SecretRef(name="calendar", key="k")


def messenger(**calendar: Any) -> Any:
    return butler_of({"role": "messenger", "modules": {"calendar": calendar}}, name="messenger")


def test_a_secret_that_is_not_there_keeps_no_pod_from_running_and_one_that_changes_reaches_it() -> None:
    butler = messenger(secretRef={"name": "calendar", "key": "k"})
    assert render_butler_env(butler, PLACE)["BUTLER_CALENDAR_SECRET"] == IfThere(SECRET)
    assert SECRET in references(butler)
    assert SECRET in dispensable(butler)


@pytest.mark.parametrize(
    ("calendar", "ports"),
    [
        ({}, ()),
        ({"secretRef": {"name": "calendar", "key": "k"}}, (443,)),
        (
            {
                "secretRef": {"name": "calendar", "key": "k"},
                "provider": "caldav",
                "url": "https://cloud.example:8443/home/",
                "username": "home",
            },
            (8443,),
        ),
        ({"secretRef": {"name": "calendar", "key": "k"}, "url": "http://proxy.example:8080/v3"}, (443, 8080)),
    ],
)
def test_messengers_pods_may_reach_the_calendar_once_it_has_a_secret(
    calendar: dict[str, Any], ports: tuple[int, ...]
) -> None:
    assert provider_ports(messenger(**calendar)) == ports
