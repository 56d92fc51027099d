"""The operator against a real API server, without a node: roles, admission, garbage collection as they are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.plane_site import Site, require_programs, site_in


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    """A control plane of the test's own; `make test` gets its programs."""
    require_programs()
    async with site_in(tmp_path / "plane") as site:
        yield site
