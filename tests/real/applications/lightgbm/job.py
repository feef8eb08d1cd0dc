# SPDX-License-Identifier: Apache-2.0
"""Trains and evaluates a LightGBM classifier with SynapseML."""

import sys

from pyspark.ml.evaluation import BinaryClassificationEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import SparkSession
from synapse.ml.lightgbm import LightGBMClassifier

DATA = sys.argv[1]

spark = SparkSession.builder.appName("collisions").getOrCreate()
collisions = spark.read.parquet(DATA)
features = VectorAssembler(inputCols=[name for name in collisions.columns if name != "label"], outputCol="features")
train, test = features.transform(collisions).select("label", "features").randomSplit([0.85, 0.15], seed=1)

classifier = LightGBMClassifier(objective="binary", numIterations=200, numLeaves=63, learningRate=0.1, featureFraction=0.8, seed=42)
model = classifier.fit(train)
predictions = model.transform(test)
auc = BinaryClassificationEvaluator(metricName="areaUnderROC").evaluate(predictions)
print("RESULT auc", round(auc, 2))
print("RESULT rows", predictions.count())
# SynapseML leaves a pool of threads to the garbage collector. Without a collection, the JVM does not end.
spark._jvm.System.gc()
spark.stop()
