"""Programs that tests take where the cluster's are kept, or from the path; `cluster/binaries.sh NAME` gets them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

__all__ = ["found"]


def found(name: str) -> str | None:
    """The path of a program, or None; the variable of its name in capitals may say another, as $HELM does."""
    cache_home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = os.environ.get("BUTLERS_CLUSTER_BIN") or (
        Path(os.environ.get("BUTLERS_CLUSTER_CACHE") or cache_home / "butlers-cluster") / "bin"
    )
    named = os.environ.get(name.upper())
    return named or shutil.which(name, path=str(folder)) or shutil.which(name)
