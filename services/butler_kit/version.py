"""The release of Butlers: read once at import, for all processes that are forked after that."""

from __future__ import annotations

from importlib.metadata import version
from typing import Final

__all__ = ["VERSION"]

VERSION: Final = version("butlers")
