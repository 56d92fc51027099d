"""The names that a service answers to come from its environment, with commas between."""

from butler_kit.config.environment import ProcessEnvironment, read_environment

NEEDED = {"BUTLERS_DATABASE_URL": "postgresql://x", "BUTLERS_JWKS_FILE": "/etc/jwks.json"}


def test_names_are_read_with_commas_between() -> None:
    given = NEEDED | {"BUTLERS_NAMES": "butler-finance, butler-finance.household.svc,"}
    assert read_environment(ProcessEnvironment, given).names == (
        "butler-finance",
        "butler-finance.household.svc",
    )


def test_without_names_only_loopback_is_left() -> None:
    assert read_environment(ProcessEnvironment, NEEDED).names == ()
