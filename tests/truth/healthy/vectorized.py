# SPDX-License-Identifier: Apache-2.0
"""A pandas function over large batches, cheap beside the aggregation."""

import pandas
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("Vectorized").getOrCreate()


@F.pandas_udf("double")
def discounted(price: pandas.Series) -> pandas.Series:
    return price * 0.9


prices = spark.range(20_000_000, numPartitions=4).select((F.col("id") % 1000).alias("item"), F.rand(8).alias("price"))
prices.where("price > 0.5").groupBy("item").agg(F.sum("price").alias("price")).select(F.sum(discounted("price"))).collect()
spark.stop()
