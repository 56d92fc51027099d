"""Build the project's container images, without a container engine: buildah on a base made by mmdebstrap.

    images/build.py [--engine buildah|docker] [--sizes] [--with spark] [NAME…]

An image is built again only when what goes into it has changed: its Containerfile, its lock, the sources, the base.
Archives lie in the cache (`<cache>/images/NAME.tar`), where cluster/load.sh takes them. `--sizes` prints what each
weighs as a registry would store it, and fails when one is heavier than its limit. The Spark image is large, and few run
statistics on Spark: it is built only when asked for. With Docker the same Containerfiles are built on the public images
that they name.
"""

from __future__ import annotations

import argparse
import fcntl
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = Path(
    os.environ.get("BUTLERS_CLUSTER_CACHE")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "butlers-cluster"
)
ARCHIVES = CACHE / "images"
SUITE = "bookworm"
STILL_S = 15.0
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64")
SOURCES = ("services", "connectors", "operator", "cli", "spark-apps")
"""Folders that the wheel is made of."""
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
"""The end of a hook that only unpacks packages: what they are is kept where lists of contents look for it."""


class BuildFailed(Exception):
    """One line for the person: what failed and where the rest is."""


@dataclass(frozen=True)
class Base:
    """A Debian root file system from packages alone, without apt."""

    packages: tuple[str, ...]
    hooks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Image:
    """One image: on which base, with which lock, which packages of the wheel, which other folders of the project."""

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
    """Programs of the cluster's cache."""
    moved: tuple[tuple[str, str], ...] = ()
    """Folders of the dependencies that lie elsewhere in the image: (from, to)."""


BASES = {
    "python": Base(
        ("python3", "ca-certificates", "tzdata"),
        hooks=('--customize-hook=cd "$1/usr/lib/python3.11" && rm -rf lib2to3 pydoc_data',),
    ),
    # The server's packages are only unpacked: their scripts would bring Perl and make a cluster of their own.
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
    # The driver's package is only unpacked: it would bring a second Java.
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
    # Kubeflow's operator with the Spark that submits: ours.
    "butlers-spark-operator": Image("butlers-spark", option="spark", programs=("spark-operator",)),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="images/build.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--engine", choices=("buildah", "docker"), default="buildah")
    parser.add_argument(
        "--sizes", action="store_true", help="print compressed sizes and hold them to the limits"
    )
    parser.add_argument(
        "--with",
        dest="options",
        action="append",
        default=[],
        choices=sorted({image.option for image in IMAGES.values() if image.option}),
        help="images that are built only when asked for",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(IMAGES))
    chosen = parser.parse_args()
    try:
        names = chosen.names or [
            name for name, image in IMAGES.items() if image.option in (None, *chosen.options)
        ]
        if unknown := set(names) - set(IMAGES):
            raise BuildFailed(f"no image {', '.join(sorted(unknown))}; there are: {', '.join(IMAGES)}")
        with locked(CACHE / "images.lock"):
            for name in names:
                _build(name, chosen.engine)
        return _weigh(names, chosen.engine) if chosen.sizes else 0
    except BuildFailed as failure:
        print(f"images: {failure}", file=sys.stderr)
        return 1


def _build(name: str, engine: str) -> None:
    image = IMAGES[name]
    stamp, tag = ARCHIVES / f"{name}.{engine}.inputs", ARCHIVES / f"{name}.tag"
    inputs = _inputs(name, image, engine)
    kept = _docker_has(name) if engine == "docker" else _archive(name).exists()
    if kept and stamp.exists() and stamp.read_text() == inputs:
        tag.write_text(inputs[:12])  # the other engine may have been here since
        return
    started = time.monotonic()
    context = CACHE / "contexts" / name
    with still_at_it(f"image {name}"):
        _fill(context, name, image)
        if engine == "docker":
            _docker_build(name, context)
        else:
            _buildah_build(name, _base_image(image.base), context)
    ARCHIVES.mkdir(parents=True, exist_ok=True)
    stamp.write_text(inputs)
    tag.write_text(inputs[:12])
    print(f"image {name}: {time.monotonic() - started:.0f} s", flush=True)


@contextmanager
def still_at_it(what: str, *, every_s: float = STILL_S) -> Iterator[None]:
    """Say now and then that `what` goes on: minutes without a word look like a machine that hangs."""
    done, started = threading.Event(), time.monotonic()

    def tell() -> None:
        while not done.wait(every_s):
            print(f"{what}: still at it after {time.monotonic() - started:.0f} s", flush=True)

    telling = threading.Thread(target=tell, daemon=True)
    telling.start()
    try:
        yield
    finally:
        done.set()
        telling.join()


def local_name(name: str) -> str:
    return f"localhost/{name}:dev"


def _archive(name: str) -> Path:
    return ARCHIVES / f"{name}.tar"


def _inputs(name: str, image: Image, engine: str) -> str:
    """A hash of everything that goes into the image."""
    below = _inputs(image.base, IMAGES[image.base], engine) if image.base in IMAGES else BASES[image.base]
    digest = hashlib.sha256(f"{engine} {image} {below} {NOT_RUN}".encode())
    for program in image.programs:
        digest.update(hashlib.sha256((CACHE / "bin" / program).read_bytes()).digest())
    files = [*_files(ROOT / "images" / name)]
    if image.lock:
        files.append(ROOT / "requirements" / f"{image.lock}.txt")
    if image.packages:
        files += [ROOT / "pyproject.toml", *_packages(image)]
    for folder in image.folders:
        files += _files(ROOT / folder)
    for path in files:
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _packages(image: Image) -> Iterator[Path]:
    for folder in SOURCES:
        for package in image.packages:
            yield from _files(ROOT / folder / package)


def _files(folder: Path) -> list[Path]:
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return sorted(found)


def _fill(context: Path, name: str, image: Image) -> None:
    """Lay out what the Containerfile copies."""
    shutil.rmtree(context, ignore_errors=True)
    shutil.copytree(ROOT / "images" / name, context)
    if image.lock:
        shutil.copytree(_dependencies(image.lock, image.from_source), context / "dependencies")
        _move(context, image)
        (context / "application").mkdir()
    if image.packages:
        _install_wheel(context / "application", image.packages)
    for folder in image.folders:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, context / "application" / folder, ignore=ignore)
    for program in image.programs:
        shutil.copy(CACHE / "bin" / program, context / program)
    for path in context.rglob("*"):
        path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)


def _move(context: Path, image: Image) -> None:
    """Lay some of the dependencies elsewhere; what is not used there is named in the image's .dockerignore."""
    for source, target in image.moved:
        for path in sorted((context / "dependencies" / source).iterdir()):
            (context / target).mkdir(parents=True, exist_ok=True)
            path.rename(context / target / path.name)
        (context / "dependencies" / source).rmdir()


def _dependencies(lock: str, from_source: tuple[str, ...] = ()) -> Path:
    """The packages of a lock, installed once and kept; every file is checked against its hash by pip."""
    text = (ROOT / "requirements" / f"{lock}.txt").read_bytes()
    place = CACHE / "dependencies" / f"{lock}-{hashlib.sha256(text).hexdigest()[:16]}"
    if place.exists():
        return place
    print(f"fetching the packages of requirements/{lock}.txt (once)", flush=True)
    fresh = place.with_suffix(".new")
    shutil.rmtree(fresh, ignore_errors=True)
    platforms = [part for platform in PLATFORMS for part in ("--platform", platform)]
    _run(
        sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile",
        "--require-hashes", "--only-binary=:all:", *(f"--no-binary={name}" for name in from_source),
        "--python-version", "3.11", *platforms,
        "--target", str(fresh), "-r", str(ROOT / "requirements" / f"{lock}.txt"),
    )  # fmt: skip
    for waste in (*fresh.glob("bin"), *fresh.glob("*/tests"), *fresh.glob("kubernetes/docs")):
        shutil.rmtree(waste)
    for other in place.parent.glob(f"{lock}-*"):
        if other != fresh:
            shutil.rmtree(other)
    fresh.rename(place)
    return place


def _install_wheel(target: Path, packages: Iterable[str]) -> None:
    """Install the project's one wheel and leave out the packages that this image does not run."""
    wheels = CACHE / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    _run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels), str(ROOT))
    wheel = next(wheels.glob("butlers-*.whl"))
    _run(*pip, "install", "--no-deps", "--no-compile", "--target", str(target), str(wheel))
    for path in target.iterdir():
        if path.name == "bin" or (path.name.startswith("butler_") and path.name not in set(packages)):
            shutil.rmtree(path)


def _base_image(name: str) -> str:
    """The base's name in buildah's store; made when it is not there in this form."""
    if name in IMAGES:
        return local_name(name)
    base = BASES[name]
    version = hashlib.sha256(f"{SUITE} {base} {NOT_RUN}".encode()).hexdigest()[:12]
    tag = f"localhost/butlers-base-{name}:{version}"
    if _buildah("images", "--quiet", "--filter", f"reference={tag}"):
        return tag
    rootfs = CACHE / f"rootfs-{name}-{version}.tar"
    if not rootfs.exists():
        _bootstrap(base, rootfs)
    container = _buildah("from", "scratch")
    _buildah("add", "--quiet", container, str(rootfs), "/")
    _buildah("config", "--env", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", container)
    _buildah("commit", "--quiet", "--rm", container, tag)
    return tag


def _bootstrap(base: Base, rootfs: Path) -> None:
    print(f"making a root file system of Debian packages: {', '.join(base.packages)} (once)", flush=True)
    fresh = rootfs.with_name(f"new-{rootfs.name}")  # mmdebstrap tells the format by the end of the name
    excluded = [f"--dpkgopt=path-exclude=/{pattern}" for pattern in NOT_RUN]
    _run(
        "mmdebstrap", "--quiet", "--variant=essential", "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr",
        f"--include=usr-is-merged,{','.join(base.packages)}", *excluded,
        "--dpkgopt=path-include=/usr/share/doc/*/copyright", "--aptopt=Apt::Install-Recommends false",
        *base.hooks, SUITE, str(fresh),
    )  # fmt: skip
    fresh.rename(rootfs)


def _buildah_build(name: str, base: str, context: Path) -> None:
    _buildah(
        "build", "--isolation", "chroot", "--layers", "--quiet", "--build-arg", f"BASE={base}",
        "--tag", local_name(name), "--file", str(context / "Containerfile"), str(context),
    )  # fmt: skip
    ARCHIVES.mkdir(parents=True, exist_ok=True)
    fresh = _archive(name).with_suffix(".new")
    fresh.unlink(missing_ok=True)
    # This form keeps the name inside, and the layers uncompressed: a load is bound by hashing alone.
    _buildah("push", "--quiet", local_name(name), f"docker-archive:{fresh}:{local_name(name)}")
    fresh.rename(_archive(name))


def _docker_build(name: str, context: Path) -> None:
    """On the base that the Containerfile names; the engine keeps the image."""
    _run(
        "docker", "build", "--quiet", "--platform", "linux/amd64", "--tag", local_name(name),
        "--file", str(context / "Containerfile"), str(context),
    )  # fmt: skip


def _docker_has(name: str) -> bool:
    return bool(_run("docker", "images", "--quiet", local_name(name)))


def _buildah(*arguments: str) -> str:
    """Run buildah on a store of our own."""
    return _run("buildah", *buildah_store(), *arguments)


def buildah_store() -> tuple[str, ...]:
    """The options that name the store."""
    store = CACHE / "buildah"
    return ("--root", str(store / "root"), "--runroot", str(store / "run"), "--storage-driver", "overlay")


def _run(*command: str) -> str:
    """Run a program; what it printed. A failure shows its last lines."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except FileNotFoundError:
        raise BuildFailed(f"{command[0]} is not installed (a Debian package of that name)") from None
    if done.returncode:
        last = "\n".join((done.stderr or done.stdout).strip().splitlines()[-8:])
        raise BuildFailed(f"{' '.join(command[:3])} … ended with {done.returncode}:\n{last}")
    return done.stdout.strip()


def _weigh(names: Sequence[str], engine: str) -> int:
    """Print each image's size as a registry stores it: layers compressed by gzip."""
    heavy = 0
    for name in names:
        archive = _archive(name)
        if engine == "docker":
            archive = archive.with_suffix(".docker.tar")
            _run("docker", "save", "--output", str(archive), local_name(name))
        size_mb = len(gzip.compress(archive.read_bytes(), compresslevel=6)) / 1e6
        limit = IMAGES[name].limit_mb
        verdict = "" if limit is None else f" (limit {limit} MB)"
        print(f"{name:20} {size_mb:6.1f} MB compressed{verdict}", flush=True)
        heavy += limit is not None and size_mb > limit
    return 1 if heavy else 0


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One build at a time on this machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("another build of images is at work on this machine; waiting for it", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main())
