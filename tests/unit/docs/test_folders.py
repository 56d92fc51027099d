"""The architecture page names every folder of the product, so that a newcomer finds what is there."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from tests.unit.docs.test_links import ROOT, tracked

PACKAGES = ("services", "connectors", "operator", "cli", "spark-apps")
"""Folders whose subfolders are named one by one."""


def test_the_architecture_page_names_every_folder() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    folders = {PurePosixPath(name).parts for name in tracked() if "/" in name}
    top = {parts[0] for parts in folders if not parts[0].startswith(".")} - {"requirements"}
    for name in sorted(top):
        assert f"`{name}/" in page, f"docs/architecture.md does not name {name}/"
    for group, package in sorted({parts[:2] for parts in folders if parts[0] in PACKAGES and len(parts) > 2}):
        assert f"`{group}/{package}/`" in page or f"`{package}`" in page, f"{group}/{package} is not named"


def test_a_row_that_lists_the_parts_of_a_package_leaves_none_out() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `([a-z_]+/[a-z_]+)/` \| (.+) \|$", page, re.MULTILINE))
    parts: dict[str, set[str]] = {}
    for name in tracked():
        package, _, rest = name.partition("/")
        package = f"{package}/{rest.partition('/')[0]}"
        if rest.count("/") > 1 and package in rows:
            parts.setdefault(package, set()).add(rest.split("/")[1])
    assert parts
    for package, folders in parts.items():
        named = set(re.findall(r"`([a-z_]+)`", rows[package]))
        if len(named & folders) > 2:
            assert folders - named == set(), f"docs/architecture.md leaves parts of {package} out"
