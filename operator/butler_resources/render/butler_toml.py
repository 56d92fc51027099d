"""Render a butler's `butler.toml`: the same text on a cluster and on one machine.

Invariant: it holds no secret value; a credential is the name of an environment variable (MSG-11.1), and the variable
itself comes from `render.butler_env`. What a manifest leaves out is not in it either (D76).
"""

from __future__ import annotations

from typing import Any, Final

import tomli_w

from butler_resources.kinds import Butler, Household
from butler_resources.kinds.schedules import Schedule
from butler_resources.kinds.tools import ToolServer, token_variable
from butler_resources.render.modules_toml import (
    CANARY_KEY_ENV,
    INSTRUCTIONS_FILE_ENV,
    MODEL_KEY_ENV,
    modules_table,
)
from butler_resources.render.profiles import (
    capabilities_of,
    description_of,
    schema_of,
    timezone_of,
    triggers_of,
)
from butler_resources.render.tables import table_of

__all__ = ["TABLES", "render_butler_toml"]

TABLES: Final = (
    "runtime",
    "budget",
    "buffer",
    "routing",
    "dispatch",
    "retention",
    "rollups",
    "slo",
    "delivery",
    "privacy",
)
"""The blocks of `spec` that are tables of the same name."""


def render_butler_toml(butler: Butler, household: Household, *, port: int) -> str:
    """Return the text of `butler.toml` for `butler` of `household`, listening on `port`."""
    document: dict[str, Any] = {"butler": _butler(butler, household, port)}
    for name in TABLES:
        block = getattr(butler.spec, name)
        if block is not None and (table := table_of(block)):
            document[name] = table
    runtime = document["runtime"]
    for table, variable in ((runtime, MODEL_KEY_ENV), (runtime.get("canary", {}), CANARY_KEY_ENV)):
        if table.pop("api_key_secret_ref", None) is not None:
            table["api_key_env"] = variable
    if rules := document.get("routing", {}).get("rules"):
        rules.sort(key=lambda rule: rule["priority"])
    if targets := document.get("dispatch", {}).get("targets"):
        document["dispatch"]["targets"] = {target.pop("butler"): target for target in targets}
    if butler.spec.tools:
        document["tools"] = [_tool_server(server) for server in butler.spec.tools]
    if butler.spec.modules is not None:
        document["modules"] = modules_table(butler.spec.modules)
    return tomli_w.dumps(document, multiline_strings=False)


def _butler(butler: Butler, household: Household, port: int) -> dict[str, Any]:
    spec = butler.spec
    section: dict[str, Any] = {
        "name": butler.name,
        "role": spec.role,
        "port": port,
        "description": description_of(butler),
        "schema": schema_of(butler),
        "timezone": timezone_of(butler, household),
        "triggers": list(triggers_of(butler)),
        "capabilities": list(capabilities_of(butler)),
    }
    if spec.profile is not None:
        section["profile"] = spec.profile
    if spec.instructions is not None:
        section["instructions"] = spec.instructions
    if spec.instructions_from is not None:
        section["instructions_file_env"] = INSTRUCTIONS_FILE_ENV
    if spec.role == "specialist" and household.currency is not None:
        section["currency"] = household.currency
    section |= {key: value for key, value in _unasked(spec.role, household).items() if value is not None}
    if household.quiet_hours is not None:
        section["quiet_hours"] = table_of(household.quiet_hours)
    if spec.required_information:
        section["required_information"] = list(spec.required_information)
    if spec.schedules:
        section["schedule"] = [_schedule(entry) for entry in spec.schedules]
    if spec.trusted_callers is not None:
        section["security"] = {"trusted_route_callers": list(spec.trusted_callers)}
    return section


def _tool_server(server: ToolServer) -> dict[str, Any]:
    """Return a tool server's table; an empty `read_only` stays, because it means that no tool only reads."""
    table = table_of(server)
    if server.approval == "never":
        del table["approval"]
    if server.read_only is not None:
        table["read_only"] = list(server.read_only)
    if table.pop("token_secret_ref", None) is not None:
        table["token_env"] = token_variable(server)
    return table


def _unasked(role: str, household: Household) -> dict[str, Any]:
    """Return the settings for unprompted messages: digests, Messenger's questions, specialists' reminders."""
    if role in ("messenger", "switchboard"):
        return {"language": household.language, "digest_at": household.digest_at}
    if role == "specialist":
        return _reminded(household)
    return {}


def _reminded(household: Household) -> dict[str, Any]:
    """Return the reminder settings; lead times also serve "remind me of bills" without any `remind_of`."""
    said: dict[str, Any] = {}
    if household.remind_of:
        said = {"language": household.language, "remind_of": list(household.remind_of)}
    if household.remind_before is not None and (before := table_of(household.remind_before)):
        said["remind_before"] = before
    return said


def _schedule(entry: Schedule) -> dict[str, Any]:
    return table_of(entry) | {"dispatch_mode": "job" if entry.job is not None else "prompt"}
