# SPDX-License-Identifier: Apache-2.0
"""Trains a scikit-learn model on labelled transactions, and scores all transactions with mlflow.pyfunc.spark_udf."""

import sys

import mlflow
import mlflow.sklearn
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

DATA = sys.argv[1]

spark = SparkSession.builder.appName("fraud-scoring").getOrCreate()
transactions = spark.read.parquet(DATA)
features = [name for name in transactions.columns if name not in ("id", "merchant", "fraud")]

labelled = transactions.where("id < 30000").orderBy("id").toPandas()
train, test = labelled[:24_000], labelled[24_000:]
model = RandomForestClassifier(n_estimators=60, max_depth=10, random_state=7, n_jobs=-1).fit(train[features], train["fraud"])
print("RESULT auc", round(roc_auc_score(test["fraud"], model.predict_proba(test[features])[:, 1]), 3))
mlflow.sklearn.save_model(
    model, "model", input_example=train[features][:5], pyfunc_predict_fn="predict_proba", serialization_format="cloudpickle"
)

predict = mlflow.pyfunc.spark_udf(spark, "model", result_type="array<double>", env_manager="local")
scored = transactions.withColumn("probability", F.round(predict(F.struct(*features))[1], 4))

flagged = scored.where("probability > 0.8")
print("RESULT flagged", flagged.count())
merchants = scored.groupBy("merchant").agg(F.avg("probability").alias("risk"), F.count("*").alias("transactions"))
for row in merchants.orderBy(F.desc("risk"), "merchant").limit(5).collect():
    print("RESULT merchant", row["merchant"], round(row["risk"], 4), row["transactions"])
scored.select("id", "probability").write.parquet("scores")
print("RESULT written", spark.read.parquet("scores").count())
spark.stop()
