#!/bin/bash
# Bootstrap action of EMR: puts the plugin's jar on every node. Argument: the S3 folder with sparkprof-spark.jar and, for
# --monitor URL, the tarball's bin/sparkprof. configuration.json has the settings.
#   aws emr create-cluster … --bootstrap-actions Path=s3://BUCKET/sparkprof/bootstrap.sh,Args=[s3://BUCKET/sparkprof] \
#     --configurations file://configuration.json
set -euo pipefail
source_folder="${1:?usage: bootstrap.sh s3://BUCKET/FOLDER [--monitor URL]}"
target="${SPARKPROF_TARGET:-/opt/sparkprof}"
sudo mkdir -p "$target/lib" "$target/bin"
aws s3 cp "$source_folder/sparkprof-spark.jar" - | sudo tee "$target/lib/sparkprof-spark.jar" >/dev/null
sudo chmod 644 "$target/lib/sparkprof-spark.jar"
if [ "${2:-}" = --monitor ]; then
  server="${3:?--monitor requires the URL of the collector}"
  aws s3 cp "$source_folder/sparkprof" - | sudo tee "$target/bin/sparkprof" >/dev/null
  sudo chmod 755 "$target/bin/sparkprof"
  sudo systemd-run --unit sparkprof-monitor --property Restart=always \
    "$target/bin/sparkprof" monitor --server "$server" --spool /var/lib/sparkprof-monitor --root nodemanager
fi
