"""The helm program, and what it makes of a chart.

`helm` is looked for in $HELM, where the cluster's programs are kept, and on the path; `make test` puts it there.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.support.cluster_programs import found

__all__ = ["CHARTS", "Helm", "Rendered", "UniqueKeyLoader", "find_helm"]

CHARTS = Path(__file__).parents[2] / "charts"
TIMEOUT_S = 60
Object = dict[str, Any]


class UniqueKeyLoader(yaml.CSafeLoader):
    """YAML in which a key that comes twice is an error, as it is for a strict API server."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = {str(key) for key in keys if keys.count(key) > 1}
        if twice:
            raise yaml.constructor.ConstructorError(
                None, None, f"twice: {', '.join(sorted(twice))}", node.start_mark
            )
        return super().construct_mapping(node, deep)


def find_helm() -> str | None:
    """The path of helm, or None."""
    return found("helm")


@dataclass(frozen=True)
class Rendered:
    """The objects of one rendering."""

    objects: tuple[Object, ...]

    def of_kind(self, *kinds: str) -> list[Object]:
        return [one for one in self.objects if one["kind"] in kinds]

    def one(self, kind: str, name: str, namespace: str | None = None) -> Object:
        found = [
            one
            for one in self.of_kind(kind)
            if one["metadata"]["name"] == name and namespace in (None, one["metadata"].get("namespace"))
        ]
        assert len(found) == 1, f"{len(found)} {kind} {name}"
        return found[0]

    def pods(self) -> Iterator[tuple[str, Object]]:
        """Name and spec of every pod that the objects make."""
        for one in self.objects:
            if one["kind"] == "Pod":
                yield one["metadata"]["name"], one["spec"]
            elif one["kind"] in ("Deployment", "StatefulSet", "Job"):
                yield one["metadata"]["name"], one["spec"]["template"]["spec"]
            elif one["kind"] == "CronJob":
                yield one["metadata"]["name"], one["spec"]["jobTemplate"]["spec"]["template"]["spec"]


class Helm:
    """Runs helm without a cluster."""

    def __init__(self, program: str, home: Path) -> None:
        self._program = program
        self._env = {"PATH": os.environ["PATH"], "HOME": str(home), "KUBECONFIG": str(home / "none")}
        self.render = cache(self._render)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """One call, whatever comes of it."""
        return subprocess.run(
            [self._program, *arguments],
            env=self._env,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    def _render(self, chart: str, *arguments: str, namespace: str = "house") -> Rendered:
        done = self.run("template", "butlers", str(CHARTS / chart), "--namespace", namespace, *arguments)
        assert done.returncode == 0, done.stderr
        documents: Sequence[Mapping[str, Any] | None] = list(yaml.load_all(done.stdout, UniqueKeyLoader))
        return Rendered(tuple(dict(one) for one in documents if one is not None))

    def refusal(self, chart: str, *arguments: str) -> str:
        """Why values are refused."""
        done = self.run("template", "butlers", str(CHARTS / chart), "--namespace", "house", *arguments)
        assert done.returncode != 0, "was rendered"
        return done.stderr
