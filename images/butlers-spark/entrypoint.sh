#!/bin/bash
# Start the container's role: Spark on Kubernetes calls `driver ARGS` and `executor` (the contract of Spark's own
# image); anything else is run as a command.
set -eu

# Spark looks up the name of the user; a bare user id has none.
if ! getent passwd "$(id -u)" >/dev/null && [ -w /etc/passwd ]; then
  echo "spark:x:$(id -u):$(id -g):spark:/tmp:/bin/false" >>/etc/passwd
fi

driver() {
  # Kubernetes mounts the driver's settings over conf. First on the class path, they would invalidate the archive of
  # loaded classes, which requires the path that the image was built with: so they come last.
  if [ -n "${SPARK_CONF_DIR:-}" ]; then
    export SPARK_DIST_CLASSPATH=$SPARK_CONF_DIR${SPARK_DIST_CLASSPATH:+:$SPARK_DIST_CLASSPATH}
    export SPARK_CONF_DIR=$SPARK_HOME/no-conf
  fi
  exec tini -s -- "$SPARK_HOME/bin/spark-submit" \
    --conf "spark.driver.bindAddress=${SPARK_DRIVER_BIND_ADDRESS:-0.0.0.0}" \
    --conf "spark.executorEnv.SPARK_DRIVER_POD_IP=${SPARK_DRIVER_BIND_ADDRESS:-0.0.0.0}" \
    --deploy-mode client "$@"
}

executor() {
  local options=() name value
  while IFS='=' read -r -d '' name value; do
    case $name in SPARK_JAVA_OPT_*) options+=("$value") ;; esac
  done < <(env -0 | sort -z -t_ -k4n)
  exec tini -s -- java "${options[@]}" "-Xms$SPARK_EXECUTOR_MEMORY" "-Xmx$SPARK_EXECUTOR_MEMORY" \
    -cp "${SPARK_CLASSPATH:+$SPARK_CLASSPATH:}$SPARK_HOME/conf:$SPARK_HOME/jars/*" \
    org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend \
    --driver-url "$SPARK_DRIVER_URL" --executor-id "$SPARK_EXECUTOR_ID" --cores "$SPARK_EXECUTOR_CORES" \
    --app-id "$SPARK_APPLICATION_ID" --hostname "$SPARK_EXECUTOR_POD_IP" \
    --resourceProfileId "$SPARK_RESOURCE_PROFILE_ID" --podName "$SPARK_EXECUTOR_POD_NAME"
}

case ${1:-} in
  driver) shift; driver "$@" ;;
  executor) executor ;;
  *) exec tini -s -- "$@" ;;
esac
