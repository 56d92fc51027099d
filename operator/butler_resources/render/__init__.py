"""Pure renderers: manifests in, `butler.toml` and environments out; the same in every place."""

from butler_resources.render.butler_env import render_butler_env
from butler_resources.render.butler_toml import render_butler_toml
from butler_resources.render.ca_bundle import bundle_of
from butler_resources.render.checks import household_problems, runtime_problem
from butler_resources.render.connector_env import render_connector_env
from butler_resources.render.environment import Environment, IfThere, Surroundings
from butler_resources.render.modules_toml import attachments_token, calendar_secret
from butler_resources.render.profiles import (
    BASE_PORT,
    FIRST_CONNECTOR_PORT,
    capabilities_of,
    default_port,
    defaults_of,
    schema_of,
    source_of,
    timezone_of,
    triggers_of,
)

__all__ = [
    "BASE_PORT",
    "FIRST_CONNECTOR_PORT",
    "Environment",
    "IfThere",
    "Surroundings",
    "attachments_token",
    "bundle_of",
    "calendar_secret",
    "capabilities_of",
    "default_port",
    "defaults_of",
    "household_problems",
    "render_butler_env",
    "render_butler_toml",
    "render_connector_env",
    "runtime_problem",
    "schema_of",
    "source_of",
    "timezone_of",
    "triggers_of",
]
