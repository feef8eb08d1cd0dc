# SPDX-License-Identifier: Apache-2.0
"""mapInPandas() builds its model again for each batch. --fixed builds it once for each partition."""

import sys

from pyspark.sql import SparkSession

IS_FIXED = "--fixed" in sys.argv

spark = SparkSession.builder.appName("Model per batch").config("spark.sql.execution.arrow.maxRecordsPerBatch", "2000").getOrCreate()


class Model:
    def __init__(self):
        self.weights = {f"word{n}": hash(str(n)) % 1000 / 1000 for n in range(250_000)}

    def score(self, words):
        return words.map(lambda word: self.weights.get(word, 0.0))


def scored(batches):
    model = Model() if IS_FIXED else None
    for batch in batches:
        current = model or Model()
        yield batch.assign(score=current.score(batch["word"]))


words = spark.range(0, 240_000, 1, 4).selectExpr("concat('word', id % 300000) as word")
print(words.mapInPandas(scored, "word string, score double").agg({"score": "sum"}).collect())
spark.stop()
