"""Which images a manifest may name: those that the installation allows (ADR 0109). Pure.

Writers of Butlers and Connectors need not be allowed to make pods; an image of their choice would be their program,
with the pod's token, its Secrets and its part of the database.
"""

from __future__ import annotations

from butler_operator.reconcile.conditions import Condition, failed
from butler_resources.kinds import Butler, Connector
from butler_resources.kinds.conditions import ConditionType, Reason
from butler_resources.render.cluster import Place

__all__ = ["image_refused"]


def image_refused(resource: Butler | Connector, place: Place) -> Condition | None:
    """Return a condition for an image that the manifest may not name; None if it names none of those."""
    image = resource.spec.pod.image if resource.spec.pod is not None else None
    if image is None or image == place.image:
        return None
    if isinstance(resource, Butler) and resource.spec.role == "switchboard":
        return _refused(
            "a Switchboard has the installation's image and no other, because it signs for everybody; remove the "
            "field, or have the chart's image.* changed"
        )
    if any(_begins(image, prefix) for prefix in place.allowed_images):
        return None
    allowed = ", ".join(place.allowed_images) or "none"
    return _refused(
        f"{image} is not an image that this installation allows ({allowed}); remove the field, or have it allowed "
        "in the chart's household.allowedImages"
    )


def _refused(text: str) -> Condition:
    words = f"spec.pod.image: {text}. What runs stays as it is"
    return failed(ConditionType.RESOLVED_REFS, Reason.IMAGE_NOT_ALLOWED, words)


def _begins(image: str, prefix: str) -> bool:
    """Whether `image` begins with `prefix`; a tag or a digest follows a repository, and no further path."""
    rest = image.removeprefix(prefix)
    return rest != image and (prefix.endswith("/") or "/" not in rest)
