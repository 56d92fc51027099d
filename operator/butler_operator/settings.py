"""What the operator is told by its environment, and how it sets up its framework (notes: every value has a reason).

`OperatorSettings.from_env` refuses a value it does not understand, naming variable, value and what was expected.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import kopf
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from butler_operator.cluster.paths import CHILD_KINDS, POD
from butler_resources.kinds.names import KOPF_PREFIX, LABEL_MANAGED_BY, MANAGED_BY

__all__ = ["WATCHED_BY_LABEL", "OperatorSettings", "SettingsError", "configure"]

OWN_NAMESPACE_FILE: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
WATCHED_BY_LABEL: Final = (POD, *CHILD_KINDS)
"""Resources of which only our own objects are watched."""

_VARIABLES: Final[Mapping[str, str]] = {
    "namespaces": "BUTLERS_NAMESPACES",
    "watch_labelled": "BUTLERS_WATCH_LABELLED",
    "operator_namespace": "BUTLERS_OPERATOR_NAMESPACE",
    "image": "BUTLERS_IMAGE",
    "image_pull_policy": "BUTLERS_IMAGE_PULL_POLICY",
    "image_pull_secrets": "BUTLERS_IMAGE_PULL_SECRETS",
    "database_secret": "BUTLERS_DATABASE_SECRET",
    "database_secret_key": "BUTLERS_DATABASE_SECRET_KEY",
    "service_log_level": "BUTLERS_SERVICE_LOG_LEVEL",
    "service_log_format": "BUTLERS_SERVICE_LOG_FORMAT",
    "storage_class": "BUTLERS_STORAGE_CLASS",
    "place_file": "BUTLERS_PLACE_FILE",
    "tokens_dir": "BUTLERS_TOKENS_DIR",
    "ops_url": "BUTLERS_OPS_URL",
    "resync_s": "BUTLERS_RESYNC_SECONDS",
    "beat_s": "BUTLERS_BEAT_SECONDS",
    "retry_s": "BUTLERS_RETRY_SECONDS",
    "retire_after_s": "BUTLERS_RETIRE_AFTER_SECONDS",
    "signing_days": "BUTLERS_SIGNING_DAYS",
    "progress_deadline_s": "BUTLERS_PROGRESS_DEADLINE_SECONDS",
    "workers": "BUTLERS_WORKERS",
    "health_port": "BUTLERS_HEALTH_PORT",
    "metrics_port": "BUTLERS_METRICS_PORT",
    "lease": "BUTLERS_LEASE",
    "lease_s": "BUTLERS_LEASE_SECONDS",
    "identity": "HOSTNAME",
    "log_level": "BUTLERS_LOG_LEVEL",
    "log_format": "BUTLERS_LOG_FORMAT",
}
_LISTS: Final = frozenset({"namespaces", "image_pull_secrets"})


class SettingsError(ValueError):
    """The environment cannot be used; the text says what to change."""


class OperatorSettings(BaseModel):
    """Everything that can be set from outside."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    watch_labelled: bool = Field(default=False, description="Whether those with the label are served too.")
    namespaces: tuple[str, ...] = Field(description="Namespaces with a household each.")
    operator_namespace: str | None = Field(default=None, description="Namespace of the operator's own pod.")
    image: str = Field(default="localhost/butlers:dev", description="Image of services and connectors.")
    image_pull_policy: str = Field(default="IfNotPresent", pattern="^(Always|IfNotPresent|Never)$")
    image_pull_secrets: tuple[str, ...] = ()
    database_secret: str = Field(default="butlers-postgresql", description="Secret with the admin URL.")
    database_secret_key: str = "uri"  # noqa: S105 - a key, not a value
    service_log_level: str = Field(default="info", description="Log level of the pods that are made.")
    service_log_format: str = Field(
        default="json", pattern="^(json|console)$", description="Log format of the pods that are made."
    )
    storage_class: str | None = Field(default=None, description="Storage class of connectors' volumes.")
    place_file: Path | None = Field(default=None, description="JSON file with further fields of `Place`.")
    tokens_dir: Path = Path("/var/run/butlers/tokens")
    ops_url: str = Field(
        default="http://butler-{name}.{namespace}.svc:{port}", description="Where a service's ops API is."
    )
    resync_s: float = Field(default=300.0, ge=1, le=86_400)
    beat_s: float = Field(default=10.0, ge=0.1, le=60, description="Pause between reports to Switchboard.")
    retry_s: float = Field(
        default=30.0, ge=0.1, le=600, description="Pause before a missing reference is looked for."
    )
    retire_after_s: float = Field(
        default=60.0,
        ge=0.1,
        le=86_400,
        description="How long a Butler is gone before its part of the database is closed or dropped.",
    )
    signing_days: float = Field(
        default=7.0, ge=0.01, le=90, description="Days after which Switchboard's signing key is replaced."
    )
    progress_deadline_s: int = Field(
        default=600, ge=10, le=86_400, description="Longest wait of a roll-out for its next ready pod."
    )
    workers: int = Field(default=10, ge=1, le=100)
    health_port: int = Field(default=8080, ge=0, le=65_535)
    metrics_port: int = Field(default=8081, ge=0, le=65_535)
    lease: str | None = Field(default=None, description="Lease of whoever works; none: nobody else does.")
    lease_s: float = Field(default=15.0, ge=1, le=60, description="How long a silent holder is believed.")
    identity: str | None = Field(default=None, description="Whose the Lease is: the pod's name.")
    log_level: str = Field(default="info", pattern="^(debug|info|warning|error)$")
    log_format: str = Field(default="json", pattern="^(json|console)$")

    @field_validator("namespaces")
    @classmethod
    def _something_is_watched(cls, names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if not names and not info.data.get("watch_labelled"):
            raise ValueError("names no namespace, and BUTLERS_WATCH_LABELLED is not true")
        return names

    @classmethod
    def from_env(
        cls, env: Mapping[str, str], *, own_namespace_file: Path = OWN_NAMESPACE_FILE
    ) -> OperatorSettings:
        """The settings that `env` has; raises `SettingsError` with one line for each problem."""
        given: dict[str, Any] = {field: env[name] for field, name in _VARIABLES.items() if env.get(name)}
        for field in _LISTS & given.keys():
            given[field] = tuple(part.strip() for part in given[field].split(",") if part.strip())
        if "namespaces" not in given:
            given["namespaces"] = (
                () if given.get("watch_labelled") == "true" else _own_namespace(own_namespace_file)
            )
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise SettingsError("\n".join(_lines(error))) from None


def _own_namespace(file: Path) -> tuple[str, ...]:
    try:
        return (file.read_text(encoding="utf-8").strip(),)
    except OSError:
        return ()


def _lines(error: ValidationError) -> list[str]:
    return [
        f"{_VARIABLES.get(str(detail['loc'][0]), detail['loc'][0])}: {detail['msg']} (is {detail['input']!r})"
        for detail in error.errors(include_url=False)
    ]


def configure(settings: kopf.OperatorSettings) -> None:
    """Set every knob of kopf that matters, once, at start."""
    watching = settings.watching
    # Load balancers drop silent streams; the server ends them before the client gives up on them.
    watching.server_timeout, watching.client_timeout, watching.connect_timeout = 600, 660, 30
    watching.inactivity_timeout = 70
    watching.reconnect_backoff = 1.0
    watching.chunk_size = 500
    for resource in WATCHED_BY_LABEL:
        watching.label_selectors[resource.group, resource.version, resource.plural] = (
            f"{LABEL_MANAGED_BY}={MANAGED_BY}"
        )
    settings.networking.request_timeout, settings.networking.connect_timeout = 30, 10
    settings.networking.enforce_retry_after = True
    # A limit below the number of indexed objects would be a deadlock (nolar/kopf#1243).
    settings.queueing.worker_limit = None
    # kopf keeps a task for each object that told anything lately; all of them tell at once when a household is made.
    settings.queueing.idle_timeout = 0.5
    settings.execution.default_backoff = 15
    # Not that of our earlier versions: kopf would remove it behind our back, with its own patch.
    settings.persistence.finalizer = f"{KOPF_PREFIX}/finalizer"
    # Never used, since events only feed our queue; set so that no annotation ever has kopf's prefix.
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage(prefix=KOPF_PREFIX, v1=False)
    settings.persistence.diffbase_storage = kopf.AnnotationsDiffBaseStorage(
        prefix=KOPF_PREFIX, key="last", v1=False
    )
    settings.persistence.consistency_timeout = 5
    settings.posting.enabled = False
    settings.posting.loggers = False
    settings.peering.standalone = True
    # The end of one namespace's watches is not the end of the process.
    settings.process.ultimate_exiting_timeout = None
    # The role grants no listing of namespaces or CRDs; the chart installs the CRDs first.
    settings.scanning.disabled = True
