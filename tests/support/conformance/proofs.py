"""Which assertion proves which line of a requirement (`docs/reference/clauses.tsv`, `docs/reference/proofs.tsv`).

A requirement has one clause for each of its THEN and AND lines, numbered from 1. A proof names the test, which carries
the requirement's mark, and words of that test's file that assert the clause. Invariant: a proof whose test, mark or
assertion is gone is a problem, so the list cannot outlive what it lists.
"""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["Clause", "Proof", "problems", "read_clauses", "read_proofs", "unproved"]

ROOT = Path(__file__).parents[3]
CLAUSES = ROOT / "docs/reference/clauses.tsv"
PROOFS = ROOT / "docs/reference/proofs.tsv"


class Clause(NamedTuple):
    """One THEN or AND line of requirement `id`."""

    id: str
    number: int
    text: str


class Proof(NamedTuple):
    """`test` is `path::function`; `assertion` is found in that file, whatever its line breaks."""

    id: str
    number: int
    test: str
    assertion: str


def read_clauses(path: Path = CLAUSES) -> list[Clause]:
    """All clauses, in the order of the requirements."""
    return [Clause(row["id"], int(row["n"]), row["clause"]) for row in _rows(path)]


def read_proofs(path: Path = PROOFS) -> list[Proof]:
    """All proofs, in the order of the file."""
    return [Proof(row["id"], int(row["n"]), row["test"], row["assertion"]) for row in _rows(path)]


def unproved(ids: Iterable[str], clauses: Iterable[Clause], proofs: Iterable[Proof]) -> list[str]:
    """A line for each clause of `ids` that no proof names, and for each id without clauses."""
    wanted = set(ids)
    proved = {(proof.id, proof.number) for proof in proofs}
    mine = [clause for clause in clauses if clause.id in wanted]
    without = sorted(wanted - {clause.id for clause in mine})
    return [f"{name}: no clause is listed" for name in without] + [
        f"{clause.id} {clause.number}: nothing proves “{clause.text}”"
        for clause in mine
        if (clause.id, clause.number) not in proved
    ]


def problems(proofs: Iterable[Proof], clauses: Iterable[Clause]) -> list[str]:
    """A line for each proof of a clause, test, mark or assertion that is not there."""
    known = {(clause.id, clause.number) for clause in clauses}
    return [problem for proof in proofs for problem in _problems_of(proof, known)]


def _problems_of(proof: Proof, known: set[tuple[str, int]]) -> Iterator[str]:
    where = f"{proof.id} {proof.number}"
    if (proof.id, proof.number) not in known:
        yield f"{where}: there is no such clause"
    path, _, function = proof.test.partition("::")
    if not (ROOT / path).is_file():
        yield f"{where}: {path} is not there"
        return
    marked = marks_of(ROOT / path)
    if function not in marked:
        yield f"{where}: {path} has no {function}"
    elif proof.id not in marked[function]:
        yield f"{where}: {function} does not carry the mark"
    if _flat(proof.assertion) not in _flat((ROOT / path).read_text("utf-8")):
        yield f"{where}: {path} does not say “{proof.assertion}”"


@cache
def marks_of(path: Path) -> dict[str, frozenset[str]]:
    """Test function → the requirement ids that it carries, by itself, its class, its parameters or its module."""
    tree = ast.parse(path.read_text("utf-8"))
    of_module = frozenset(
        name
        for node in tree.body
        if isinstance(node, ast.Assign) and _is_pytestmark(node)
        for name in _ids(node.value)
    )
    return dict(_functions(tree, of_module))


def _functions(
    node: ast.Module | ast.ClassDef, inherited: frozenset[str]
) -> Iterator[tuple[str, frozenset[str]]]:
    for child in node.body:
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            own = inherited | {name for decorator in child.decorator_list for name in _ids(decorator)}
            if isinstance(child, ast.ClassDef):
                yield from _functions(child, own)
            else:
                yield child.name, own


def _is_pytestmark(node: ast.Assign) -> bool:
    return any(isinstance(target, ast.Name) and target.id == "pytestmark" for target in node.targets)


def _ids(node: ast.AST) -> Iterator[str]:
    """The arguments of every `pytest.mark.spec(…)` below `node`."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "spec":
            yield from (str(word.value) for word in call.args if isinstance(word, ast.Constant))


def _flat(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
