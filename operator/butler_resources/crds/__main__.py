"""`python -m butler_resources.crds [--check] [ROOT]`: write the generated files, or say which are out of date."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from pathlib import Path

from butler_resources.crds.files import CHART_DIRECTORY, DIRECTORY, generated_files

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 written or up to date, 1 something differs."""
    parser = argparse.ArgumentParser(prog="python -m butler_resources.crds", description=__doc__)
    parser.add_argument("root", nargs="?", type=Path, default=Path(), help="the repository; default here")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is out of date")
    options = parser.parse_args(arguments)
    root: Path = options.root
    files = generated_files()
    outdated = [path for path, text in files.items() if _read(root / path) != text]
    left_over = _left_over(root, files)
    if options.check:
        for path in (*outdated, *left_over):
            print(f"{path} is not what the models say; run `make crds`", file=sys.stderr)
        return 1 if outdated or left_over else 0
    for path in outdated:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(files[path], encoding="utf-8")
        print(f"wrote {path}")
    for path in left_over:
        (root / path).unlink()
        print(f"removed {path}")
    return 0


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def _left_over(root: Path, known: Collection[str]) -> list[str]:
    """Definitions of kinds that no longer exist."""
    found = (path for directory in (DIRECTORY, CHART_DIRECTORY) for path in (root / directory).glob("*.yaml"))
    return sorted(name for path in found if (name := path.relative_to(root).as_posix()) not in known)


if __name__ == "__main__":
    sys.exit(main())
