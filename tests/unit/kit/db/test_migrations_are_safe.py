"""Every migration of every package passes squawk: safe to apply beside a running older replica."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.workqueue import PARTS, work_table_sql

ROOT = Path(__file__).parents[4]
SQUAWK = Path(sys.executable).with_name("squawk")


def lint(*files):
    return subprocess.run(
        [SQUAWK, "--config", ROOT / ".squawk.toml", *files],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
    )


def test_every_migration_is_clean():
    migrations = sorted(ROOT.glob("services/**/*migrations/*.sql"))
    definitions = sorted(ROOT.glob("services/**/*definitions/*.sql"))
    assert migrations
    assert definitions
    done = lint(*migrations, *definitions)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_work_table_is_clean(tmp_path):
    files = [tmp_path / f"{number:04d}_{part}.sql" for number, part in enumerate(PARTS, start=1)]
    for file, part in zip(files, PARTS, strict=True):
        file.write_text(work_table_sql("some_work", part), encoding="utf-8")
    done = lint(*files)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_dangerous_migration_would_be_found(tmp_path):
    file = tmp_path / "0001_danger.sql"
    file.write_text("ALTER TABLE sessions DROP COLUMN kind;\n", encoding="utf-8")
    done = lint(file)
    assert done.returncode != 0
    assert "ban-drop-column" in done.stdout
