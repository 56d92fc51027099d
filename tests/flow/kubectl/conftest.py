"""A recorded kubectl in place of the real one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flow.kubectl.fake import FakeKubectl


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeKubectl:
    fake = FakeKubectl(tmp_path / "bin")
    monkeypatch.setenv("KUBECTL", str(fake.path))
    return fake
