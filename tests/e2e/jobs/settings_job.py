# SPDX-License-Identifier: Apache-2.0
"""Prints what Spark makes of its settings, runs one job, and ends as its first argument says.

settings_job.py END [KEY=VALUE …]   the pairs are set in code
"""

import os
import signal
import sys
import time

from pyspark.sql import SparkSession

end, *in_code = sys.argv[1:]
builder = SparkSession.builder
for pair in in_code:
    builder = builder.config(*pair.split("=", 1))
spark = builder.getOrCreate()
conf = spark.sparkContext.getConf()
for key in ("spark.app.name", "spark.plugins", "spark.user.blanks", "spark.user.order", "spark.driver.extraJavaOptions"):
    print(f"{key}={conf.get(key, 'none')}")
jars = (os.path.basename(jar) for jar in conf.get("spark.jars", "").split(","))
print("jars:", *sorted(jar for jar in jars if jar not in ("", "sparkprof-spark.jar")))
print("property:", spark.sparkContext._jvm.System.getProperty("user.property"))
print("rows:", spark.sparkContext.parallelize(range(100), 2).filter(lambda x: x % 2).count(), flush=True)

if end == "exception":
    raise ValueError("the job fails")
if end == "sys.exit":
    sys.exit(3)
if end == "System.exit":
    spark.sparkContext._jvm.System.exit(3)
if end == "killed":
    os.kill(os.getppid(), signal.SIGKILL)
    os._exit(0)
if end == "sleep":
    print("sleeping", flush=True)
    time.sleep(120)
if end == "stop":
    spark.stop()
