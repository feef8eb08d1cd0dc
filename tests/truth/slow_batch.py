# SPDX-License-Identifier: Apache-2.0
"""One file in the folder of a stream has far longer texts than the others, and its batch hashes them for a long time. --fixed keeps
the beginning of each text only."""

import pathlib
import sys
import tempfile

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv
FILES, ROWS, LONG = 10, 30_000, 3_000

spark = SparkSession.builder.appName("Slow batch").config("spark.sql.shuffle.partitions", "2").getOrCreate()
with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder) / "in"
    source.mkdir()
    for number in range(FILES):
        text = "x" * (LONG if number == 7 else 10)
        (source / f"{number}.csv").write_text("".join(f"{row % 1000},{text}{row}\n" for row in range(ROWS)))
    events = spark.readStream.schema("shop long, text string").option("maxFilesPerTrigger", 1).csv(str(source))
    text = "substring(text, 1, 100)" if IS_FIXED else "text"
    totals = events.selectExpr("shop", f"sha2(repeat({text}, 30), 512) as seal").groupBy("shop").agg({"seal": "max"})
    query = (
        totals.writeStream.outputMode("complete")
        .format("memory")
        .queryName("totals")
        .option("checkpointLocation", f"{folder}/checkpoint")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    print(spark.table("totals").count(), "shops")
spark.stop()
