"""The block `database` of `Butler`: where its tables are, and what becomes of them when the butler is deleted."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from butler_resources.kinds.base import ResourceModel, SecretRef
from butler_resources.kinds.rules import Rule

__all__ = ["ButlerDatabase", "ReclaimPolicy"]

ReclaimPolicy = Literal["retain", "delete"]


class ButlerDatabase(ResourceModel):
    """Database settings of a butler."""

    secret_ref: SecretRef | None = Field(
        default=None,
        description="Secret with the URL of an external database. Defaults to the installation's database.",
    )
    reclaim_policy: ReclaimPolicy = Field(
        default="retain",
        description="What happens when the butler is deleted, on a cluster. retain: its role can no longer log in, its "
        "data is kept for a butler of the same name. delete: its schema and role are dropped; specialists only.",
    )

    connection_limit: int | None = Field(
        default=None,
        ge=1,
        le=10_000,
        description="Maximum number of connections of its role. The default and minimum is what its pods can open, "
        "including a rolling update.",
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="self.reclaimPolicy != 'delete' || !has(self.secretRef)",
            message="nothing is dropped in an external database; remove `reclaimPolicy` or `secretRef`",
            holds=lambda database: database.reclaim_policy != "delete" or database.secret_ref is None,
            path=".reclaimPolicy",
        ),
    )
