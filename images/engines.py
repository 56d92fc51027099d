"""Builds with buildah on our own base, made by mmdebstrap, or with Docker on the public one."""

from __future__ import annotations

import hashlib
from pathlib import Path

from images.catalogue import ARCHIVES, BASES, CACHE, IMAGES, NOT_RUN, Base, archive, local_name
from images.programs import run

SUITE = "bookworm"


def base_image(name: str) -> str:
    """Return the base's name in buildah's store; build it if this version is missing."""
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
    fresh = rootfs.with_name(f"new-{rootfs.name}")  # mmdebstrap takes the format from the suffix
    excluded = [f"--dpkgopt=path-exclude=/{pattern}" for pattern in NOT_RUN]
    run(
        "mmdebstrap", "--quiet", "--variant=essential", "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr",
        f"--include=usr-is-merged,{','.join(base.packages)}", *excluded,
        "--dpkgopt=path-include=/usr/share/doc/*/copyright", "--aptopt=Apt::Install-Recommends false",
        *base.hooks, SUITE, str(fresh),
    )  # fmt: skip
    fresh.rename(rootfs)


def buildah_build(name: str, base: str, context: Path) -> None:
    _buildah(
        "build", "--isolation", "chroot", "--layers", "--quiet", "--build-arg", f"BASE={base}",
        "--tag", local_name(name), "--file", str(context / "Containerfile"), str(context),
    )  # fmt: skip
    ARCHIVES.mkdir(parents=True, exist_ok=True)
    fresh = archive(name).with_suffix(".new")
    fresh.unlink(missing_ok=True)
    # This format contains the name and uncompressed layers: only hashing limits the speed of a load.
    _buildah("push", "--quiet", local_name(name), f"docker-archive:{fresh}:{local_name(name)}")
    fresh.rename(archive(name))


def docker_build(name: str, context: Path) -> None:
    """Build on the base that the Containerfile names; Docker keeps the image."""
    run(
        "docker", "build", "--quiet", "--platform", "linux/amd64", "--tag", local_name(name),
        "--file", str(context / "Containerfile"), str(context),
    )  # fmt: skip


def docker_has(name: str) -> bool:
    return bool(run("docker", "images", "--quiet", local_name(name)))


def _buildah(*arguments: str) -> str:
    """Run buildah on our own store."""
    return run("buildah", *buildah_store(), *arguments)


def buildah_store() -> tuple[str, ...]:
    """Return the options that name the store."""
    store = CACHE / "buildah"
    return ("--root", str(store / "root"), "--runroot", str(store / "run"), "--storage-driver", "overlay")
