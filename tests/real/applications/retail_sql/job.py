# SPDX-License-Identifier: Apache-2.0
"""Eight reports over a star schema, one SQL statement each, in the style of TPC-DS."""

import sys
import zlib

from pyspark.sql import SparkSession

DATA = sys.argv[1]
TABLES = ("date_dim", "item", "customer", "store", "promotion", "store_sales", "store_returns")
QUERIES = {
    "brands": """
        SELECT d_year, i_brand, SUM(ss_sales_price * ss_quantity) AS revenue
        FROM store_sales JOIN date_dim ON ss_sold_date_sk = d_date_sk JOIN item ON ss_item_sk = i_item_sk
        WHERE i_category = 'Electronics' AND d_moy = 11
        GROUP BY d_year, i_brand ORDER BY d_year, revenue DESC, i_brand LIMIT 100""",
    "promoted items": """
        SELECT i_item_id, AVG(ss_quantity) AS quantity, AVG(ss_sales_price) AS price, AVG(ss_coupon_amt) AS coupon
        FROM store_sales JOIN customer ON ss_customer_sk = c_customer_sk JOIN date_dim ON ss_sold_date_sk = d_date_sk
             JOIN item ON ss_item_sk = i_item_sk JOIN promotion ON ss_promo_sk = p_promo_sk
        WHERE c_preferred = 'Y' AND d_year = 2023 AND p_channel IN ('email', 'event')
        GROUP BY i_item_id ORDER BY i_item_id LIMIT 100""",
    "category report": """
        SELECT i_category, i_class, i_brand, d_year, d_qoy, d_moy, s_state,
               SUM(ss_sales_price * ss_quantity) AS sales, SUM(ss_net_profit) AS profit
        FROM store_sales JOIN date_dim ON ss_sold_date_sk = d_date_sk JOIN item ON ss_item_sk = i_item_sk JOIN store ON ss_store_sk = s_store_sk
        GROUP BY ROLLUP (i_category, i_class, i_brand, d_year, d_qoy, d_moy, s_state)
        ORDER BY sales DESC, i_category, i_class, i_brand, d_year, d_qoy, d_moy, s_state LIMIT 100""",
    "slow movers": """
        SELECT s_store_name, i_item_id, revenue FROM store
        JOIN (SELECT ss_store_sk, ss_item_sk, SUM(ss_sales_price) AS revenue FROM store_sales JOIN date_dim ON ss_sold_date_sk = d_date_sk
              WHERE d_year = 2024 GROUP BY ss_store_sk, ss_item_sk) sold ON s_store_sk = sold.ss_store_sk
        JOIN (SELECT ss_store_sk, AVG(revenue) AS average FROM
                (SELECT ss_store_sk, ss_item_sk, SUM(ss_sales_price) AS revenue FROM store_sales JOIN date_dim ON ss_sold_date_sk = d_date_sk
                 WHERE d_year = 2024 GROUP BY ss_store_sk, ss_item_sk) GROUP BY ss_store_sk) mean ON mean.ss_store_sk = s_store_sk
        JOIN item ON i_item_sk = ss_item_sk
        WHERE revenue <= 0.1 * average ORDER BY s_store_name, i_item_id LIMIT 100""",
    "returns": """
        SELECT ss_customer_sk, SUM(CASE WHEN sr_return_quantity IS NOT NULL THEN (ss_quantity - sr_return_quantity) * ss_sales_price
                                        ELSE ss_quantity * ss_sales_price END) AS kept
        FROM store_sales LEFT JOIN store_returns ON sr_item_sk = ss_item_sk AND sr_ticket_number = ss_ticket_number
        GROUP BY ss_customer_sk ORDER BY kept, ss_customer_sk LIMIT 100""",
    "loyal customers": """
        SELECT COUNT(*) FROM (
            SELECT DISTINCT c_customer_id, d_date FROM store_sales JOIN date_dim ON ss_sold_date_sk = d_date_sk
                   JOIN customer ON ss_customer_sk = c_customer_sk WHERE d_year = 2023
            INTERSECT
            SELECT DISTINCT c_customer_id, d_date FROM store_returns JOIN date_dim ON sr_returned_date_sk = d_date_sk
                   JOIN customer ON sr_customer_sk = c_customer_sk WHERE d_year = 2023)""",
    "share of class": """
        SELECT i_category, i_class, i_item_id, revenue, revenue * 100 / SUM(revenue) OVER (PARTITION BY i_class) AS share FROM
            (SELECT i_category, i_class, i_item_id, SUM(ss_sales_price) AS revenue FROM store_sales JOIN item ON ss_item_sk = i_item_sk
             JOIN date_dim ON ss_sold_date_sk = d_date_sk WHERE d_date BETWEEN DATE'2024-02-01' AND DATE'2024-03-01'
             GROUP BY i_category, i_class, i_item_id)
        ORDER BY i_category, i_class, share DESC, i_item_id LIMIT 100""",
    "distinct": """
        SELECT s_state, COUNT(DISTINCT ss_ticket_number) AS tickets, COUNT(DISTINCT ss_customer_sk) AS customers,
               COUNT(DISTINCT ss_item_sk) AS items, SUM(ss_net_profit) AS profit
        FROM store_sales JOIN store ON ss_store_sk = s_store_sk GROUP BY s_state ORDER BY s_state""",
}

spark = SparkSession.builder.appName("retail-reports").getOrCreate()
for table in TABLES:
    spark.read.parquet(f"{DATA}/{table}").createOrReplaceTempView(table)
for name, query in QUERIES.items():
    rows = spark.sql(query).collect()
    text = "\n".join(",".join(str(value) for value in row) for row in rows)
    print(f"RESULT {name}: {len(rows)} rows, checksum {zlib.crc32(text.encode()):08x}")
spark.stop()
