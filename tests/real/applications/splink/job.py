# SPDX-License-Identifier: Apache-2.0
"""Finds customers that occur more than once, with Splink: trains a model, scores pairs, clusters them."""

import sys

import splink.comparison_library as cl
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession
from splink import Linker, SettingsCreator, SparkAPI, block_on
from splink.backends.spark import similarity_jar_location

DATA = sys.argv[1]

conf = SparkConf()
conf.set("spark.default.parallelism", "8")
conf.set("spark.jars", similarity_jar_location())
sc = SparkContext.getOrCreate(conf=conf)
sc.setCheckpointDir("tmp_checkpoints")
spark = SparkSession(sc)

customers = spark.read.parquet(f"{DATA}/customers.parquet")
settings = SettingsCreator(
    link_type="dedupe_only",
    comparisons=[
        cl.NameComparison("first_name"),
        cl.NameComparison("surname"),
        cl.LevenshteinAtThresholds("dob", [1, 2]),
        cl.ExactMatch("city").configure(term_frequency_adjustments=True),
        cl.LevenshteinAtThresholds("email", [2]),
    ],
    blocking_rules_to_generate_predictions=[block_on("surname", "dob"), block_on("first_name", "dob"), block_on("email")],
    em_convergence=0.01,
)
linker = Linker(customers, settings, SparkAPI(spark_session=spark))
linker.training.estimate_probability_two_random_records_match(["l.email = r.email and l.dob = r.dob"], recall=0.6)
linker.training.estimate_u_using_random_sampling(max_pairs=5e5, seed=1)
linker.training.estimate_parameters_using_expectation_maximisation(block_on("email"))
linker.training.estimate_parameters_using_expectation_maximisation(block_on("dob"))

pairs = linker.inference.predict(threshold_match_probability=0.9)
clusters = linker.clustering.cluster_pairwise_predictions_at_threshold(pairs, threshold_match_probability=0.95)
found = clusters.as_spark_dataframe()
total = found.count()
print("RESULT records", total)
print("RESULT duplicates found", round((total - found.select("cluster_id").distinct().count()) / total, 1))
spark.stop()
