"""Instructions in a ConfigMap on one machine: checked before anything starts, then a file per butler."""

from __future__ import annotations

from collections.abc import Iterator

from butler_cli.local.state import StateDir, write_private
from butler_resources.kinds import Butler, Manifests, Problem
from butler_resources.kinds.instructions import ConfigMapKeyRef, instructions_problem

__all__ = ["instruction_problems", "write_instructions"]


def instruction_problems(manifests: Manifests) -> list[Problem]:
    """Return what keeps instructions from being used."""
    problems = []
    for butler, ref in _named(manifests):
        text, where = manifests.text_of(ref), f"ConfigMap {ref.name}"
        if text is None:
            words = f"no {where} with key {ref.key} among the manifests; add it"
        elif (wrong := instructions_problem(text)) is not None:
            words = f"{where}, key {ref.key}, {wrong}"
        else:
            continue
        problems.append(Problem(f"Butler {butler.name}", "spec.instructionsFrom", words))
    return problems


def write_instructions(manifests: Manifests, state: StateDir) -> None:
    """Write the instructions of every butler that has them in a ConfigMap."""
    for butler, ref in _named(manifests):
        write_private(state.instructions_file(butler.name), manifests.text_of(ref) or "")


def _named(manifests: Manifests) -> Iterator[tuple[Butler, ConfigMapKeyRef]]:
    for butler in manifests.butlers:
        if (ref := butler.spec.instructions_ref) is not None:
            yield butler, ref
