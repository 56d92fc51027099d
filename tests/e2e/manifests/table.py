"""The table of accepted and refused manifests: one YAML file a kind beside this module."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from butler_resources.kinds.names import API_VERSION, KINDS, KindNames

__all__ = ["CASES", "Case"]


@dataclass(frozen=True)
class Case:
    """One manifest, or a manifest and its update; `refused` is None when the last of them is accepted."""

    names: KindNames
    title: str
    name: str
    spec: dict[str, Any] | None
    then: dict[str, Any] | None
    refused: str | None
    stored: dict[str, Any]
    judge: Literal["both", "server", "models"]

    def manifest(self, name: str, spec: dict[str, Any] | None) -> dict[str, Any]:
        """The whole object with that `spec`."""
        head = {"apiVersion": API_VERSION, "kind": self.names.kind, "metadata": {"name": name}}
        return head if spec is None else head | {"spec": spec}

    def __str__(self) -> str:
        return f"{self.names.kind}: {self.title}"


def _read(names: KindNames) -> list[Case]:
    text = (Path(__file__).parent / f"{names.plural}.yaml").read_text(encoding="utf-8")
    table = yaml.load(text, yaml.CSafeLoader)
    assert table["kind"] == names.kind
    return [
        Case(
            names=names,
            title=case["case"],
            name=case.get("name", "sample"),
            spec=case.get("spec"),
            then=case.get("then"),
            refused=case.get("refused"),
            stored=case.get("stored", {}),
            judge=case.get("judge", "both"),
        )
        for case in table["cases"]
    ]


CASES = [case for names in KINDS for case in _read(names)]
