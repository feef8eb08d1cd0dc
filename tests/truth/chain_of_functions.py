# SPDX-License-Identifier: Apache-2.0
"""Three Python functions, each called on the result of another for each row. --fixed uses built-in functions."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Chain of functions").getOrCreate()


@F.udf("string", useArrow=False)
def trimmed(text):
    return text.strip().lower()


@F.udf("string", useArrow=False)
def without_digits(text):
    return "".join(letter for letter in text if not letter.isdigit())


@F.udf("int", useArrow=False)
def vowels(text):
    return sum(letter in "aeiou" for letter in text)


names = spark.range(0, 700_000, 1, 6).selectExpr("concat('  The Name of Number ', id, ' is a Number ') as name")
if IS_FIXED:
    counted = names.selectExpr("length(regexp_replace(lower(trim(name)), '[^aeiou]', '')) as vowels")
else:
    counted = names.select(vowels(without_digits(trimmed("name"))).alias("vowels"))
print("vowels:", counted.agg(F.sum("vowels")).collect())
spark.stop()
