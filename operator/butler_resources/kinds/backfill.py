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

    connector_ref: DnsName = Field(description="Connector whose source is read. Immutable.")
    date_from: date = Field(description="First day, as 2026-01-31. Immutable.")
    date_to: date = Field(description="Last day, itself included. Immutable.")
    target_categories: Annotated[
        tuple[Category, ...],
        AfterValidator(each_once),
        Field(json_schema_extra={"x-kubernetes-list-type": "set"}),
    ] = Field(
        default=(),
        max_length=50,
        description="Butlers whose messages are wanted, such as finance; by default all. Immutable.",
    )
    rate_limit_per_hour: int = Field(default=100, ge=1, le=100_000, description="Messages an hour, at most.")
    daily_cost_cap_cents: int = Field(
        default=500, ge=1, le=1_000_000, description="Spend of a UTC day at which the job stops, in cents."
    )
    suspend: bool = Field(
        default=False,
        description="Stop and keep the place; false goes on, and lets a job go on that had reached its cap.",
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
    spec: BackfillJobSpec = Field(
        description="Which days of which connector are read, how fast and for how much."
    )
    status: BackfillJobStatus | None = Field(
        default=None, description="How far it is; written when its state changes and at most once a minute."
    )

    RULES: ClassVar[tuple[Rule, ...]] = name_rules(63)

    @property
    def name(self) -> str:
        """Its name in the namespace."""
        return self.metadata.name
