# SPDX-License-Identifier: Apache-2.0
"""Classifies image embeddings with an ONNX model in mapInPandas, one session of ONNX Runtime per task."""

import sys

import numpy as np
import onnxruntime
import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

DATA = sys.argv[1]

spark = SparkSession.builder.appName("classify-embeddings").getOrCreate()
spark.sparkContext.addFile(f"{DATA}/classifier.onnx")


def classify(batches):
    from pyspark import SparkFiles

    session = onnxruntime.InferenceSession(SparkFiles.get("classifier.onnx"), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    for batch in batches:
        matrix = np.stack(batch["embedding"].to_numpy()).astype(np.float32)
        label, probability = session.run(None, {name: matrix})
        yield pd.DataFrame({"id": batch["id"], "album": batch["album"], "label": label, "confident": probability.max(axis=1) > 0.9})


images = spark.read.parquet(f"{DATA}/embeddings")
labels = images.mapInPandas(classify, "id long, album int, label long, confident boolean")
labels.write.parquet("labels")

written = spark.read.parquet("labels")
for row in written.groupBy("label").agg(F.count("*").alias("images"), F.countDistinct("album").alias("albums")).orderBy("label").collect():
    print("RESULT label", row["label"], row["images"], row["albums"])
print("RESULT images", written.count())
spark.stop()
