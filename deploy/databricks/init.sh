#!/bin/bash
# Init script of a Databricks cluster: puts the plugin's jar into the class path of driver and executors. The cluster needs the
# Spark settings
#   spark.plugins org.sparkprof.SparkProfPlugin
#   spark.sparkprof.server https://profiles.example.com:8320
# and the environment variable SPARKPROF_SERVER_TOKEN={{secrets/SCOPE/sparkprof}}.
set -euo pipefail
source_file="${SPARKPROF_JAR:-/Volumes/CATALOG/SCHEMA/sparkprof/sparkprof-spark.jar}"
target="${SPARKPROF_TARGET:-/databricks/jars}"
cp "$source_file" "$target/sparkprof-spark.jar"
chmod 644 "$target/sparkprof-spark.jar"
