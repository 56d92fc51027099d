#!/usr/bin/env bash
# Install Kubeflow's spark-operator on the running cluster, let it compute the household's statistics, and enable the
# dashboard that shows them. Its chart is in the Go module that its program is built from. Without its webhook: the pod
# templates of our applications have everything that they need.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
driver=$(driver)
[ "$driver" = native ] || die "the spark-operator is built here, so it needs: BUTLERS_CLUSTER_DRIVER=native make up SPARK=1"
CHART=$CACHE/charts/spark-operator
NAME=butlers-spark-operator

chart() { # once; go.sum has the module's checksum
  local module
  PATH=$PATH:/usr/local/go/bin
  command -v go >/dev/null || die "the spark-operator's chart comes by Go; install Go 1.26"
  module=$(cd "$HERE/go/spark-operator" && GOTOOLCHAIN=local go mod download -json github.com/kubeflow/spark-operator/v2 | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  [ -d "$module/charts/spark-operator-chart" ] || die "no chart in the module of the spark-operator"
  mkdir -p "$CACHE/charts"
  cp -r --no-preserve=mode "$module/charts/spark-operator-chart" "$CHART.new"
  mv "$CHART.new" "$CHART"
}

[ -d "$CHART" ] || chart
"$HERE/load.sh" "$IMAGES"/butlers-spark{,-operator}.tar
# A CRD of this size is too large for client-side apply; helm installs what is missing.
helm upgrade --install spark-operator "$CHART" --namespace spark-operator --create-namespace \
  --set-string "image.registry=localhost,image.repository=$NAME,image.tag=$(cat "$IMAGES/$NAME.tag")" \
  --set "spark.jobNamespaces={$HOUSEHOLD}" --set webhook.enable=false \
  --set controller.resources.requests.cpu=50m,controller.resources.requests.memory=512Mi \
  --wait --timeout 300s >/dev/null || { kubectl --namespace spark-operator get pods >&2; die "the spark-operator did not become ready"; }
say "spark-operator ready"

helm upgrade butlers "$REPO/charts/butlers" --namespace butlers-system --reset-then-reuse-values \
  --set-string "rollups.image.tag=$(cat "$IMAGES/butlers-spark.tag")" --set rollups.executors.serviceAccount=spark-operator-spark \
  --set dashboard.enabled=true --wait --timeout 300s >/dev/null 2> >(grep -v 'found symbolic link in path' >&2) \
  || { kubectl --namespace "$HOUSEHOLD" get pods >&2; die "the dashboard did not become ready"; }
kubectl --namespace "$HOUSEHOLD" patch butler switchboard --type merge --patch '{"spec":{"rollups":{"engine":"spark"}}}' >/dev/null
say "statistics run on Spark; kubectl butler dashboard shows them"
