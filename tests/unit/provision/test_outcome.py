"""The termination message fits what the kubelet keeps, whatever happened."""

import json
from pathlib import Path

from butler_provision.outcome import TERMINATION_MAX_BYTES, Exit, failed, prepared, write_termination_message
from butler_provision.prepare import Prepared


def test_very_many_migrations_are_counted_instead_of_named() -> None:
    message = prepared(
        Prepared("postgresql://x", True, tuple(f"switchboard {n:04d}_title" for n in range(400)))
    )
    assert message == {"role_isolation": True, "applied": ["400 migrations"]}


def test_a_long_error_is_cut(tmp_path: Path) -> None:
    message = failed(Exit.MIGRATION_FAILED, "é" * 5_000)
    assert message["reason"] == "MigrationFailed"
    write_termination_message(tmp_path / "log", message)
    written = (tmp_path / "log").read_bytes()
    assert len(written) < TERMINATION_MAX_BYTES
    assert json.loads(written) == message
