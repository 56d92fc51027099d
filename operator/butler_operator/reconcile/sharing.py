"""Which Secrets a manifest may name: those labelled for it, never the operator's own (D86, CNX-16).

Writers of Butlers and Connectors need not be allowed to read Secrets; without this, a bot's token that names the
database's password would carry it to any address of the writer's choice. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from butler_operator.reconcile.conditions import Condition, failed
from butler_operator.reconcile.references import MISSING, SecretFacts
from butler_resources.kinds import SecretRef
from butler_resources.kinds.conditions import ConditionType, Reason
from butler_resources.kinds.names import USABLE_BY_LABEL, USABLE_BY_US
from butler_resources.render.cluster import SIGNING_SECRET, Named, Place

__all__ = ["holds_back", "unshared"]

DATABASE_FIELD: Final = "spec.database.secretRef"


def unshared(
    wanted: Iterable[Named], secrets: Mapping[str, SecretFacts], *, place: Place
) -> Condition | None:
    """Return a condition for the first Secret that the manifest may not name; None if there is none."""
    for path, ref in wanted:
        text = _problem(path, ref, secrets.get(ref.name, MISSING), place)
        if text is not None:
            return failed(ConditionType.RESOLVED_REFS, Reason.SECRET_NOT_SHARED, text)
    return None


def _problem(path: str, ref: SecretRef, facts: SecretFacts, place: Place) -> str | None:
    database = path == DATABASE_FIELD and ref.name == place.database.name
    if database and ref == place.database:
        return None  # the same as leaving it out: the URL goes to the step that prepares the database, and no further
    if ref.name in (SIGNING_SECRET, place.database.name) and not database:
        return f"{path} names Secret {ref.name}, which is the operator's own; name another one"
    if facts.shared or not facts.exists:
        return None
    return (
        f"{path} names Secret {ref.name}, which is not shared with the household; what runs stays as it is. "
        f"If the household may have it: kubectl label secret {ref.name} --namespace={place.namespace} "
        f"{USABLE_BY_LABEL}={USABLE_BY_US}"
    )


def holds_back(body: Mapping[str, Any]) -> bool:
    """Whether a resource names a Secret it may not, or its references were not checked since it changed."""
    for stored in (body.get("status") or {}).get("conditions") or ():
        if stored.get("type") == ConditionType.RESOLVED_REFS:
            seen = stored.get("observedGeneration") == body["metadata"].get("generation")
            return not seen or stored.get("reason") == Reason.SECRET_NOT_SHARED
    return True
