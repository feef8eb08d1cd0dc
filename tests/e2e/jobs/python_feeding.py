# SPDX-License-Identifier: Apache-2.0
"""Two tasks whose JVM side works much (partition 0) and hardly (partition 1) for the rows that it hands to Python. Prints
"task TID PARTITION" for each."""
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

ROWS = 40_000


def who(value):
    return f"{TaskContext.get().taskAttemptId()} {TaskContext.get().partitionId()}"


def main():
    spark = SparkSession.builder.getOrCreate()
    hashed = spark.range(0, ROWS, 1, 2).selectExpr(
        f"sha2(repeat(cast(id as string), if(id < {ROWS // 2}, 5000, 1)), 512) as hash"
    )
    for row in hashed.select(udf(who, "string")("hash").alias("who")).collect()[:: ROWS // 2]:
        print("task", row.who, flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
