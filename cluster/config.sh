# shellcheck shell=bash
# Configuration files of the node's services. Sourced by up.sh.
CONF=$CLUSTER_DIR/conf

# Written only on change: kube-proxy exits when its file is touched.
put() { cat >"$1.new"; if cmp -s "$1.new" "$1"; then rm "$1.new"; else mv "$1.new" "$1"; fi; }

write_config() {
  mkdir -p "$CONF/cni"
  # Lowering an OOM score is refused in many containers, hence restrict_oom_score_adj and the zeros below.
  put "$CONF/containerd.toml" <<TOML
version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
oom_score = 0
disabled_plugins = [
  "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.internal.v1.opt", "io.containerd.tracing.processor.v1.otlp",
]
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$CONF/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
TOML
  put "$CONF/cni/10-bridge.conflist" <<JSON
{
  "cniVersion": "0.4.0",
  "name": "pods",
  "plugins": [
    {"type": "bridge", "bridge": "cni0", "isGateway": true, "isDefaultGateway": true, "ipMasq": true, "hairpinMode": true,
     "ipam": {"type": "host-local", "ranges": [[{"subnet": "$POD_CIDR"}]]}},
    {"type": "portmap", "capabilities": {"portMappings": true}}
  ]
}
JSON
  printf 'nameserver 127.0.0.1\n' | put "$CONF/resolv.conf"
  put "$CONF/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: $PKI/ca.crt}
authorization: {mode: Webhook}
tlsCertFile: $PKI/kubelet-server.crt
tlsPrivateKeyFile: $PKI/kubelet-server.key
cgroupDriver: cgroupfs
cgroupRoot: /$CGROUP
failCgroupV1: false
failSwapOn: false
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
clusterDNS: [$DNS_IP]
clusterDomain: cluster.local
resolvConf: $CONF/resolv.conf
oomScoreAdj: 0
evictionHard: {memory.available: 100Mi, nodefs.available: "1%", nodefs.inodesFree: "1%", imagefs.available: "1%"}
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
serializeImagePulls: false
maxPods: 110
YAML
  # nf_conntrack_max belongs to the whole machine, so kube-proxy must leave it alone.
  put "$CONF/kube-proxy.yaml" <<YAML
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
hostnameOverride: $NODE_NAME
clusterCIDR: $POD_CIDR
oomScoreAdj: 0
clientConnection: {kubeconfig: $CONF/kube-proxy.kubeconfig}
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
YAML
  # Requests of service accounts and users, without bodies: tests read the log to count writes and to check roles.
  put "$CONF/audit.yaml" <<YAML
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  userGroups: ["system:nodes"]
- level: None
  users:
  - system:kube-controller-manager
  - system:kube-scheduler
  - system:kube-proxy
  - system:apiserver
  - butlers:netpol
  - kubernetes-admin
- level: None
  userGroups: ["system:serviceaccounts:kube-system"]
- level: Metadata
YAML
}
