# shellcheck shell=bash
# Keys, certificates and kubeconfigs of one cluster (openssl, P-256; sa.key RSA). Sourced by up.sh; what exists is kept.
PKI=$CLUSTER_DIR/pki

key() { [ -s "$PKI/$1.key" ] || (umask 077; openssl ecparam -name prime256v1 -genkey -noout -out "$PKI/$1.key"); }

authority() { # NAME
  [ ! -s "$PKI/$1.crt" ] || return 0
  key "$1"
  openssl req -x509 -new -key "$PKI/$1.key" -sha256 -days 3650 -subj "/CN=$CLUSTER_NAME-$1" -out "$PKI/$1.crt" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,digitalSignature,keyCertSign,cRLSign
}

certificate() { # NAME AUTHORITY SUBJECT USAGE [NAMES]
  [ ! -s "$PKI/$1.crt" ] || return 0
  key "$1"
  openssl req -new -key "$PKI/$1.key" -subj "$3" -out "$PKI/$1.csr"
  {
    echo "basicConstraints=critical,CA:FALSE"
    echo "keyUsage=critical,digitalSignature"
    echo "extendedKeyUsage=$4"
    [ -z "${5:-}" ] || echo "subjectAltName=$5"
  } >"$PKI/$1.ext"
  openssl x509 -req -in "$PKI/$1.csr" -CA "$PKI/$2.crt" -CAkey "$PKI/$2.key" -set_serial "0x$(openssl rand -hex 12)" \
    -sha256 -days 3650 -extfile "$PKI/$1.ext" -out "$PKI/$1.crt" 2>/dev/null
  rm -f "$PKI/$1.csr" "$PKI/$1.ext"
}

service_account_key() {
  [ ! -s "$PKI/sa.key" ] || return 0
  (umask 077; openssl genrsa -out "$PKI/sa.key" 2048 2>/dev/null)
  openssl rsa -in "$PKI/sa.key" -pubout -out "$PKI/sa.pub" 2>/dev/null
}

kubeconfig() { # FILE CERTIFICATE SERVER
  [ ! -s "$1" ] || return 0
  (umask 077; cat >"$1" <<YAML
apiVersion: v1
kind: Config
clusters:
- name: $CLUSTER_NAME
  cluster:
    server: $3
    certificate-authority-data: $(base64 -w0 <"$PKI/ca.crt")
users:
- name: $2
  user:
    client-certificate-data: $(base64 -w0 <"$PKI/$2.crt")
    client-key-data: $(base64 -w0 <"$PKI/$2.key")
contexts:
- name: $CLUSTER_NAME
  context: {cluster: $CLUSTER_NAME, user: $2, namespace: $HOUSEHOLD}
current-context: $CLUSTER_NAME
YAML
  )
}

make_pki() {
  local names=DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local,DNS:localhost
  local node="/O=system:nodes/CN=system:node:$NODE_NAME" user
  mkdir -p "$PKI"
  for user in ca etcd-ca front-proxy-ca; do authority $user; done
  certificate etcd etcd-ca /CN=etcd serverAuth,clientAuth IP:127.0.0.1,DNS:localhost
  certificate etcd-client etcd-ca /CN=kube-apiserver clientAuth
  certificate apiserver ca /CN=kube-apiserver serverAuth "$names,IP:127.0.0.1,IP:$NODE_IP,IP:$SERVICE_PREFIX.1"
  certificate apiserver-kubelet ca /CN=kube-apiserver-kubelet-client clientAuth
  certificate front-proxy front-proxy-ca /CN=front-proxy-client clientAuth
  certificate admin ca /O=system:masters/CN=kubernetes-admin clientAuth
  certificate netpol ca /CN=butlers:netpol clientAuth
  certificate kubelet ca "$node" clientAuth
  certificate kubelet-server ca "$node" serverAuth "DNS:$NODE_NAME,IP:$NODE_IP"
  for user in kube-controller-manager kube-scheduler kube-proxy; do certificate $user ca "/CN=system:$user" clientAuth; done
  service_account_key
  kubeconfig "$KUBECONFIG_FILE" admin "https://$NODE_IP:6443"
  for user in kube-controller-manager kube-scheduler kube-proxy kubelet; do
    kubeconfig "$CLUSTER_DIR/conf/$user.kubeconfig" $user https://127.0.0.1:6443
  done
}
