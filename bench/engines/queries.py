# SPDX-License-Identifier: Apache-2.0
"""Tables of a shop and ten queries about them, in the style of TPC-DS. Run by ../engines.py through spark-submit.

queries.py make DIR SALES        writes the tables, with SALES rows of store_sales
queries.py run DIR NAME TIMES    runs a query TIMES times and prints its rows; several, NAME+NAME, run at the same time
"""

import json
import sys

from pyspark import InheritableThread
from pyspark.sql import SparkSession

DIMENSIONS = {
    "date_dim": (2000, "id d_date_sk, 1998 + cast(id / 365 as int) d_year, 1 + cast(id / 30 as int) % 12 d_moy, id % 7 d_dow"),
    "item": (
        18000,
        "id i_item_sk, 1 + id % 1000 i_brand_id, concat('brand#', id % 1000) i_brand, 1 + id % 10 i_category_id,"
        " concat('category ', id % 10) i_category, id % 100 i_class_id, 1 + id % 900 i_manufact_id, 1 + id % 100 i_manager_id,"
        " cast(1 + id % 97 as double) i_current_price",
    ),
    "customer": (100000, "id c_customer_sk, concat('customer ', id) c_last_name, id % 50000 c_current_addr_sk"),
    "customer_address": (50000, "id ca_address_sk, concat('city ', id % 700) ca_city, substr(cast(id * 7919 as string), 1, 5) ca_zip"),
    "store": (
        12,
        "id s_store_sk, concat('store ', id) s_store_name, concat('city ', id % 5) s_city, substr(cast(id * 7907 as string), 1, 5) s_zip",
    ),
    "household_demographics": (7200, "id hd_demo_sk, id % 10 hd_dep_count, id % 6 - 1 hd_vehicle_count"),
}
# Keys are hashes of the row's number: the same tables on every engine and version, without order.
SALES = (
    "{pre}_sold_date_sk, pmod(hash(id, 2), 18000) {pre}_item_sk, pmod(hash(id, 3), 100000) {pre}_customer_sk,"
    " pmod(hash(id, 4), 12) {pre}_store_sk, pmod(hash(id, 5), 7200) {pre}_hdemo_sk, cast(id / 8 as bigint) {pre}_ticket_number,"
    " 1 + pmod(hash(id, 6), 100) {pre}_quantity, pmod(hash(id, 7), 20000) / 100.0D {pre}_list_price,"
    " pmod(hash(id, 8), 20000) / 100.0D {pre}_sales_price, pmod(hash(id, 9), 10000) / 100.0D {pre}_net_profit"
)
QUERIES = {
    "q3": """select d_year, i_brand_id, i_brand, sum(ss_sales_price) s from store_sales join date_dim on ss_sold_date_sk = d_date_sk
             join item on ss_item_sk = i_item_sk where i_manufact_id <= 300 and d_moy >= 6
             group by d_year, i_brand_id, i_brand order by d_year, s desc, i_brand_id limit 100""",
    "q7": """select i_item_sk, avg(ss_quantity) a, avg(ss_list_price) b, avg(ss_sales_price) c, avg(ss_net_profit) d
             from store_sales join item on ss_item_sk = i_item_sk join household_demographics on ss_hdemo_sk = hd_demo_sk
             where hd_dep_count < 8 group by i_item_sk order by i_item_sk limit 100""",
    "q19": """select i_brand_id, i_brand, i_manufact_id, sum(ss_sales_price) s from store_sales
              join item on ss_item_sk = i_item_sk join customer on ss_customer_sk = c_customer_sk
              join customer_address on c_current_addr_sk = ca_address_sk join store on ss_store_sk = s_store_sk
              where i_manager_id <= 50 and ca_zip <> s_zip group by i_brand_id, i_brand, i_manufact_id
              order by s desc, i_brand_id, i_manufact_id limit 100""",
    "q38": """select count(*) n from (select distinct ss_customer_sk, ss_sold_date_sk from store_sales intersect
              select distinct ws_customer_sk, ws_sold_date_sk from web_sales)""",
    "q42": """select d_year, i_category_id, i_category, sum(ss_sales_price * ss_quantity) s from store_sales
              join date_dim on ss_sold_date_sk = d_date_sk join item on ss_item_sk = i_item_sk where i_manager_id <= 90
              group by d_year, i_category_id, i_category order by s desc, d_year, i_category_id limit 100""",
    "q65": """select s_store_name, i_item_sk, revenue from (select ss_store_sk, ss_item_sk, sum(ss_sales_price) revenue
              from store_sales group by ss_store_sk, ss_item_sk) a join (select ss_store_sk k, avg(revenue) ave from
              (select ss_store_sk, ss_item_sk, sum(ss_sales_price) revenue from store_sales group by ss_store_sk, ss_item_sk)
              group by ss_store_sk) b on ss_store_sk = k join store on ss_store_sk = s_store_sk join item on ss_item_sk = i_item_sk
              where revenue <= 0.9 * ave order by s_store_name, i_item_sk limit 100""",
    "q73": """select c_last_name, ss_ticket_number, cnt from (select ss_ticket_number, ss_customer_sk, count(*) cnt from store_sales
              join household_demographics on ss_hdemo_sk = hd_demo_sk where hd_vehicle_count > 0
              group by ss_ticket_number, ss_customer_sk) join customer on ss_customer_sk = c_customer_sk
              where cnt >= 1 order by cnt desc, c_last_name, ss_ticket_number limit 100""",
    "q93": """select ss_customer_sk, sum(act) s from (select ss_customer_sk, case when ws_item_sk is null
              then ss_quantity * ss_sales_price else (ss_quantity - ws_quantity) * ss_sales_price end act from store_sales
              left join web_sales on ss_item_sk = ws_item_sk and ss_ticket_number = ws_ticket_number)
              group by ss_customer_sk order by s, ss_customer_sk limit 100""",
    "q96": """select count(*) n, sum(ss_quantity) q from store_sales join household_demographics on ss_hdemo_sk = hd_demo_sk
              join store on ss_store_sk = s_store_sk join date_dim on ss_sold_date_sk = d_date_sk
              where hd_dep_count <= 7 and d_dow < 6""",
    "q98": """select i_item_sk, i_class_id, rev, rev * 100 / sum(rev) over (partition by i_class_id) r from
              (select i_item_sk, i_class_id, sum(ss_sales_price) rev from store_sales join item on ss_item_sk = i_item_sk
              join date_dim on ss_sold_date_sk = d_date_sk where d_year <= 2002 group by i_item_sk, i_class_id)
              order by i_class_id, i_item_sk limit 100""",
}


def make(spark, folder, sales):
    for table, (rows, columns) in DIMENSIONS.items():
        spark.range(0, rows, 1, 1).selectExpr(*split(columns)).write.parquet(f"{folder}/{table}")
    for table, pre, rows in (("store_sales", "ss", sales), ("web_sales", "ws", sales // 4)):
        columns = "pmod(hash(id, 1), 2000) " + SALES.format(pre=pre)
        spark.range(0, rows, 1, 8).selectExpr(*split(columns)).write.parquet(f"{folder}/{table}")


def split(columns):
    """Columns at commas that are outside of parentheses."""
    parts, depth = [""], 0
    for letter in columns:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def rounded(value):
    """Engines add doubles in different orders."""
    return float(f"{value:.9g}") if isinstance(value, float) else value


def run(spark, folder, name, times):
    for table in [*DIMENSIONS, "store_sales", "web_sales"]:
        spark.read.parquet(f"{folder}/{table}").createOrReplaceTempView(table)
    answers = {}

    def ask(query):
        spark.sparkContext.setJobDescription(query)
        for _ in range(times):
            answers[query] = spark.sql(QUERIES[query]).collect()

    threads = [InheritableThread(target=ask, args=(query,)) for query in name.split("+")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for query in name.split("+"):
        for row in answers[query]:
            print(json.dumps([rounded(value) for value in row]))


def main():
    spark = SparkSession.builder.appName("engines").getOrCreate()
    what, folder, *words = sys.argv[1:]
    if what == "make":
        make(spark, folder, int(words[0]))
    else:
        run(spark, folder, words[0], int(words[1]))
    spark.stop()


if __name__ == "__main__":
    main()
