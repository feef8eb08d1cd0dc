# SPDX-License-Identifier: Apache-2.0
"""proved_results.py before|after FOLDER: queries whose results a change makes wrong, leaves equal, or cannot be compared.

The description of a query is its kind and name: "wrong: an inner join". "before" and "after" are its two forms.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from pyspark.sql import types as t

ROWS = 600
after, folder = sys.argv[1] == "after", sys.argv[2]
session = SparkSession.builder.getOrCreate()
orders = session.range(0, ROWS, 1, 2).select(
    "id",
    (f.col("id") % 37).alias("customer"),
    f.expr("cast(id % 11 as int)").alias("items"),
    f.expr("id * 0.37 + 1.5").cast("double").alias("price"),
    f.expr("cast(id * 1.005 as decimal(20, 3))").alias("tax"),
    f.expr("if(id % 7 = 0, null, concat('note ', id % 13))").alias("note"),
    f.expr("date_add(date'2026-01-01', cast(id % 50 as int))").alias("day"),
    f.expr("timestamp_millis(1760000000000 + id * 1234)").alias("at"),
    f.expr("array(id, id % 3, null)").alias("tags"),
    f.expr("map('a', id, 'b', id % 5)").alias("marks"),
    f.expr("named_struct('x', id, 'y', id % 4 = 0)").alias("place"),
)
customers = session.range(0, 30, 1, 1).select(f.col("id").alias("customer"), f.expr("concat('c', id)").alias("name"))


def collect(query, _):
    query.collect()


def parquet(query, name):
    query.write.mode("overwrite").parquet(f"{folder}/{name}")


def csv(query, name):
    query.write.mode("overwrite").csv(f"{folder}/{name}")


def noop(query, _):
    query.write.format("noop").mode("overwrite").save()


def table(query, name):
    query.write.mode("overwrite").option("path", f"{folder}/{name}").saveAsTable(name)


def count(query, _):
    query.count()


def round_in_python(digits):
    return f.udf(lambda price: round(price, digits), t.DoubleType())("price")


def amounts(column):
    return orders.groupBy("customer").agg(column.alias("amount"))


# Name: form before, wrong form after, action.
WRONG = {
    "dropped filter": (orders.where("items > 3"), orders, collect),
    "inner join": (orders.join(customers, "customer", "left"), orders.join(customers, "customer"), parquet),
    "changed constant": (amounts(f.sum(f.col("price") * 0.19)), amounts(f.sum(f.col("price") * 0.2)), collect),
    "duplicates removed": (orders.select("customer", "items"), orders.select("customer", "items").distinct(), parquet),
    "rows twice": (orders.select("id"), orders.select("id").union(orders.select("id").where("id = 5")), noop),
    "cast that truncates": (
        orders.select("id", "price"),
        orders.select("id", f.expr("cast(cast(price as int) as double)").alias("price")),
        parquet,
    ),
    "day too late": (orders.select("id", "day"), orders.select("id", f.date_add("day", 1).alias("day")), collect),
    "null as zero": (
        orders.select(f.length("note").alias("length")),
        orders.select(f.expr("coalesce(length(note), 0)").alias("length")),
        noop,
    ),
    "swapped columns": (
        orders.select("customer", (f.col("id") % 41).alias("shop")),
        orders.select((f.col("id") % 41).alias("customer"), f.col("customer").alias("shop")),
        csv,
    ),
    "rounding function": (
        orders.select("id", round_in_python(6).alias("price")),
        orders.select("id", round_in_python(1).alias("price")),
        parquet,
    ),
    "lower limit": (orders.orderBy("id").limit(50), orders.orderBy("id").limit(49), collect),
    "other default": (
        orders.select(f.expr("coalesce(note, 'none')").alias("note")),
        orders.select(f.expr("coalesce(note, 'None')").alias("note")),
        csv,
    ),
    "trimmed texts": (orders.select(f.concat("note", f.lit(" ")).alias("note")), orders.select("note"), collect),
    "seconds only": (orders.select("at"), orders.select(f.date_trunc("second", "at").alias("at")), parquet),
    "fewer decimals": (orders.select("tax"), orders.select(f.expr("cast(round(tax, 1) as decimal(20, 3))").alias("tax")), noop),
    "count of distinct": (amounts(f.count("items")), amounts(f.countDistinct("items")), collect),
    "shorter array": (orders.select("tags"), orders.select(f.slice("tags", 1, 2).alias("tags")), parquet),
    "other map value": (
        orders.select("marks"),
        orders.select(f.expr("transform_values(marks, (k, v) -> if(v = 4, 0L, v))").alias("marks")),
        noop,
    ),
    "lost field": (
        orders.select("place"),
        orders.select(f.expr("named_struct('x', place.x, 'y', cast(null as boolean))").alias("place")),
        parquet,
    ),
    "one row of many": (
        orders.select("id", "price"),
        orders.select("id", f.expr("if(id = 7, price + 0.01, price)").alias("price")),
        collect,
    ),
    "greater or equal": (orders.select((f.col("items") > 5).alias("many")), orders.select((f.col("items") >= 5).alias("many")), noop),
    "values in other rows": (
        orders.select("id", f.col("customer").alias("value")),
        orders.select("id", ((f.lit(ROWS - 1) - f.col("id")) % 37).alias("value")),
        table,
    ),
    "prices in other rows": (
        orders.select("id", "price"),
        orders.select("id", ((f.lit(ROWS - 1) - f.col("id")) * 0.37 + 1.5).cast("double").alias("price")),
        collect,
    ),
    "reordered columns": (orders.select("id", "customer"), orders.select("customer", "id"), collect),
    "other count": (orders.where("items > 3"), orders.where("items > 4"), count),
    "top of another order": (
        orders.select("id", "price").orderBy("price").limit(10),
        orders.select("id", "price").orderBy(f.desc("price")).limit(10),
        collect,
    ),
}
# Name: form before, equal form after, action.
EQUAL = {
    "other partitions": (orders, orders.repartition(7), parquet),
    "sums in another order": (
        amounts(f.sum("price")),
        orders.repartition(13).groupBy("customer").agg(f.sum("price").alias("amount")),
        collect,
    ),
    "broadcast": (orders.hint("merge").join(customers, "customer"), orders.join(f.broadcast(customers), "customer"), noop),
    "rewritten filter": (orders.where("items > 3"), orders.where("not (items <= 3)"), collect),
    "built-in function": (
        orders.select("id", round_in_python(3).alias("price")),
        orders.select("id", f.expr("round(price, 3)").alias("price")),
        parquet,
    ),
    "sorted rows": (orders.select("id", "tags", "marks"), orders.select("id", "tags", "marks").orderBy(f.desc("id")), collect),
    "cached rows": (orders.where("customer = 3"), orders.where("customer = 3").cache(), table),
    "a subquery": (
        orders.where("price > 100").where(f.col("customer") == 5),
        orders.where(f.col("customer").isin([5])).where("price > 100"),
        collect,
    ),
    "local rows": (session.sql("values (1, 'a'), (2, 'b')"), session.sql("values (2, 'b'), (1, 'a')"), collect),
}


def run(kind, name, query, action):
    session.sparkContext.setJobDescription(f"{kind}: {name}")
    action(query, name.replace(" ", "_"))


for name, (before, wrong, action) in WRONG.items():
    run("wrong", name, wrong if after else before, action)
for name, (before, equal, action) in EQUAL.items():
    run("equal", name, equal if after else before, action)
session.conf.set("spark.sql.adaptive.enabled", not after)
run("equal", "adaptive execution", orders.join(customers, "customer").groupBy("name").agg(f.max("note").alias("note")), parquet)
run("random", "numbers", orders.select("id", f.rand().alias("number"), f.current_timestamp().alias("now")), parquet)
session.sparkContext.setJobDescription("shown")
orders.repartition(5 if after else 3).show(5)
session.sparkContext.setJobDescription("rows of an RDD")
orders.rdd.map(lambda row: row.id).sum()
session.stop()
