"""What the dashboard takes from its environment, and how a mistake in it is told."""

from __future__ import annotations

import pytest

from butler_contracts.liveness import LivenessPolicy
from butler_dashboard.settings import DashboardEnvironment
from butler_kit.config import ConfigError, read_environment

NEEDED = {"BUTLERS_DATABASE_URL": "postgresql://dashboard", "BUTLERS_JWKS_FILE": "/keys/jwks.json"}


def test_what_nobody_says_is_the_layout_and_the_thresholds_of_the_specification():
    environment = read_environment(DashboardEnvironment, NEEDED)
    assert (environment.host, environment.port, environment.timezone) == ("127.0.0.1", 40_200, "UTC")
    assert (environment.switchboard_schema, environment.messenger_schema) == ("switchboard", "messenger")
    assert environment.liveness_policy() == LivenessPolicy(online_s=300.0, offline_s=900.0)


def test_thresholds_can_be_said():
    said = {"BUTLERS_CONNECTOR_ONLINE_S": "60", "BUTLERS_CONNECTOR_OFFLINE_S": "120"}
    policy = read_environment(DashboardEnvironment, {**NEEDED, **said}).liveness_policy()
    assert policy == LivenessPolicy(online_s=60.0, offline_s=120.0)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("BUTLERS_TIMEZONE", "Mars", "not an IANA time zone"),
        ("BUTLERS_CONNECTOR_OFFLINE_S", "10", "would be offline"),
        ("BUTLERS_PORT", "70000", "less than or equal to 65535"),
        ("BUTLERS_MESSENGER_SCHEMA", "a; b", "should match pattern"),
    ],
)
def test_a_mistake_is_one_line_that_names_the_variable(name: str, value: str, said: str):
    with pytest.raises(ConfigError, match=name) as refused:
        read_environment(DashboardEnvironment, {**NEEDED, name: value})
    assert said in str(refused.value)
