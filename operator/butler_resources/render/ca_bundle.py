"""The authorities a process trusts besides the system's: its own manifest's, else its household's (D83)."""

from __future__ import annotations

from butler_resources.kinds import Butler, Connector, Household
from butler_resources.kinds.ca_bundle import CaBundleRef

__all__ = ["bundle_of"]


def bundle_of(resource: Butler | Connector, household: Household) -> CaBundleRef | None:
    """Return the bundle of `resource`; None if the system's authorities are enough."""
    return resource.spec.ca_bundle_ref or household.ca_bundle_ref
