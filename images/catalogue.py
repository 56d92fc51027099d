"""All images with their bases and parts, and where the built ones are stored."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = Path(
    os.environ.get("BUTLERS_CLUSTER_CACHE")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "butlers-cluster"
)
ARCHIVES = CACHE / "images"
COMMAND_LINES = ROOT / ".venv" / "command-lines"
"""Where `make command-lines` installs them."""
SOURCES = ("services", "connectors", "operator", "cli", "spark-apps")
"""Folders that make up the wheel."""
RUNTIME = (
    "butler_contracts", "butler_kit", "butler_switchboard", "butler_messenger", "butler_specialist",
    "butler_provision", "butler_connectors", "butler_rollups", "butler_dashboard",
)  # fmt: skip
NOT_RUN = (
    "usr/share/doc/*",
    "usr/share/man/*",
    "usr/share/info/*",
    "usr/share/locale/*",
    "usr/lib/x86_64-linux-gnu/gconv/*",
)
"""Files of Debian packages that nothing in our images reads."""
UNPACKED = (
    'mkdir -p ../var/lib/dpkg/status.d && for file in *.deb; do dpkg-deb -x "$file" .. '
    '&& dpkg-deb -f "$file" >../var/lib/dpkg/status.d/"${file%%_*}"; done && rm -f *.deb'
)
"""The end of a hook that only unpacks packages: their metadata is kept where SBOM tools look for it."""


@dataclass(frozen=True)
class Base:
    """A Debian root file system from packages alone, without apt."""

    packages: tuple[str, ...]
    hooks: tuple[str, ...] = ()


@dataclass(frozen=True)
class CommandLine:
    """A program of `make command-lines`, and the npm package that brought it."""

    program: str
    package: str


@dataclass(frozen=True)
class Image:
    """One image: its base, its lock file, its packages of the wheel, its other folders of the project."""

    base: str
    lock: str | None = None
    packages: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    limit_mb: int | None = None
    option: str | None = None
    """Built only `--with` this, or by name."""
    from_source: tuple[str, ...] = ()
    """Packages that have no wheel to download."""
    programs: tuple[str, ...] = ()
    """Programs from the cluster's cache."""
    command_line: CommandLine | None = None
    """The program that a butler's sessions run."""
    recipe: str | None = None
    """The folder of its Containerfile, if it is not named like the image."""
    moved: tuple[tuple[str, str], ...] = ()
    """Folders of the dependencies that are elsewhere in the image: (from, to)."""


def _with(command_line: CommandLine, family: str) -> Image:
    """Return the image of butlers whose runtime is this family."""
    return Image("butlers", option=family, command_line=command_line, recipe="command-lines")


BASES = {
    "python": Base(
        ("python3", "ca-certificates", "tzdata"),
        hooks=('--customize-hook=cd "$1/usr/lib/python3.11" && rm -rf lib2to3 pydoc_data',),
    ),
    # The server's packages are only unpacked: their scripts would need Perl and create a cluster.
    "postgresql": Base(
        (
            "libgssapi-krb5-2", "libicu72", "libldap-2.5-0", "liblz4-1", "libpam0g", "libpq5", "libreadline8",
            "libssl3", "libsystemd0", "libuuid1", "libxml2", "libxslt1.1", "libzstd1", "tzdata", "zlib1g",
        ),
        hooks=(
            '--customize-hook=echo postgres:x:999: >>"$1/etc/group"',
            '--customize-hook=echo postgres:x:999:999::/var/lib/postgresql:/bin/sh >>"$1/etc/passwd"',
            '--customize-hook=mkdir -p "$1/var/lib/postgresql"',
            '--customize-hook=cd "$1/tmp" && APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get -q download '
            f"postgresql-15 postgresql-client-15 && {UNPACKED}",
            '--customize-hook=cd "$1/usr/lib/postgresql/15/lib" && rm -rf bitcode llvmjit*',
            '--customize-hook=rm -rf "$1"/usr/share/postgresql/15/man',
            '--customize-hook=find "$1"/usr/share/doc/postgresql* ! -type d ! -name copyright -delete',
        ),
    ),
    # The driver's package is only unpacked: installing it would add a second Java.
    "spark": Base(
        ("python3", "ca-certificates", "tzdata", "openjdk-17-jre-headless", "procps", "tini"),
        hooks=(
            '--essential-hook=mkdir -p "$1/usr/share/man/man1"',
            '--customize-hook=cd "$1/tmp" && APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get -q download '
            f"libpostgresql-jdbc-java && {UNPACKED}",
            '--customize-hook=cd "$1/usr/lib/python3.11" && rm -rf lib2to3 pydoc_data',
        ),
    ),
}  # fmt: skip
IMAGES = {
    "butlers": Image("python", "butlers", RUNTIME, limit_mb=110),
    "butlers-operator": Image(
        "python",
        "operator",
        ("butler_contracts", "butler_kit", "butler_resources", "butler_operator"),
        limit_mb=130,
    ),
    "butlers-postgresql": Image("postgresql"),
    "butlers-providers": Image("python", "providers", folders=("tests/support",)),
    "butlers-spark": Image(
        "spark",
        "spark",
        ("butler_contracts", "butler_kit", "butler_rollups"),
        folders=("spark-apps/apps",),
        limit_mb=480,
        option="spark",
        from_source=("pyspark",),
        moved=(("pyspark/jars", "spark/lib"), ("pyspark", "spark")),
    ),
    # Kubeflow's operator, with our Spark to submit.
    "butlers-spark-operator": Image("butlers-spark", option="spark", programs=("spark-operator",)),
    "butlers-codex": _with(CommandLine("codex", "@openai/codex-linux-x64"), "codex"),
    # Its licence lets each user build this for themselves, and nobody hand it on.
    "butlers-claude-code": _with(CommandLine("claude", "@anthropic-ai/claude-code-linux-x64"), "claude-code"),
    "butlers-opencode": _with(CommandLine("opencode", "opencode-linux-x64"), "opencode"),
}


def local_name(name: str) -> str:
    return f"localhost/{name}:dev"


def archive(name: str) -> Path:
    return ARCHIVES / f"{name}.tar"
