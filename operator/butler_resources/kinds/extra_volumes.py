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
    """One key and the file that it becomes."""

    key: DataKey = Field(description="Key in the object's data.")
    path: FilePath = Field(description="File below the mount.")


Items = Annotated[
    tuple[Item, ...],
    Field(json_schema_extra={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["path"]}),
]


class ConfigMapFiles(ResourceModel):
    """Files of a ConfigMap; a change of it reaches the files within a minute or two, and replaces no pod."""

    name: ObjectName = Field(description="Name of the ConfigMap, in the same namespace.")
    items: Items = Field(default=(), max_length=50, description="Keys that become files; by default all.")
    optional: bool = Field(default=False, description="true lets the pods start without it.")


class SecretFiles(ResourceModel):
    """Files of a Secret; a change of one that is named replaces the pods."""

    secret_name: ObjectName = Field(description="Name of the Secret, in the same namespace.")
    items: Items = Field(min_length=1, max_length=50, description="Keys that become files; no others do.")


class ProjectedSecret(ResourceModel):
    """Files of a Secret beside others."""

    name: ObjectName = Field(description="Name of the Secret, in the same namespace.")
    items: Items = Field(min_length=1, max_length=50, description="Keys that become files; no others do.")


class ProjectedSource(ResourceModel):
    """One source of a projected volume."""

    config_map: ConfigMapFiles | None = Field(default=None, description="Files of a ConfigMap.")
    secret: ProjectedSecret | None = Field(default=None, description="Files of a Secret.")

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
    ] = Field(min_length=1, max_length=10, description="What is put into the directory.")


class EmptyDir(ResourceModel):
    """An empty directory that lives as long as the pod; the only kind that can be written."""

    medium: Literal["Memory"] | None = Field(default=None, description="Memory keeps it off every disk.")
    size_limit: Quantity = Field(description="Size at which the pod is evicted, such as 64Mi.")


class Csi(ResourceModel):
    """A volume that a driver of the cluster makes for the pod, such as a vault's; read-only."""

    driver: Annotated[str, StringConstraints(pattern=r"^[-.A-Za-z0-9]+$", max_length=63)] = Field(
        description="Name of the driver, such as secrets-store.csi.k8s.io."
    )
    volume_attributes: dict[str, Annotated[str, StringConstraints(max_length=1000)]] = Field(
        default_factory=dict, max_length=20, description="What the driver wants to know."
    )


class ExtraVolume(ResourceModel):
    """A volume of the pod: exactly one of the kinds."""

    name: Annotated[
        str, StringConstraints(pattern=r"^[a-z0-9]([-a-z0-9]{0,48}[a-z0-9])?$", max_length=50)
    ] = Field(description="Name of the volume, for `volumeMounts`.")
    config_map: ConfigMapFiles | None = Field(default=None, description="Files of a ConfigMap.")
    secret: SecretFiles | None = Field(default=None, description="Files of a Secret.")
    projected: Projected | None = Field(default=None, description="Several in one directory.")
    empty_dir: EmptyDir | None = Field(default=None, description="A directory that is empty at first.")
    csi: Csi | None = Field(default=None, description="What a driver of the cluster provides.")

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
    """Where every container of the pod sees a volume; read-only unless it is an `emptyDir`."""

    name: DnsName = Field(description="Name of an entry of `volumes`.")
    mount_path: MountPath = Field(description="Directory at which it is seen.")

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel=f"!{list(OURS)}.exists(ours, self.mountPath == ours || self.mountPath.startsWith(ours + '/')) && "
            f"!(self.mountPath in {list(WHOLE)})",
            message="`mountPath` would hide files of the image, the system or ours; choose a directory of its own, "
            "such as /etc/ca",
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
