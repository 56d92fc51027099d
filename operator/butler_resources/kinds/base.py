"""What every custom resource of `butlers.dev` shares: strict models, names, references to secrets.

Invariant: the YAML a person writes is checked as the cluster would check it: camelCase keys only, no unknown
key, no silent conversion between types. Values of secrets never appear here, only references.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

__all__ = [
    "API_VERSION",
    "DnsName",
    "EnvFromSecret",
    "EnvName",
    "HttpUrl",
    "Metadata",
    "Port",
    "ResourceModel",
    "SecretRef",
    "Server",
    "ShortText",
    "TimeZone",
    "TlsMode",
]

API_VERSION: Final = "butlers.dev/v1alpha1"

RESERVED_ENV_PREFIXES: Final = ("BUTLERS_", "SWITCHBOARD_", "CONNECTOR_")
"""Names that the renderer itself sets; a manifest that set them would disagree with the rest of the place."""


def _known_time_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"{name!r} is no time zone; expected an IANA name such as Europe/Berlin") from error
    return name


def _free_env_name(name: str) -> str:
    if name.startswith(RESERVED_ENV_PREFIXES):
        reserved = ", ".join(f"{prefix}*" for prefix in RESERVED_ENV_PREFIXES)
        raise ValueError(f"{name} is set by the place itself; expected a name that is none of {reserved}")
    return name


DnsName = Annotated[str, StringConstraints(pattern=r"^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$")]
ShortText = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
Port = Annotated[int, Field(ge=1, le=65535)]
HttpUrl = Annotated[str, StringConstraints(pattern=r"^https?://[^\s/?#]+[^\s?#]*$", max_length=500)]
TimeZone = Annotated[str, AfterValidator(_known_time_zone)]
EnvName = Annotated[
    str, StringConstraints(pattern=r"^[A-Z_][A-Z0-9_]*$", max_length=100), AfterValidator(_free_env_name)
]
TlsMode = Literal["implicit", "starttls", "none"]


class ResourceModel(BaseModel):
    """Base of every model here: immutable, strict, camelCase, closed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, alias_generator=to_camel)


class Metadata(ResourceModel):
    """The part of Kubernetes' object metadata that a manifest writes."""

    name: DnsName = Field(description="Name of the resource, unique in its kind: a DNS label in lower case.")
    namespace: DnsName | None = Field(default=None, description="Namespace on a cluster; ignored locally.")
    labels: dict[str, str] = Field(default_factory=dict, description="Labels, as on a cluster.")
    annotations: dict[str, str] = Field(default_factory=dict, description="Annotations, as on a cluster.")


class SecretRef(ResourceModel):
    """Names one value of a secret: never the value itself."""

    name: DnsName = Field(description="Name of the secret.")
    key: str = Field(
        pattern=r"^[A-Za-z0-9_][-._A-Za-z0-9]*$", max_length=253, description="Key inside the secret."
    )


class SecretSource(ResourceModel):
    """A place to read one whole document from."""

    secret_ref: SecretRef = Field(description="The secret and key that hold the document.")


class EnvFromSecret(ResourceModel):
    """One additional environment variable, its value taken from a secret."""

    name: EnvName = Field(description="Environment variable, in upper case.")
    secret_ref: SecretRef = Field(description="Where its value comes from.")


class Server(ResourceModel):
    """A mail server's address."""

    host: ShortText = Field(description="Host name or address.")
    port: Port = Field(description="TCP port.")
    tls: TlsMode = Field(
        default="implicit", description="implicit (TLS from the first byte), starttls, or none (tests only)."
    )
