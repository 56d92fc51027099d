"""Which modules a real process has imported: `program` runs `python -m MODULE` and writes them down when it ends.

`python -m tests.support.loaded FILE MODULE …` imports nothing that the program itself would not.
"""

from __future__ import annotations

import atexit
import runpy
import sys
from pathlib import Path

SDK = frozenset({"mcp", "mcp_types", "httpx2", "sse_starlette"})
SPARK = frozenset({"pyspark", "pyarrow", "py4j", "duckdb"})
TRAINING = frozenset(
    {
        "numpy", "numba", "butler_kit.textmodel.training", "butler_switchboard.routing.rules.training",
        "butler_kit.tellings.training",
    }
)  # fmt: skip
MAIL_IN = frozenset({"imapclient", "inscriptis", "mailparser_reply", "lxml"})
MAIL_OUT = frozenset({"aiosmtplib"})
BOT_API = frozenset({"telegram"})
PAGES = frozenset({"fastapi", "jinja2"})
CLUSTER = frozenset({"kopf", "kubernetes", "butler_operator", "butler_resources"})
SPANS = frozenset({"opentelemetry"})
DATABASE = frozenset({"asyncpg", "butler_kit.db", "butler_kit.queue"})
SERVING = frozenset({"jwt", "cryptography", "jsonschema", "butler_kit.mcp.server"})
"""What only a process with tools of its own needs."""
FOR_NOBODY_HERE = SDK | SPARK | TRAINING | PAGES | CLUSTER | SPANS
"""What no service and no connector needs; the dashboard has pages."""


def program(report: Path, module: str) -> list[str]:
    """The command that runs `module` and writes its imports to `report` at its end, by SIGTERM too."""
    return [sys.executable, "-m", "tests.support.loaded", str(report), module]


def needless(report: Path, unwanted: frozenset[str]) -> set[str]:
    """Those of the unwanted modules that were imported."""
    loaded = set(report.read_text(encoding="utf-8").splitlines())
    assert "pydantic" in loaded
    return loaded & unwanted


def _become() -> None:
    report, module = Path(sys.argv[1]), sys.argv[2]
    sys.argv[1:3] = []
    atexit.register(lambda: report.write_text("\n".join(sorted(sys.modules)), encoding="utf-8"))
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _become()
