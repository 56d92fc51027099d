"""PURE: make one finding of one cause that shows in many places: an image that cannot be pulled.

Invariant: a finding takes in only what that image explains; other trouble of the same pod stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from butler_kubectl.standing import conditions_of

__all__ = ["PULL_FAILED", "Unpulled", "unpulled", "waiting_for"]

Body = Mapping[str, Any]
PULLING: Final = frozenset({"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"})
PULL_FAILED: Final = "ImagePullFailed"
_BACK_OFF: Final = "Back-off pulling image"


@dataclass
class Unpulled:
    """An image, the error on it, and the pods and resources that cannot start without it."""

    image: str
    said: str = ""
    pods: list[str] = field(default_factory=list)
    resources: list[str] = field(default_factory=list)

    def words(self, waiting: int) -> str:
        """Return the text of the finding."""
        whose = ", ".join(sorted(set(self.resources))) or f"pod {', '.join(self.pods)}"
        kept = f"; {waiting} more wait until it is ready and run on with the old image" if waiting else ""
        return f"it cannot be pulled for {whose}{kept}: {self.said or 'the kubelet gives no reason'}"


def unpulled(pods: Sequence[Body], resources: Sequence[Body]) -> list[Unpulled]:
    """Return every image that a pod cannot get, each once."""
    known = {f"{one['kind'].lower()}/{one['metadata']['name']}" for one in resources}
    found: dict[str, Unpulled] = {}
    for pod in pods:
        for image, said in _pulls(pod):
            one = found.setdefault(image, Unpulled(image))
            if not one.said or one.said.startswith(_BACK_OFF):
                one.said = said
            name = str(pod["metadata"]["name"])
            if name not in one.pods:
                one.pods.append(name)
            owner = _owner(pod)
            if owner in known:
                one.resources.append(owner)
    return list(found.values())


def waiting_for(resources: Sequence[Body], image: str) -> int:
    """Return how many resources wait for another one to try the image."""
    progress = (conditions_of(one).get("Progressing") or {} for one in resources)
    return sum(
        one.get("reason") == "WaitingForCanary" and str(one.get("message")).startswith(f"{image} ")
        for one in progress
    )


def _pulls(pod: Body) -> Iterator[tuple[str, str]]:
    status = pod.get("status") or {}
    for one in (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())):
        waiting = (one.get("state") or {}).get("waiting") or {}
        if waiting.get("reason") in PULLING:
            yield str(one.get("image") or "an image without a name"), str(waiting.get("message") or "")


def _owner(pod: Body) -> str:
    labels = pod["metadata"].get("labels") or {}
    return f"{str(labels.get('butlers.dev/kind')).lower()}/{labels.get('butlers.dev/name')}"
