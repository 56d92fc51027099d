"""What is served from `static/vendor` is what its list says, each file with its licence, none of another origin."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from butler_dashboard.pages.rendering import STATIC, static_url

ROOT = Path(__file__).parents[3]
VENDOR = STATIC / "vendor"
FOLDERS = sorted(path.name for path in VENDOR.iterdir() if path.is_dir())
ADDRESS = re.compile(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", re.IGNORECASE)


def test_every_vendored_file_has_the_sum_that_is_listed():
    lines = (VENDOR / "SHA256SUMS").read_text("utf-8").splitlines()
    listed = {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}
    found = {
        f"{folder}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in FOLDERS
        for path in (VENDOR / folder).iterdir()
    }
    assert found == listed


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_vendored_package_has_its_licence_and_is_listed_with_its_version(folder):
    assert (VENDOR / folder / "LICENSE").read_text("utf-8").strip()
    row = re.search(
        rf"^\| `{folder}` \| `([^`]+)` \| ([^ |]+) \| ([^ |]+) \|",
        (VENDOR / "README.md").read_text("utf-8"),
        re.M,
    )
    assert row is not None
    package, version, licence = row.groups()
    page = (ROOT / "docs/dependencies.md").read_text("utf-8")
    assert f"| {package} | {version} | {licence} |" in page


def test_no_file_of_ours_names_another_origin():
    ours = [path for path in STATIC.iterdir() if path.suffix in (".css", ".js")]
    assert len(ours) == 3
    for path in ours:
        assert not ADDRESS.search(path.read_text("utf-8")), path.name


def test_the_address_of_a_file_changes_with_its_content():
    digest = hashlib.sha256((STATIC / "dashboard.css").read_bytes()).hexdigest()
    assert static_url("dashboard.css") == f"/static/dashboard.css?v={digest[:12]}"
