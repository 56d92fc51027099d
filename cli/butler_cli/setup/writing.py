"""Put a new household in place: all of it or nothing, and nothing that was there is touched.

Everything is written beside its place, read back as `butlers up` would read it, and moved there in two steps; a
failure between them undoes the first.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from butler_cli.errors import UserError
from butler_cli.local.listening import check_ports, free_ports
from butler_cli.local.ports import assign_ports
from butler_cli.local.prepare import settle
from butler_cli.local.state import AlreadyUp, StateDir, write_private
from butler_resources.kinds import load_manifests

__all__ = ["refuse_ports", "refuse_unusable", "write_household"]


def refuse_unusable(directory: Path, state: StateDir) -> None:
    """Raise `UserError` unless a household can be put into both; tried by writing there for a moment."""
    pid = state.supervisor_pid()
    if pid is not None:
        raise AlreadyUp(state.root, pid or None)
    _refuse_folder_in_use(directory, state)
    for path in (directory, state.root):
        if path.exists() and not path.is_dir():
            raise UserError(f"{path} is a file; name a folder that is not there yet")
        _try_writing(path)
    _try_writing(directory.absolute().parent)
    if directory.is_dir() and any(directory.iterdir()):
        raise UserError(f"{directory} is not empty, and init overwrites nothing; name a new folder")
    if (state.root / "pg").exists():
        raise UserError(f"there is a household in {state.root} already; name another place with --state DIR")
    if state.secrets_dir.is_dir() and any(state.secrets_dir.iterdir()):
        raise UserError(
            f"{state.secrets_dir} holds secrets already, of a household or of an init that was cut short; "
            "remove that folder if they are not needed, or name another place with --state DIR"
        )


def _refuse_folder_in_use(directory: Path, state: StateDir) -> None:
    """Raise `UserError` for a folder that could not be put in place as a whole at the end."""
    for used, what in ((Path.cwd(), "the current folder"), (state.root, "the state directory")):
        if used.resolve().is_relative_to(directory.resolve()):
            raise UserError(f"{directory} is or holds {what} {used}; name a new folder, such as household")


def refuse_ports(manifests: Mapping[str, str], port_base: int | None) -> None:
    """Raise `UserError` naming the first port of these manifests that another program has."""
    with tempfile.TemporaryDirectory(prefix="butlers-init-") as folder:
        for name, text in manifests.items():
            write_private(Path(folder) / name, text)
        check_ports(assign_ports(load_manifests(Path(folder)), base=port_base, free=free_ports()))


def write_household(
    directory: Path, state: StateDir, *, manifests: Mapping[str, str], secrets: Mapping[str, str]
) -> None:
    """Put both in place. Raises `ManifestError` or `OSError`, and then leaves nothing behind."""
    beside = StateDir.at(state.root / ".init")
    staged = directory.absolute().with_name(f".{directory.name}.init")
    with ExitStack() as undo:
        for made in (beside.root, staged):
            shutil.rmtree(made, ignore_errors=True)
            undo.callback(shutil.rmtree, made, ignore_errors=True)
        for name, text in secrets.items():
            write_private(beside.secrets_dir / name, text)
        for name, text in manifests.items():
            write_private(staged / name, text)
        settle(staged, state=beside, env={})
        state.root.chmod(0o700)
        with ExitStack() as halfway:
            beside.secrets_dir.rename(state.secrets_dir)
            halfway.callback(shutil.rmtree, state.secrets_dir, ignore_errors=True)
            staged.rename(directory)
            halfway.pop_all()


def _try_writing(path: Path) -> None:
    nearest = path.absolute()
    while not nearest.exists():
        nearest = nearest.parent
    try:
        with tempfile.TemporaryDirectory(prefix=".butlers-init-", dir=nearest):
            pass
    except OSError as error:
        raise UserError(f"{nearest} cannot be written to ({error.strerror}); name another folder") from None
