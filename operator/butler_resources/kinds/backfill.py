"""The custom resource `BackfillJob`: read a connector's history of some days, at a pace and a price (SWB-18, D34).

Invariant: what is read never changes after creation; how fast, for how much, and whether at all may.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, StringConstraints

from butler_resources.kinds.base import DnsName, Metadata, ResourceModel, each_once, name_rules
from butler_resources.kinds.names import API_VERSION
from butler_resources.kinds.rules import Rule, optional_unchanged, unchanged
from butler_resources.kinds.statuses import BackfillJobStatus

__all__ = ["BackfillJob", "BackfillJobSpec"]

Category = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*([._-][a-z0-9]+)*$", max_length=80)]
_ANOTHER = "delete the job and create another"


class BackfillJobSpec(ResourceModel):
    """The desired state of one backfill."""

    connector_ref: DnsName = Field(description="Connector whose history to read. Immutable.")
    date_from: date = Field(description="First day to read, such as 2026-01-31. Immutable.")
    date_to: date = Field(description="Last day to read, inclusive. Immutable.")
    target_categories: Annotated[
        tuple[Category, ...],
        AfterValidator(each_once),
        Field(json_schema_extra={"x-kubernetes-list-type": "set"}),
    ] = Field(
        default=(),
        max_length=50,
        description="Butlers to read messages for, such as finance. Defaults to all. Immutable.",
    )
    rate_limit_per_hour: int = Field(
        default=100, ge=1, le=100_000, description="Maximum number of messages per hour."
    )
    daily_cost_cap_cents: int = Field(
        default=500, ge=1, le=1_000_000, description="Cost per UTC day, in cents, at which the job stops."
    )
    suspend: bool = Field(
        default=False,
        description="Pauses the job and keeps its position. Setting it to false resumes the job, also after the cap "
        "was reached.",
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="self.dateFrom <= self.dateTo",
            message="`dateTo` is before `dateFrom`; swap them or correct one",
            holds=lambda spec: spec.date_from <= spec.date_to,
            path=".dateTo",
        ),
        unchanged("connectorRef", _ANOTHER),
        unchanged("dateFrom", _ANOTHER),
        unchanged("dateTo", _ANOTHER),
        optional_unchanged("targetCategories", _ANOTHER),
    )


class BackfillJob(ResourceModel):
    """One pass over a connector's history."""

    api_version: Literal["butlers.dev/v1alpha1"] = Field(default=API_VERSION, description="API version.")
    kind: Literal["BackfillJob"] = Field(default="BackfillJob", description="Kind.")
    metadata: Metadata = Field(description="Name and labels.")
    spec: BackfillJobSpec = Field(description="Connector and days to read, rate limit and cost cap.")
    status: BackfillJobStatus | None = Field(
        default=None, description="Progress, updated when the state changes and at most once a minute."
    )

    RULES: ClassVar[tuple[Rule, ...]] = name_rules(63)

    @property
    def name(self) -> str:
        """Its name in the namespace."""
        return self.metadata.name
