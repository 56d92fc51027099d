"""Render the environment of a butler: what `butler.toml` names by `*_env`, and where things are."""

from __future__ import annotations

from butler_resources.kinds import Butler, SecretRef, database_secret
from butler_resources.render.environment import (
    Environment,
    IfThere,
    Surroundings,
    authorities_environment,
    collector_environment,
    logging_environment,
)
from butler_resources.render.modules_toml import (
    ATTACHMENTS_TOKEN_ENV,
    CALENDAR_SECRET_ENV,
    CANARY_KEY_ENV,
    EMAIL_ADDRESS_ENV,
    EMAIL_PASSWORD_ENV,
    INSTRUCTIONS_FILE_ENV,
    MODEL_KEY_ENV,
    TELEGRAM_TOKEN_ENV,
    attachments_token,
    calendar_secret,
)
from butler_resources.render.thinking import canary_key, model_key, tool_tokens

__all__ = ["render_butler_env"]


def render_butler_env(butler: Butler, surroundings: Surroundings) -> Environment:
    """Return the environment of `butler`; secrets as references."""
    env: dict[str, str | SecretRef | IfThere] = _database(butler, surroundings) | {
        "BUTLERS_JWKS_FILE": surroundings.jwks_file,
        "BUTLERS_REVOKED_FILE": surroundings.revoked_file,
        "BUTLERS_HOST": surroundings.host,
        **logging_environment(butler.spec.telemetry, surroundings),
        **collector_environment(butler.spec.telemetry, surroundings),
        **authorities_environment(surroundings),
    }
    if surroundings.names:
        env["BUTLERS_NAMES"] = ",".join(surroundings.names)
    if surroundings.subjects_file is not None:
        env["BUTLERS_SUBJECTS_FILE"] = surroundings.subjects_file
    if butler.spec.role == "switchboard":
        if surroundings.signing_key_file is not None:
            env["BUTLERS_SIGNING_KEY_FILE"] = surroundings.signing_key_file
    else:
        env["BUTLERS_TOKEN_FILE"] = surroundings.token_file
        env["SWITCHBOARD_MCP_URL"] = surroundings.switchboard_url
    if butler.spec.role == "messenger" and surroundings.contacts_file is not None:
        env["BUTLERS_CONTACTS_FILE"] = surroundings.contacts_file
    if butler.spec.instructions_from is not None and surroundings.instructions_file is not None:
        env[INSTRUCTIONS_FILE_ENV] = surroundings.instructions_file
    return (
        env
        | _channels(butler)
        | _model_key(butler)
        | _canary_key(butler)
        | {variable: IfThere(ref) for variable, ref in tool_tokens(butler).items()}
        | {entry.name: entry.secret_ref for entry in butler.spec.env}
    )


def _database(butler: Butler, surroundings: Surroundings) -> dict[str, str | SecretRef | IfThere]:
    if surroundings.database_url_file is not None:
        return {"BUTLERS_DATABASE_URL_FILE": surroundings.database_url_file}
    return {"BUTLERS_DATABASE_URL": database_secret(butler)}


def _model_key(butler: Butler) -> dict[str, str | SecretRef | IfThere]:
    """Return the model's key, if the butler has one; with a fallback it runs without the key too (D28)."""
    ref = model_key(butler)
    if ref is None:
        return {}
    return {MODEL_KEY_ENV: ref if butler.spec.runtime.fallback is None else IfThere(ref)}


def _canary_key(butler: Butler) -> dict[str, str | SecretRef | IfThere]:
    """Return the key of a family that is tried; without it the usual runtime decides."""
    ref = canary_key(butler)
    return {} if ref is None else {CANARY_KEY_ENV: IfThere(ref)}


def _channels(butler: Butler) -> dict[str, str | SecretRef | IfThere]:
    modules = butler.spec.modules
    env: dict[str, str | SecretRef | IfThere] = {}
    if modules is not None and modules.telegram is not None:
        env[TELEGRAM_TOKEN_ENV] = modules.telegram.bot.token_secret_ref
    if modules is not None and modules.email is not None:
        env[EMAIL_ADDRESS_ENV] = modules.email.bot.address
        env[EMAIL_PASSWORD_ENV] = modules.email.bot.password_secret_ref
    if (secret := calendar_secret(butler)) is not None:
        env[CALENDAR_SECRET_ENV] = IfThere(secret)
    if (token := attachments_token(butler)) is not None:
        env[ATTACHMENTS_TOKEN_ENV] = IfThere(token)
    return env
