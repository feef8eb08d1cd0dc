# SPDX-License-Identifier: Apache-2.0
"""One gzip file cannot be split, so that one task reads all of it. --fixed has the same lines in 8 files."""

import gzip
import pathlib
import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Gzip file").getOrCreate()
with tempfile.TemporaryDirectory() as folder:
    block = "".join(f"{i}\t{i * 7919 % 100_003}\tGET /page/{i % 977}?session={i * 31 % 65_521}\n" for i in range(100_000))
    files = 8 if IS_FIXED else 1
    for number in range(files):
        with gzip.open(pathlib.Path(folder) / f"access-{number}.log.gz", "wt", compresslevel=1) as file:
            file.writelines(block for _ in range(64 // files))
    lines = spark.read.text(folder)
    page = F.regexp_extract("value", r"/page/(\d+)", 1)
    print("pages:", lines.select(page.alias("page"), F.length("value").alias("bytes")).groupBy("page").agg(F.sum("bytes")).count())
spark.stop()
