"""What every custom resource of `butlers.dev` shares: strict models, names, references to secrets.

Invariant: the YAML a person writes is checked as the cluster would check it: camelCase keys only, no unknown
key, no silent conversion between types. Values of secrets never appear here, only references.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)
from pydantic.alias_generators import to_camel

from butler_contracts import person_settings
from butler_contracts.currencies import known_currency
from butler_resources.kinds.names import API_VERSION
from butler_resources.kinds.reserved_env import ENV_RULES
from butler_resources.kinds.rules import Rule

__all__ = [
    "API_VERSION",
    "NAME_PATH",
    "Currency",
    "DnsName",
    "EnvFromSecret",
    "EnvName",
    "Environment",
    "HttpUrl",
    "Metadata",
    "Moment",
    "Port",
    "ResourceModel",
    "SecretRef",
    "Server",
    "ShortText",
    "TextSet",
    "TimeZone",
    "TlsMode",
    "WallTime",
    "each_once",
    "name_rules",
]


def _known_currency(code: object) -> object:
    return known_currency(code) if isinstance(code, str) else code


def _rfc3339(value: object) -> object:
    if isinstance(value, datetime) or (isinstance(value, str) and _MOMENT.match(value)):
        return value
    raise ValueError("expected a time with an offset, such as 2026-01-31T12:00:00+01:00")


def each_once(values: tuple[str, ...]) -> tuple[str, ...]:
    """The values, unless one of them is given twice."""
    twice = next((value for number, value in enumerate(values) if value in values[:number]), None)
    if twice is not None:
        raise ValueError(f"{twice!r} is given twice; remove one")
    return values


DnsName = Annotated[str, StringConstraints(pattern=r"^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$", max_length=63)]
ObjectName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", max_length=253)]
ShortText = Annotated[
    str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True, pattern=r"\S")
]
Port = Annotated[int, Field(ge=1, le=65535)]
HttpUrl = Annotated[str, StringConstraints(pattern=r"^https?://[^\s/?#]+[^\s?#]*$", max_length=500)]
Moment = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_rfc3339)]
"""A time as Kubernetes writes it; a number of seconds is none."""
TextSet = Annotated[
    tuple[ShortText, ...],
    AfterValidator(each_once),
    Field(json_schema_extra={"x-kubernetes-list-type": "set"}),
]
TimeZone = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*$", max_length=64),
    AfterValidator(person_settings.known_time_zone),
]
WallTime = Annotated[person_settings.WallTime, Field(max_length=5)]
Currency = Annotated[
    str, StringConstraints(pattern=r"^[A-Z]{3}$", max_length=3), BeforeValidator(_known_currency)
]
EnvName = Annotated[str, StringConstraints(pattern=r"^[A-Z_][A-Z0-9_]*$", max_length=100)]
TlsMode = Literal["implicit", "starttls", "none"]


class ResourceModel(BaseModel):
    """Base of every model here: immutable, strict, camelCase, no unknown keys, and checked against its `RULES`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, alias_generator=to_camel)
    RULES: ClassVar[tuple[Rule, ...]] = ()

    @model_validator(mode="after")
    def _keeps_its_rules(self) -> Self:
        broken = [rule.message for rule in self.RULES if rule.holds is not None and not rule.holds(self)]
        if broken:
            raise ValueError("; ".join(broken))
        return self


class Metadata(ResourceModel):
    """The part of the Kubernetes object metadata that a manifest sets."""

    name: ObjectName = Field(description="Name of the resource, unique within its kind.")
    namespace: DnsName | None = Field(default=None, description="Namespace on a cluster; ignored locally.")
    labels: dict[str, str] = Field(default_factory=dict, description="Labels, as on a cluster.")
    annotations: dict[str, str] = Field(default_factory=dict, description="Annotations, as on a cluster.")


_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$")
_LABEL: Final = "^[a-z]([-a-z0-9]*[a-z0-9])?$"
NAME_PATH: Final = ".metadata.name"
"""Of a rule about a name: at the root of an object the API server has no field of its own to report."""


def name_rules(longest: int) -> tuple[Rule, ...]:
    """Rules of a resource whose name becomes part of other names, `longest` characters at most."""
    return (
        Rule(
            cel=f"self.metadata.name.size() <= {longest}",
            message=f"metadata.name has more than {longest} characters; choose a shorter one",
            holds=lambda resource: len(resource.metadata.name) <= longest,
            path=NAME_PATH,
        ),
        Rule(
            cel=f"self.metadata.name.matches('{_LABEL}')",
            message="metadata.name is not a DNS label; use a-z, 0-9 and -, starting with a letter, without dots",
            holds=lambda resource: re.search(_LABEL, resource.metadata.name) is not None,
            path=NAME_PATH,
        ),
    )


class SecretRef(ResourceModel):
    """Reference to one value in a secret, never the value itself."""

    name: ObjectName = Field(
        description="Name of a secret in the same namespace with the label butlers.dev/usable-by: household."
    )
    key: str = Field(
        pattern=r"^[A-Za-z0-9_][-._A-Za-z0-9]*$", max_length=253, description="Key in the secret's data."
    )


class SecretSource(ResourceModel):
    """Source of a whole document."""

    secret_ref: SecretRef = Field(description="Secret and key that hold the document.")


class EnvFromSecret(ResourceModel):
    """An additional environment variable with its value from a secret."""

    name: EnvName = Field(description="Name of the environment variable, in upper case.")
    secret_ref: SecretRef = Field(description="Secret and key that hold its value.")

    RULES: ClassVar[tuple[Rule, ...]] = ENV_RULES


def _names_differ(entries: tuple[EnvFromSecret, ...]) -> tuple[EnvFromSecret, ...]:
    each_once(tuple(entry.name for entry in entries))
    return entries


Environment = Annotated[
    tuple[EnvFromSecret, ...],
    AfterValidator(_names_differ),
    Field(json_schema_extra={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}),
]


class Server(ResourceModel):
    """Address of a mail server."""

    host: ShortText = Field(description="Host name or address of the server.")
    port: Port = Field(description="TCP port of the server.")
    tls: TlsMode = Field(
        default="implicit", description="implicit (TLS from the first byte), starttls, or none (tests only)."
    )
