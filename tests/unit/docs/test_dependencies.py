"""`docs/dependencies.md` names every direct dependency with its pin, and no pinned package is under the GPL."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/dependencies.md"
PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?==([^\s;\\]+)", re.MULTILINE)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
GPL = re.compile(r"\bA?GPL|\b(?:Affero )?General Public License", re.IGNORECASE)
LGPL = re.compile(r"\bLGPL[\w.+-]*|\b(?:Lesser|Library) General Public License[^,;]*", re.IGNORECASE)


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, str]:
    files = ((ROOT / "requirements" / f"{extra}.txt").read_text("utf-8") for extra in ("demo", "dev"))
    return {canonical(name): version for text in files for name, version in PIN.findall(text)}


def direct_dependencies() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(line for extra in project["project"]["optional-dependencies"].values() for line in extra),
    ]
    names = {canonical(match[0]) for line in wanted if (match := NAME.match(line))}
    return names - {"butlers"}


def listed() -> dict[str, str]:
    """Package → version of the page's tables."""
    rows = re.findall(r"^\| `([^`]+)` \| ([^ |]+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    return {canonical(name): version for name, version in rows}


def licences(package: str) -> list[str]:
    """Everything that an installed package says of its licence; its licence files only when nothing else does."""
    found = metadata.distribution(package)
    stated = [
        *(found.metadata.get_all("License-Expression") or []),
        *(text.splitlines()[0] for text in found.metadata.get_all("License") or [] if text.strip()),
        *(line for line in found.metadata.get_all("Classifier") or [] if line.startswith("License ::")),
    ]
    if stated:
        return stated
    files = [path for path in found.files or () if re.search(r"licen[cs]e|copying", path.name, re.IGNORECASE)]
    return [" ".join(Path(str(path.locate())).read_text("utf-8").split()) for path in files]


def is_gpl(statement: str) -> bool:
    """Whether a licence can only be the GPL or AGPL; one that may be chosen instead of it is enough."""
    choices = re.split(r"\s+OR\s+", statement) if len(statement) < 200 else [statement]
    return all(GPL.search(LGPL.sub("", choice)) for choice in choices)


def test_the_page_names_every_direct_dependency_and_nothing_else():
    missing = direct_dependencies() - set(listed())
    assert not missing, f"add a row to docs/dependencies.md for {sorted(missing)}"
    gone = set(listed()) - direct_dependencies()
    assert not gone, f"no dependency of pyproject.toml any more, remove the row: {sorted(gone)}"


def test_the_page_states_the_pinned_versions():
    pinned = pins()
    outdated = {name: pinned.get(name) for name, version in listed().items() if pinned.get(name) != version}
    assert not outdated, f"write these versions into docs/dependencies.md: {outdated}"


def test_no_pinned_package_is_under_the_gpl():
    found = {name: licences(name) for name in pins()}
    assert not {name for name, stated in found.items() if not stated}, "without any licence"
    gpl = {name: stated for name, stated in found.items() if any(map(is_gpl, stated))}
    assert not gpl, f"choose another package than {gpl}"


@pytest.mark.parametrize(
    "statement",
    [
        "GPL-3.0-or-later",
        "AGPL-3.0-only",
        "GPLv2",
        "License :: OSI Approved :: GNU General Public License v3 (GPLv3)",
        "MIT AND GPL-2.0-only",
        "LGPL-2.1-only AND GPL-2.0-only",
    ],
)
def test_the_gpl_is_recognised(statement):
    assert is_gpl(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "LGPL-3.0-only",
        "License :: OSI Approved :: GNU Lesser General Public License v3 (LGPLv3)",
        "MIT OR GPL-2.0-only",
        "MIT",
        "Apache-2.0",
    ],
)
def test_other_licences_are_not_taken_for_the_gpl(statement):
    assert not is_gpl(statement)
