#!/bin/bash
# Initialization action of Dataproc: puts the plugin's jar on every node and its settings into spark-defaults.conf.
#   gcloud dataproc clusters create … --initialization-actions gs://BUCKET/sparkprof/initialization.sh \
#     --metadata sparkprof=gs://BUCKET/sparkprof,sparkprof-dir=gs://BUCKET/sparkprof/recordings
set -euo pipefail
metadata() { /usr/share/google/get_metadata_value "attributes/$1"; }
source_folder="$(metadata sparkprof)"
recordings="$(metadata sparkprof-dir)"
target="${SPARKPROF_TARGET:-/opt/sparkprof}"
defaults="${SPARK_DEFAULTS:-/etc/spark/conf/spark-defaults.conf}"
mkdir -p "$target/lib"
gsutil cp "$source_folder/sparkprof-spark.jar" "$target/lib/sparkprof-spark.jar"
chmod 644 "$target/lib/sparkprof-spark.jar"
cat >>"$defaults" <<SETTINGS
spark.plugins=org.sparkprof.SparkProfPlugin
spark.jars=local://$target/lib/sparkprof-spark.jar
spark.sparkprof.dir=$recordings
SETTINGS
