# SPDX-License-Identifier: Apache-2.0
"""Validates a day's orders with Great Expectations before they are published."""

import os
import sys

os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")

import great_expectations as gx  # noqa: E402
import great_expectations.expectations as gxe  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

DATA = sys.argv[1]

spark = SparkSession.builder.appName("validate-orders").getOrCreate()
orders = spark.read.csv(f"{DATA}/orders", header=True, inferSchema=True)
customers = spark.read.csv(f"{DATA}/customers.csv", header=True, inferSchema=True)
checked = orders.join(customers, orders.customer_id == customers.id, "left").drop("id")

context = gx.get_context(mode="ephemeral")
source = context.data_sources.add_spark("shop")
batches = source.add_dataframe_asset("orders").add_batch_definition_whole_dataframe("all orders")
suite = context.suites.add(gx.ExpectationSuite(name="orders"))
for expectation in (
    gxe.ExpectTableRowCountToBeBetween(min_value=1_000_000, max_value=2_000_000),
    gxe.ExpectTableColumnsToMatchSet(column_set=checked.columns),
    gxe.ExpectColumnValuesToNotBeNull(column="order_id"),
    gxe.ExpectColumnValuesToBeUnique(column="order_id"),
    gxe.ExpectColumnValueLengthsToEqual(column="order_id", value=9),
    gxe.ExpectColumnValuesToMatchRegex(column="order_id", regex="^O[0-9]{8}$"),
    gxe.ExpectColumnValuesToNotBeNull(column="customer_id", mostly=0.99),
    gxe.ExpectColumnValuesToNotBeNull(column="country", mostly=0.99),
    gxe.ExpectColumnValuesToBeInSet(column="status", value_set=["new", "paid", "shipped", "returned"]),
    gxe.ExpectColumnValuesToBeInSet(column="currency", value_set=["EUR", "USD", "GBP"]),
    gxe.ExpectColumnValuesToBeBetween(column="quantity", min_value=1, max_value=100),
    gxe.ExpectColumnValuesToBeBetween(column="amount", min_value=0, max_value=100_000, mostly=0.999),
    gxe.ExpectColumnMeanToBeBetween(column="amount", min_value=20, max_value=100),
    gxe.ExpectColumnMedianToBeBetween(column="amount", min_value=20, max_value=60),
    gxe.ExpectColumnStdevToBeBetween(column="amount", min_value=10, max_value=80),
    gxe.ExpectColumnValuesToMatchRegex(column="email", regex=r"^[^@]+@[^@]+\.[a-z]+$", mostly=0.99),
    gxe.ExpectColumnPairValuesAToBeGreaterThanB(column_A="shipped", column_B="ordered", or_equal=True, mostly=0.9),
    gxe.ExpectColumnProportionOfUniqueValuesToBeBetween(column="customer_id", min_value=0.01, max_value=0.5),
    gxe.ExpectCompoundColumnsToBeUnique(column_list=["order_id", "customer_id"], mostly=0.99),
):
    suite.add_expectation(expectation)

result = batches.get_batch(batch_parameters={"dataframe": checked}).validate(suite)
for each in result.results:
    print(
        "RESULT",
        each.expectation_config.type,
        each.expectation_config.kwargs.get("column", ""),
        "passed" if each.success else "failed",
        each.result.get("unexpected_count", ""),
    )
print("RESULT passed", result.statistics["successful_expectations"], "of", result.statistics["evaluated_expectations"])
spark.stop()
