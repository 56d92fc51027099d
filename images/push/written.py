"""What a push leaves for an installation: values for the chart, a list of images, a table. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from images.push.registry import Registry

__all__ = ["CHART_PLACES", "Pushed", "images_list", "table", "values"]

CHART_PLACES: Mapping[str, tuple[str, ...]] = {
    "butlers": ("image",),
    "butlers-operator": ("operator", "image"),
    "butlers-postgresql": ("postgresql", "embedded", "image"),
    "butlers-spark": ("rollups", "image"),
}
"""Where the chart's values name each image."""


@dataclass(frozen=True)
class Pushed:
    """An image or chart as the registry has it."""

    name: str
    reference: str
    """Without tag and digest."""
    tag: str
    digest: str
    uploaded: str
    """What had to be sent for it; empty if the registry had all of it."""

    @property
    def pinned(self) -> str:
        """The reference whose content never changes."""
        return f"{self.reference}@{self.digest}"


@dataclass(frozen=True)
class Attached:
    """An SBOM in the registry, or a signature."""

    reference: str
    """Of the repository, without tag and digest."""
    digest: str
    tag: str = ""
    """The tag by which it is found, if any."""
    text: str = ""
    uploaded: bool = False


def values(registry: Registry, images: Iterable[Pushed]) -> str:
    """Return a values file for `helm install -f`: the registry, and tag and digest of each image in the chart."""
    tree: dict[str, Any] = {"global": {"imageRegistry": registry.address}}
    for image in images:
        if image.name not in CHART_PLACES:
            continue
        place = tree
        for key in CHART_PLACES[image.name]:
            place = place.setdefault(key, {})
        place.update(repository=image.name, tag=image.tag, digest=image.digest)
    return "\n".join(("# Written by make push: these images, by their content.", *_lines(tree))) + "\n"


def _lines(tree: Mapping[str, Any], indent: str = "") -> Iterable[str]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield f"{indent}{key}:"
            yield from _lines(value, indent + "  ")
        else:
            # Quoted: a tag such as 12345678 or 1234e567 is no number.
            yield f"{indent}{key}: {json.dumps(value)}"


def images_list(images: Iterable[Pushed]) -> str:
    """Return all images that a household's pods pull, one per line, by digest."""
    return "".join(f"{image.pinned}\n" for image in images)


def charts_list(charts: Iterable[Pushed]) -> str:
    """Return the charts by digest: with the images, all that `make verify` checks."""
    return "".join(f"{chart.pinned}\n" for chart in charts)


def attached_list(attached: Iterable[Attached]) -> str:
    """Return what to copy along with images and charts, one per line: by tag if it is found by one."""
    return "".join(
        f"{one.reference}:{one.tag}\n" if one.tag else f"{one.reference}@{one.digest}\n" for one in attached
    )


def table(pushed: Sequence[Pushed]) -> str:
    """Return a table of what is where, for the user."""
    rows = [("IMAGE OR CHART", "DIGEST", "UPLOADED")]
    rows += [(f"{one.reference}:{one.tag}", one.digest, one.uploaded or "nothing") for one in pushed]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "\n".join(f"{name:{widths[0]}}  {digest:{widths[1]}}  {sent}" for name, digest, sent in rows)
