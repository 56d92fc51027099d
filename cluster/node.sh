#!/usr/bin/env bash
# First process inside the node's namespaces: private mounts, then one restart loop per service.
# Started by up.sh as `node.sh CLUSTER_DIR NAME`; when it ends, the kernel ends every process of the node.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
set +e
PKI=$CLUSTER_DIR/pki CONF=$CLUSTER_DIR/conf
PODS_WEIGHT=8                                      # weight of all pods, in processes of this machine
LOG=$CLUSTER_DIR/log CONTROL=$CLUSTER_DIR/control PIDS=$CLUSTER_DIR/pids
unset HTTP_PROXY HTTPS_PROXY http_proxy https_proxy ALL_PROXY all_proxy

bind() { mkdir -p "$2" && mount --bind "$1" "$2"; }

private_mounts() {
  # Volumes with mount propagation need a shared tree; this machine's own is left alone.
  mount --make-rshared /
  mount -t tmpfs -o mode=755,size=256m tmpfs /run
  mkdir -p /run/lock /run/netns
  bind "$CLUSTER_DIR/kubelet" /var/lib/kubelet
  bind "$STORE" /var/lib/containerd
  bind "$CLUSTER_DIR/pod-logs" /var/log/pods
  bind "$CLUSTER_DIR/container-logs" /var/log/containers
  bind "$CLUSTER_DIR/cni" /var/lib/cni
  bind "$CLUSTER_DIR/volumes" "$HOSTPATH_PV"
  mount --make-rshared /                            # a new bind mount is private until it is shared too
}

kernel_settings() {
  local setting
  sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0
  for setting in net.bridge.bridge-nf-call-iptables net.bridge.bridge-nf-call-ip6tables; do
    sysctl -qw $setting=1 || echo "cannot set $setting"
  done
}

# A separate cgroup tree for pods: in each mounted controller (v1), or in the unified tree (v2). By default, all pods
# together would weigh as much as a single process of this machine, and starve beside a compiler.
own_cgroup() {
  local controller tree file
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    mkdir -p "/sys/fs/cgroup/$CGROUP"
    for controller in cpuset cpu io memory pids hugetlb; do echo "+$controller" >/sys/fs/cgroup/cgroup.subtree_control; done 2>/dev/null
    echo $((100 * PODS_WEIGHT)) >"/sys/fs/cgroup/$CGROUP/cpu.weight" 2>/dev/null || true
    return
  fi
  for tree in /sys/fs/cgroup/*/; do
    [ -e "$tree/cgroup.clone_children" ] || continue
    mkdir -p "$tree/$CGROUP"
    [ ! -e "$tree/$CGROUP/cpu.shares" ] || echo $((1024 * PODS_WEIGHT)) >"$tree/$CGROUP/cpu.shares"
    [ "$(basename "$tree")" = cpuset ] || continue
    for file in cpuset.cpus cpuset.mems; do cat "$tree/$file" >"$tree/$CGROUP/$file"; done     # empty in a new group
    echo 1 >"$tree/$CGROUP/cgroup.clone_children"
  done
  [ ! -d /sys/fs/cgroup/unified ] || mkdir -p "/sys/fs/cgroup/unified/$CGROUP"
}

service() { # NAME COMMAND…: run it forever; a file control/NAME.stop pauses it
  local name=$1
  shift
  (
    while :; do
      if [ -e "$CONTROL/$name.stop" ]; then sleep 0.3; continue; fi
      "$@" >>"$LOG/$name.log" 2>&1 </dev/null &
      echo $! >"$PIDS/$name.pid"
      wait $!
      echo "$(date +%T) $name ended with status $?"
      sleep 1
    done
  ) &
}

start_etcd() {
  service etcd "$BIN/etcd" --name "$NODE_NAME" --data-dir "$CLUSTER_DIR/etcd" \
    --listen-client-urls https://127.0.0.1:2379 --advertise-client-urls https://127.0.0.1:2379 \
    --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
    --initial-cluster "$NODE_NAME=http://127.0.0.1:2380" \
    --cert-file "$PKI/etcd.crt" --key-file "$PKI/etcd.key" --trusted-ca-file "$PKI/etcd-ca.crt" --client-cert-auth \
    --unsafe-no-fsync --auto-compaction-mode=periodic --auto-compaction-retention=10m --log-level=warn
}

start_api() {
  service kube-apiserver "$BIN/kube-apiserver" \
    --advertise-address="$NODE_IP" --secure-port=6443 --service-cluster-ip-range="$SERVICE_CIDR" --allow-privileged=true \
    --etcd-servers=https://127.0.0.1:2379 --etcd-cafile="$PKI/etcd-ca.crt" \
    --etcd-certfile="$PKI/etcd-client.crt" --etcd-keyfile="$PKI/etcd-client.key" \
    --client-ca-file="$PKI/ca.crt" --tls-cert-file="$PKI/apiserver.crt" --tls-private-key-file="$PKI/apiserver.key" \
    --kubelet-client-certificate="$PKI/apiserver-kubelet.crt" --kubelet-client-key="$PKI/apiserver-kubelet.key" \
    --kubelet-certificate-authority="$PKI/ca.crt" --kubelet-preferred-address-types=InternalIP,Hostname \
    --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --enable-bootstrap-token-auth=true \
    --service-account-issuer=https://kubernetes.default.svc.cluster.local \
    --service-account-key-file="$PKI/sa.pub" --service-account-signing-key-file="$PKI/sa.key" \
    --requestheader-client-ca-file="$PKI/front-proxy-ca.crt" --requestheader-allowed-names=front-proxy-client \
    --requestheader-extra-headers-prefix=X-Remote-Extra- --requestheader-group-headers=X-Remote-Group \
    --requestheader-username-headers=X-Remote-User \
    --proxy-client-cert-file="$PKI/front-proxy.crt" --proxy-client-key-file="$PKI/front-proxy.key" \
    --audit-policy-file="$CONF/audit.yaml" --audit-log-path="$CLUSTER_DIR/audit/audit.log" \
    --audit-log-maxsize=50 --audit-log-maxbackup=2 --profiling=false
}

start_after_api() {
  until "$BIN/kubectl" --kubeconfig "$CONF/kubelet.kubeconfig" get --raw /readyz >/dev/null 2>&1; do sleep 0.3; done
  service kube-controller-manager "$BIN/kube-controller-manager" --bind-address=127.0.0.1 --leader-elect=false --profiling=false \
    --kubeconfig="$CONF/kube-controller-manager.kubeconfig" \
    --authentication-kubeconfig="$CONF/kube-controller-manager.kubeconfig" \
    --authorization-kubeconfig="$CONF/kube-controller-manager.kubeconfig" \
    --requestheader-client-ca-file="$PKI/front-proxy-ca.crt" --client-ca-file="$PKI/ca.crt" --root-ca-file="$PKI/ca.crt" \
    --service-account-private-key-file="$PKI/sa.key" --use-service-account-credentials=true \
    --cluster-signing-cert-file="$PKI/ca.crt" --cluster-signing-key-file="$PKI/ca.key" \
    --controllers='*,bootstrapsigner,tokencleaner' --service-cluster-ip-range="$SERVICE_CIDR" --cluster-cidr="$POD_CIDR" \
    --allocate-node-cidrs=false --enable-hostpath-provisioner=true
  service kube-scheduler "$BIN/kube-scheduler" --bind-address=127.0.0.1 --leader-elect=false --profiling=false \
    --kubeconfig="$CONF/kube-scheduler.kubeconfig" --authentication-kubeconfig="$CONF/kube-scheduler.kubeconfig" \
    --authorization-kubeconfig="$CONF/kube-scheduler.kubeconfig"
  service kube-proxy "$BIN/kube-proxy" --config="$CONF/kube-proxy.yaml"
  service kubelet "$BIN/kubelet" --config="$CONF/kubelet.yaml" --kubeconfig="$CONF/kubelet.kubeconfig" \
    --hostname-override="$NODE_NAME" --node-ip="$NODE_IP" --root-dir=/var/lib/kubelet --v=1
  # The bridge plug-in enforces no NetworkPolicy; this agent does.
  service netpol python3 "$HERE/netpol.py" 127.0.0.1:6443 "$PKI/ca.crt" "$PKI/netpol.crt" "$PKI/netpol.key"
  wait
}

# The built-in host-path provisioner makes directories of mode 0750, and fsGroup does not apply to host paths, so a pod
# that is not root could not write. This opens each new directory, as kind's provisioner does.
open_volumes() {
  local -A opened=()
  local directory
  mkfifo /run/tick && exec 8<>/run/tick
  while :; do
    for directory in "$HOSTPATH_PV"/*/; do
      if [ -d "$directory" ] && [ -z "${opened[$directory]:-}" ]; then chmod 0777 "$directory" && opened[$directory]=1; fi
    done
    read -r -t 0.2 -u 8
  done
}

hostname "$NODE_NAME"
private_mounts
kernel_settings
own_cgroup
start_etcd
start_api
service containerd containerd --config "$CONF/containerd.toml" --log-level warn
start_after_api &
open_volumes &
trap 'exit 0' TERM INT
while :; do wait -n 2>/dev/null; sleep 0.2; done
