# For Livy's conf/livy-env.sh: Livy starts the first spark-submit of SPARK_HOME/bin. A folder with a link to sparkprof named
# spark-submit, which finds the real one by REAL_SPARK_HOME's bin in PATH:
#   mkdir -p /opt/sparkprof/spark/bin && ln -s /opt/sparkprof/bin/sparkprof /opt/sparkprof/spark/bin/spark-submit
# With livy.server.spark-home=/opt/sparkprof/spark in conf/livy.conf:
export PATH="/opt/spark/bin:$PATH"
export SPARKPROF_RUNS_DIR=/var/lib/livy/sparkprof
# Sessions and batches can instead set the plugin in their own conf: livy-session.json.
