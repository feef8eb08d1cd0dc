# SPDX-License-Identifier: Apache-2.0
"""Finds rings of accounts and the most important accounts in a graph of payments, with GraphFrames."""

import sys

from graphframes import GraphFrame
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

DATA = sys.argv[1]

spark = SparkSession.builder.appName("payment-graph").getOrCreate()
spark.sparkContext.setCheckpointDir("checkpoints")

accounts = spark.read.parquet(f"{DATA}/accounts.parquet")
payments = spark.read.parquet(f"{DATA}/payments.parquet").where("src != dst").groupBy("src", "dst").agg(F.sum("amount").alias("amount"))
graph = GraphFrame(accounts, payments)

print("RESULT edges", graph.edges.count())
components = graph.connectedComponents()
sizes = components.groupBy("component").count()
print("RESULT components", sizes.count(), "largest", sizes.agg(F.max("count")).first()[0])

ranks = graph.pageRank(resetProbability=0.15, maxIter=10)
for row in ranks.vertices.orderBy(F.desc("pagerank")).limit(5).collect():
    print("RESULT rank", row["id"], round(row["pagerank"], 1))

degrees = graph.inDegrees.join(components, "id").groupBy("country").agg(F.max("inDegree").alias("highest"), F.count("*").alias("accounts"))
for row in degrees.orderBy("country").collect():
    print("RESULT degree", row["country"], row["highest"], row["accounts"])
spark.stop()
