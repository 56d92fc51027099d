"""The chart's scripts that dump a household's database and make it again, run with the tests' own PostgreSQL."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from butler_cli.local.postgres_host import binaries
from tests.support.helm import CHARTS

__all__ = ["Dumps", "Said"]

FILES = CHARTS / "butlers" / "files"
DEADLINE_S = 120.0


@dataclass(frozen=True)
class Said:
    """How a script ended."""

    code: int
    text: str


@dataclass(frozen=True)
class Dumps:
    """The folder that a backup's volume is."""

    folder: Path

    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())

    async def back_up(self, admin_dsn: str, *, keep: int = 3) -> Said:
        return await self._run("backup.sh", admin_dsn, KEEP=str(keep))

    async def restore(self, admin_dsn: str, **given: str) -> Said:
        """`given`: FILE and REPLACE."""
        return await self._run("restore.sh", admin_dsn, **given)

    async def _run(self, script: str, admin_dsn: str, **given: str) -> Said:
        parts = urlsplit(admin_dsn)
        secret = self.folder.with_name("password")
        secret.write_text(unquote(parts.password or ""), "utf-8")
        env = {
            "PATH": f"{binaries()}:{os.environ['PATH']}",
            "FOLDER": str(self.folder),
            "PASSWORD_FILE": str(secret),
            "PGHOST": parts.hostname or "",
            "PGPORT": str(parts.port),
            "PGUSER": unquote(parts.username or ""),
            "PGDATABASE": parts.path.lstrip("/"),
            **given,
        }
        # As the pod runs it: the text is an argument, so nothing else of the file's folder is there.
        process = await asyncio.create_subprocess_exec(
            "sh", "-c", (FILES / script).read_text("utf-8"),
            env=env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        async with asyncio.timeout(DEADLINE_S):
            out, _ = await process.communicate()
        return Said(process.returncode or 0, out.decode())
