"""Further volumes of a pod: what is read, and memory or disk for a moment; never the node, never a token.

Invariant: a kind that is not here cannot be asked for. A volume of a Secret names every key that it shows, so that the
rules for references hold for it as for any other; a volume shows up under a name of its own and never over our files.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field, StringConstraints

from butler_resources.kinds.base import DnsName, ObjectName, ResourceModel, SecretRef
from butler_resources.kinds.quantities import Quantity
from butler_resources.kinds.rules import Rule

__all__ = ["ExtraVolume", "VolumeMount", "secrets_of"]

SOURCES: Final = ("config_map", "secret", "projected", "empty_dir", "csi")
_CEL_SOURCES: Final = ("configMap", "secret", "projected", "emptyDir", "csi")
_SEGMENT: Final = r"[-_A-Za-z0-9][-._A-Za-z0-9]*"
FilePath = Annotated[str, StringConstraints(pattern=rf"^{_SEGMENT}(/{_SEGMENT})*$", max_length=200)]
MountPath = Annotated[str, StringConstraints(pattern=rf"^(/{_SEGMENT})+$", max_length=200)]
DataKey = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][-._A-Za-z0-9]*$", max_length=253)]
OURS: Final = (
    "/etc/butlers", "/var/lib/butlers", "/var/run", "/run", "/tmp", "/proc", "/sys", "/dev",  # noqa: S108
    "/bin", "/sbin", "/lib", "/lib64", "/usr", "/opt/butlers",
)  # fmt: skip
"""Nothing is mounted at these, nor below."""
WHOLE: Final = ("/etc", "/var", "/var/lib", "/opt", "/home", "/root")
"""Nothing is mounted at these; below is free."""


class Item(ResourceModel):
    """A key and the file to mount it as."""

    key: DataKey = Field(description="Key in the object's data.")
    path: FilePath = Field(description="Path of the file, relative to the mount.")


Items = Annotated[
    tuple[Item, ...],
    Field(json_schema_extra={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["path"]}),
]


class ConfigMapFiles(ResourceModel):
    """Files from a ConfigMap. Changes reach the files within a minute or two, without replacing pods."""

    name: ObjectName = Field(description="Name of the ConfigMap, in the same namespace.")
    items: Items = Field(default=(), max_length=50, description="Keys to mount as files. Defaults to all.")
    optional: bool = Field(default=False, description="true lets the pods start without the ConfigMap.")


class SecretFiles(ResourceModel):
    """Files from a Secret. A change of a listed key replaces the pods."""

    secret_name: ObjectName = Field(description="Name of the Secret, in the same namespace.")
    items: Items = Field(min_length=1, max_length=50, description="Keys to mount as files, and no others.")


class ProjectedSecret(ResourceModel):
    """Files from a Secret, as part of a projected volume."""

    name: ObjectName = Field(description="Name of the Secret, in the same namespace.")
    items: Items = Field(min_length=1, max_length=50, description="Keys to mount as files, and no others.")


class ProjectedSource(ResourceModel):
    """One source of a projected volume."""

    config_map: ConfigMapFiles | None = Field(default=None, description="Files from a ConfigMap.")
    secret: ProjectedSecret | None = Field(default=None, description="Files from a Secret.")

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="has(self.configMap) != has(self.secret)",
            message="a source of a projected volume needs exactly one of `configMap` and `secret`",
            holds=lambda source: (source.config_map is None) != (source.secret is None),
        ),
    )


class Projected(ResourceModel):
    """Several ConfigMaps and Secrets in one directory."""

    sources: Annotated[
        tuple[ProjectedSource, ...], Field(json_schema_extra={"x-kubernetes-list-type": "atomic"})
    ] = Field(min_length=1, max_length=10, description="Sources of the files in the directory.")


class EmptyDir(ResourceModel):
    """An empty directory that lives as long as the pod. The only writable kind of volume."""

    medium: Literal["Memory"] | None = Field(
        default=None, description="Memory keeps the directory in memory, off every disk."
    )
    size_limit: Quantity = Field(description="Size at which the pod is evicted, such as 64Mi.")


class Csi(ResourceModel):
    """A read-only volume from a CSI driver of the cluster, such as that of a vault."""

    driver: Annotated[str, StringConstraints(pattern=r"^[-.A-Za-z0-9]+$", max_length=63)] = Field(
        description="Name of the driver, such as secrets-store.csi.k8s.io."
    )
    volume_attributes: dict[str, Annotated[str, StringConstraints(max_length=1000)]] = Field(
        default_factory=dict, max_length=20, description="Attributes passed to the driver."
    )


class ExtraVolume(ResourceModel):
    """A volume of the pod, of exactly one kind."""

    name: Annotated[
        str, StringConstraints(pattern=r"^[a-z0-9]([-a-z0-9]{0,48}[a-z0-9])?$", max_length=50)
    ] = Field(description="Name of the volume, for `volumeMounts`.")
    config_map: ConfigMapFiles | None = Field(default=None, description="Files from a ConfigMap.")
    secret: SecretFiles | None = Field(default=None, description="Files from a Secret.")
    projected: Projected | None = Field(
        default=None, description="Several ConfigMaps and Secrets in one directory."
    )
    empty_dir: EmptyDir | None = Field(default=None, description="An initially empty directory.")
    csi: Csi | None = Field(default=None, description="A volume from a CSI driver of the cluster.")

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel=f"[{', '.join(f'has(self.{source})' for source in _CEL_SOURCES)}].filter(given, given).size() == 1",
            message=f"a volume needs exactly one of: {', '.join(_CEL_SOURCES)}",
            holds=lambda volume: sum(getattr(volume, source) is not None for source in SOURCES) == 1,
        ),
    )


def _within(path: str, parents: tuple[str, ...]) -> bool:
    return any(path == parent or path.startswith(f"{parent}/") for parent in parents)


class VolumeMount(ResourceModel):
    """Mount of a volume in every container of the pod. Read-only unless it is an `emptyDir`."""

    name: DnsName = Field(description="Name of an entry in `volumes`.")
    mount_path: MountPath = Field(description="Directory to mount the volume at.")

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel=f"!{list(OURS)}.exists(ours, self.mountPath == ours || self.mountPath.startsWith(ours + '/')) && "
            f"!(self.mountPath in {list(WHOLE)})",
            message="`mountPath` would hide files of the image or the system; choose another directory, such as "
            "/etc/ca",
            holds=lambda mount: not _within(mount.mount_path, OURS) and mount.mount_path not in WHOLE,
            path=".mountPath",
        ),
    )


def secrets_of(volume: ExtraVolume) -> tuple[SecretRef, ...]:
    """Every value of a Secret that the volume shows."""
    shown: list[tuple[str, tuple[Item, ...]]] = []
    if volume.secret is not None:
        shown.append((volume.secret.secret_name, volume.secret.items))
    if volume.projected is not None:
        found = [source.secret for source in volume.projected.sources if source.secret is not None]
        shown += [(secret.name, secret.items) for secret in found]
    return tuple(SecretRef(name=name, key=item.key) for name, items in shown for item in items)
