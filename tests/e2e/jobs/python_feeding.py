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
    fed = spark.range(0, ROWS, 1, 2).selectExpr(
        f"aggregate(sequence(1, if(id < {ROWS // 2}, 8000, 1)), 0L, (sum, x) -> sum + x % 7) as value"
    )
    for row in fed.select(udf(who, "string")("value").alias("who")).collect()[:: ROWS // 2]:
        print("task", row.who, flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
