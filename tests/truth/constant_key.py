# SPDX-License-Identifier: Apache-2.0
"""Nearly all payments are in one currency, and a SQL join by currency sends them to one task. --fixed broadcasts the rates."""

import sys

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv

spark = (
    SparkSession.builder.appName("Constant key")
    .config("spark.sql.shuffle.partitions", "8")
    .config("spark.sql.autoBroadcastJoinThreshold", "10m" if IS_FIXED else "-1")
    .getOrCreate()
)
spark.range(0, 4_000_000, 1, 8).selectExpr("if(id % 1000000 = 7, 'CHF', 'EUR') as currency", "id as amount").createOrReplaceTempView(
    "payments"
)
spark.range(30).selectExpr("if(id = 7, 'EUR', concat('C', id)) as currency", "id + 1 as rate").createOrReplaceTempView("rates")
print(
    "turnover:",
    spark.sql(
        """
        select max(sha2(sha2(sha2(cast(amount * rate as string), 512), 512), 512)), sum(amount * rate)
        from payments join rates on payments.currency = rates.currency
        """
    ).collect(),
)
spark.stop()
