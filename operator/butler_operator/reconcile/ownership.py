"""Decide who owns an object with a child's name, by its controller and by the marks that only we set.

Our marks are the labels of the resource it belongs to and the hash of what was applied. A label alone proves nothing:
people write labels, so an object without the hash is never changed, adopted or deleted.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

from butler_operator.reconcile.drift import APPLIED_HASH
from butler_resources.kinds.names import KIND_LABEL, LABEL_MANAGED_BY, MANAGED_BY, NAME_LABEL

__all__ = ["Whose", "adoption", "controller_of", "names_owner_otherwise", "whose"]

_IDENTITY: Final = (LABEL_MANAGED_BY, KIND_LABEL, NAME_LABEL)
Body = Mapping[str, Any]
Owner = Mapping[str, str] | None


class Whose(Enum):
    """What may be done with an object."""

    OURS = "ours"
    """Controlled by the resource; a household's objects are marked and controlled by nobody."""
    ORPHAN = "orphan"
    """Marked as the resource's and controlled by nobody: its owner was deleted with `--cascade=orphan`."""
    FORMER = "former"
    """Belongs to an earlier resource of the same name; the garbage collector is about to delete it."""
    FOREIGN = "foreign"
    """Belongs to somebody else; left alone."""


def whose(body: Body, owner: Owner, *, like: Body | None = None) -> Whose:
    """Return who owns `body` as seen by the resource `owner`; None for a household's objects, which have no owner.

    `like` is the manifest with the name of `body`: an orphan must carry its identity too.
    """
    controller = controller_of(body)
    if owner is None:
        return Whose.OURS if controller is None and _hashed(body) else Whose.FOREIGN
    if controller is None:
        return Whose.ORPHAN if _hashed(body) and _labelled(body, like) else Whose.FOREIGN
    if controller.get("uid") == owner["uid"]:
        return Whose.OURS
    same = (controller.get("kind"), controller.get("name")) == (owner["kind"], owner["name"])
    return Whose.FORMER if same else Whose.FOREIGN


def adoption(body: Body, manifest: Body) -> dict[str, Any]:
    """Return the merge patch that makes `body` a child as in `manifest`, if it is unchanged since read."""
    metadata, wanted = body["metadata"], manifest["metadata"]["ownerReferences"]
    uids = {reference["uid"] for reference in wanted}
    others = [entry for entry in metadata.get("ownerReferences") or () if entry["uid"] not in uids]
    guard = {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}
    return {"metadata": {**guard, "ownerReferences": [*others, *wanted]}}


def names_owner_otherwise(body: Body, manifest: Body) -> bool:
    """Whether a child names its owner in another version of the API than `manifest` does.

    Once that version is no longer served, the garbage collector cannot tell that the owner is gone and keeps the child.
    """
    of, wanted = controller_of(body), controller_of(manifest)
    return of is not None and wanted is not None and of.get("apiVersion") != wanted["apiVersion"]


def controller_of(body: Body) -> Mapping[str, Any] | None:
    """Return the owner reference that controls an object."""
    references = body["metadata"].get("ownerReferences") or ()
    return next((reference for reference in references if reference.get("controller")), None)


def _hashed(body: Body) -> bool:
    return APPLIED_HASH in (body["metadata"].get("annotations") or {})


def _labelled(body: Body, like: Body | None) -> bool:
    labels = body["metadata"].get("labels") or {}
    wanted = {LABEL_MANAGED_BY: MANAGED_BY} if like is None else like["metadata"].get("labels") or {}
    return labels.get(LABEL_MANAGED_BY) == MANAGED_BY and all(
        labels.get(name) == wanted[name] for name in _IDENTITY if name in wanted
    )
