"""The block `database` of `Butler`: where its tables are, and what becomes of them when the butler is deleted."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from butler_resources.kinds.base import ResourceModel, SecretRef
from butler_resources.kinds.rules import Rule

__all__ = ["ButlerDatabase", "ReclaimPolicy"]

ReclaimPolicy = Literal["retain", "delete"]


class ButlerDatabase(ResourceModel):
    """A butler's part of the database."""

    secret_ref: SecretRef | None = Field(
        default=None, description="Secret with the URL of an external database; by default the place's own."
    )
    reclaim_policy: ReclaimPolicy = Field(
        default="retain",
        description="When the butler is deleted, on a cluster. retain: its role may not log in any more, its data "
        "stays for a butler of the same name. delete: its schema and its role are dropped; specialists only.",
    )

    connection_limit: int | None = Field(
        default=None,
        ge=1,
        le=10_000,
        description="Connections that its role may have at once. By default, and at least, what its pods open at most, "
        "those of a rolling update included.",
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="self.reclaimPolicy != 'delete' || !has(self.secretRef)",
            message="in a database of its own nothing is dropped for a butler; remove `reclaimPolicy` or `secretRef`",
            holds=lambda database: database.reclaim_policy != "delete" or database.secret_ref is None,
            path=".reclaimPolicy",
        ),
    )
