#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The entry point of an image, as Spark on Kubernetes calls it: "driver ARGUMENTS" or "executor".
set -eu
role="$1"
shift
if [ "$role" = driver ]; then
  command=("$SPARK_HOME/bin/spark-submit" --conf "spark.driver.bindAddress=$SPARK_DRIVER_BIND_ADDRESS"
    --conf "spark.executorEnv.SPARK_DRIVER_POD_IP=$SPARK_DRIVER_BIND_ADDRESS" --deploy-mode client "$@")
elif [ "$role" = executor ]; then
  options=()
  while IFS= read -r option; do options+=("$option"); done < <(env | grep '^SPARK_JAVA_OPT_' | sort -t_ -k4 -n | sed 's/[^=]*=//')
  command=(java "${options[@]}" "-Xms$SPARK_EXECUTOR_MEMORY" "-Xmx$SPARK_EXECUTOR_MEMORY"
    -cp "${SPARK_CLASSPATH:-}:$SPARK_HOME/jars/*" org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend
    --driver-url "$SPARK_DRIVER_URL" --executor-id "$SPARK_EXECUTOR_ID" --cores "$SPARK_EXECUTOR_CORES"
    --app-id "$SPARK_APPLICATION_ID" --hostname "$SPARK_EXECUTOR_POD_IP" --resourceProfileId "$SPARK_RESOURCE_PROFILE_ID"
    --podName "$SPARK_EXECUTOR_POD_NAME")
else
  command=("$role" "$@")
fi
exec /usr/bin/tini -s -- "${command[@]}"
