# SPDX-License-Identifier: Apache-2.0
"""A Python function matches texts with a pattern that backtracks exponentially. --fixed has no nested repetition."""

import re
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType

IS_FIXED = "--fixed" in sys.argv
IDENTIFIER = re.compile(r"^[a-z]+[0-9]$" if IS_FIXED else r"^([a-z]+)+[0-9]$")


@F.udf(BooleanType())
def is_identifier(text):
    return IDENTIFIER.match(text) is not None


spark = SparkSession.builder.appName("Slow regex").getOrCreate()
texts = spark.range(0, 400, 1, 8).select(
    F.concat(F.lit("averylongidentifie"), F.when(F.col("id") % 2 == 0, "7").otherwise("-")).alias("text")
)
print("identifiers:", texts.where(is_identifier("text")).count())
spark.stop()
