"""What a connector whose state Switchboard keeps asks of it: who reads the source now, and its documents (CNX-17, D33).

Invariants: of all instances of a source at most one holds its lease; a document is written by its holder alone, and
only over the version that it knows.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel, Timestamp, TolerantModel
from butler_contracts.heartbeat import ConnectorCheckpointV1
from butler_contracts.text import Identity

__all__ = [
    "CHECKPOINT_TOOL",
    "LEASE_BOUNDS_S",
    "LEASE_TOOL",
    "DocumentAsked",
    "DocumentGiven",
    "LeaseAsked",
    "LeaseGiven",
]

LEASE_TOOL: Final = "connector.lease"
CHECKPOINT_TOOL: Final = "connector.checkpoint"
LEASE_BOUNDS_S: Final = (1.0, 120.0)

_Type = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
_Name = Annotated[str, Field(pattern=r"^[a-z]{1,20}(/[0-9]{1,12})?(\.unreadable)?$")]
_Token = Annotated[int, Field(ge=1, le=2**62)]


class LeaseAsked(StrictModel):
    """An instance wants to read its source for `seconds`, or goes on; with `release` it reads no more."""

    connector_type: _Type
    endpoint_identity: Identity
    instance_id: UUID
    seconds: Annotated[float, Field(ge=LEASE_BOUNDS_S[0], le=LEASE_BOUNDS_S[1])]
    release: bool = False


class LeaseGiven(TolerantModel):
    """Who has the lease now; `token` grows with every change of hands and is shown with every write."""

    held: bool
    token: int
    holder: UUID
    expires_in_s: float
    standbys: int = 0
    """Further instances that asked within the last minute."""


class DocumentAsked(StrictModel):
    """One act on a document of a source; `lease` is the token of the holder, `version` that of the document it knows.

    `version` is 0 for a document that is not there yet. `list` takes the folder as `name`.
    """

    connector_type: _Type
    endpoint_identity: Identity
    action: Literal["read", "write", "remove", "list"]
    name: _Name
    lease: _Token | None = None
    version: Annotated[int, Field(ge=0, le=2**62)] | None = None
    content: dict[str, Any] | None = None


class DocumentGiven(TolerantModel):
    """What came of it.

    `fenced`: the lease is another's by now; `conflict`: the document is of another version, which is given; `full`: no
    more is kept of this source. `known` is where the source's last heartbeat stood, for a checkpoint that was never
    kept here.
    """

    status: Literal["ok", "absent", "conflict", "fenced", "full"]
    version: int = 0
    content: dict[str, Any] | None = None
    updated_at: Timestamp | None = None
    names: tuple[str, ...] = ()
    known: ConnectorCheckpointV1 | None = None
