"""Argo CD's health of an object: the shipped script, in the Lua that Argo CD runs (5.1, without the open libraries)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml
from lupa.lua51 import LuaRuntime

__all__ = ["SCRIPTS", "health"]

_PATCH: Final = Path(__file__).parents[2] / "deploy/argo-cd/health.yaml"
_PREFIX: Final = "resource.customizations.health.butlers.dev_"
SCRIPTS: Final[Mapping[str, str]] = {
    key.removeprefix(_PREFIX): text for key, text in yaml.safe_load(_PATCH.read_text("utf-8"))["data"].items()
}
"""By kind."""


def health(body: Mapping[str, Any]) -> tuple[str, str]:
    """Status and message that the script of the object's kind returns."""
    lua = LuaRuntime(register_eval=False, register_builtins=False)
    lua.execute("string, math, io, os, debug, coroutine, require, dofile, loadfile = nil")
    lua.globals().obj = lua.table_from(json.loads(json.dumps(body)), recursive=True)
    said = lua.execute(SCRIPTS[body["kind"]])
    return said.status, said.message
