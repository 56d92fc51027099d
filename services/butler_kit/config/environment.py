"""The process environment, read once into a frozen model; each field's alias is its variable's name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError

from butler_kit.config.database_url import DATABASE_URL, DATABASE_URL_FILE, url_from_file
from butler_kit.config.errors import ConfigError, ConfigProblem
from butler_kit.config.report import environment_problems

__all__ = ["EnvironmentModel", "MemberEnvironment", "ProcessEnvironment", "read_environment"]


def _comma_separated(value: object) -> object:
    return (
        tuple(filter(None, (part.strip() for part in value.split(",")))) if isinstance(value, str) else value
    )


class EnvironmentModel(BaseModel):
    """Base of environment models: text is converted to the field's type, other variables are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=False)


class ProcessEnvironment(EnvironmentModel):
    """What every service takes from its environment; a subclass adds what one kind of service needs."""

    database_url: Annotated[SecretStr, Field(alias="BUTLERS_DATABASE_URL")]
    """Or the content of the file that BUTLERS_DATABASE_URL_FILE names: exactly one of the two is set."""
    database_url_file: Annotated[Path | None, Field(alias="BUTLERS_DATABASE_URL_FILE")] = None
    jwks_file: Annotated[Path, Field(alias="BUTLERS_JWKS_FILE")]
    revoked_file: Annotated[Path | None, Field(alias="BUTLERS_REVOKED_FILE")] = None
    subjects_file: Annotated[Path | None, Field(alias="BUTLERS_SUBJECTS_FILE")] = None
    """On a cluster: which service accounts are operators and dashboards."""
    host: Annotated[str, Field(alias="BUTLERS_HOST", min_length=1)] = "127.0.0.1"
    names: Annotated[tuple[str, ...], BeforeValidator(_comma_separated), Field(alias="BUTLERS_NAMES")] = ()
    """What callers call this service: a request that names another host is refused."""
    replica: Annotated[str | None, Field(alias="BUTLERS_REPLICA")] = None
    """A name that never two living processes have; whoever sets it vouches for that."""
    log_level: Annotated[Literal["debug", "info", "warning", "error"], Field(alias="BUTLERS_LOG_LEVEL")] = (
        "info"
    )
    log_format: Annotated[Literal["json", "console"], Field(alias="BUTLERS_LOG_FORMAT")] = "json"

    def current_database_url(self) -> str:
        """Return the URL currently in its file, for each new connection: a password may change while we run.

        Without a file, or if it cannot be read at this moment, return the URL read at the start.
        """
        if self.database_url_file is not None:
            match url_from_file({DATABASE_URL_FILE: str(self.database_url_file)}):
                case str() as url:
                    return url
        return self.database_url.get_secret_value()


class MemberEnvironment(ProcessEnvironment):
    """What a butler also needs that calls Switchboard: a token of its own and the address."""

    token_file: Annotated[Path, Field(alias="BUTLERS_TOKEN_FILE")]
    switchboard_mcp_url: Annotated[
        str, Field(alias="SWITCHBOARD_MCP_URL", pattern=r"^https?://[^\s/]+(/.*)?$")
    ]


E_co = TypeVar("E_co", bound=EnvironmentModel)


def read_environment(model: type[E_co], env: Mapping[str, str]) -> E_co:
    """Build `model` from `env` (empty counts as unset); `ConfigError` lists all problems."""
    present = {name: value for name, value in env.items() if value.strip()}
    problems: list[ConfigProblem] = []
    match url_from_file(present):
        case str() as url:
            present[DATABASE_URL] = url
        case ConfigProblem() as problem:
            problems.append(problem)
    try:
        environment = model.model_validate(present)
    except ValidationError as error:
        # Without its file the variable is missing too; report that only once.
        told = {DATABASE_URL} if problems else set()
        problems += [problem for problem in environment_problems(error) if problem.key not in told]
        raise ConfigError("environment", problems) from None
    if problems:
        raise ConfigError("environment", problems)
    return environment
