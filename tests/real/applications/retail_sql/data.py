# SPDX-License-Identifier: Apache-2.0
"""A small star schema in the style of TPC-DS: two fact tables and five dimensions, as Parquet files."""

import pathlib
import sys

import numpy
import pyarrow
from pyarrow import parquet

OUTPUT = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(20)

DAYS, ITEMS, CUSTOMERS, STORES, SALES = 1096, 12_000, 80_000, 24, 3_000_000
CATEGORIES = ["Books", "Children", "Electronics", "Home", "Jewelry", "Men", "Music", "Shoes", "Sports", "Women"]
STATES = ["CA", "GA", "IL", "MI", "MN", "NY", "OH", "TN", "TX", "WA"]


def money(cents):
    """decimal(7,2) from whole cents."""
    words = numpy.empty((len(cents), 2), dtype=numpy.int64)
    words[:, 0] = cents
    words[:, 1] = cents >> 63
    return pyarrow.Array.from_buffers(pyarrow.decimal128(7, 2), len(cents), [None, pyarrow.py_buffer(words)])


def pick(names, indexes):
    return pyarrow.array(names).take(pyarrow.array(indexes))


def write(name, columns, files=1):
    table = pyarrow.table(columns)
    (OUTPUT / name).mkdir()
    rows = -(-table.num_rows // files)
    for number in range(files):
        parquet.write_table(table.slice(number * rows, rows), OUTPUT / name / f"part-{number:03}.parquet", row_group_size=250_000)


day = numpy.arange(DAYS)
dates = numpy.datetime64("2022-01-01") + day
months = dates.astype("datetime64[M]").astype(int) % 12 + 1
write(
    "date_dim",
    {
        "d_date_sk": day,
        "d_date": pyarrow.array(dates),
        "d_year": (dates.astype("datetime64[Y]").astype(int) + 1970).astype("int32"),
        "d_moy": months.astype("int32"),
        "d_qoy": ((months + 2) // 3).astype("int32"),
        "d_day_name": pick(["Saturday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday"], day % 7),
    },
)
item = numpy.arange(ITEMS)
category = item % 10
klass = random.integers(0, 8, ITEMS)
brand = random.integers(0, 5, ITEMS)
write(
    "item",
    {
        "i_item_sk": item,
        "i_item_id": [f"AAAA{number:012}" for number in item],
        "i_category": pick(CATEGORIES, category),
        "i_class": [f"{CATEGORIES[a]} class {b}" for a, b in zip(category, klass)],
        "i_brand": [f"{CATEGORIES[a]} brand {b}-{c}" for a, b, c in zip(category, klass, brand)],
        "i_current_price": money(random.integers(99, 30_000, ITEMS)),
    },
)
customer = numpy.arange(CUSTOMERS)
write(
    "customer",
    {
        "c_customer_sk": customer,
        "c_customer_id": [f"C{number:09}" for number in customer],
        "c_birth_year": random.integers(1935, 2005, CUSTOMERS).astype("int32"),
        "c_state": pick(STATES, random.integers(0, 10, CUSTOMERS)),
        "c_preferred": pick(["Y", "N"], random.integers(0, 2, CUSTOMERS)),
    },
)
store = numpy.arange(STORES)
write("store", {"s_store_sk": store, "s_store_name": [f"store {number}" for number in store], "s_state": pick(STATES, store % 10)})
write("promotion", {"p_promo_sk": numpy.arange(300), "p_channel": pick(["email", "event", "tv", "none"], random.integers(0, 4, 300))})

sold = numpy.sort(random.integers(0, DAYS, SALES))
sold_item = (random.random(SALES) ** 2 * ITEMS).astype("int64")
sold_customer = (random.random(SALES) ** 1.5 * CUSTOMERS).astype("int64")
sold_store = random.integers(0, STORES, SALES)
quantity = random.integers(1, 100, SALES)
price = random.integers(100, 9_000, SALES)
write(
    "store_sales",
    {
        "ss_sold_date_sk": sold,
        "ss_item_sk": sold_item,
        "ss_customer_sk": pyarrow.array(sold_customer, mask=random.random(SALES) < 0.03),
        "ss_store_sk": sold_store,
        "ss_promo_sk": random.integers(0, 300, SALES),
        "ss_ticket_number": numpy.arange(SALES) // 4,
        "ss_quantity": quantity.astype("int32"),
        "ss_sales_price": money(price),
        "ss_coupon_amt": money(numpy.where(random.random(SALES) < 0.1, price // 5, 0)),
        "ss_net_profit": money(price // 3 - random.integers(0, 3_000, SALES)),
    },
    files=8,
)
returned = numpy.flatnonzero(random.random(SALES) < 0.08)
write(
    "store_returns",
    {
        "sr_returned_date_sk": numpy.minimum(sold[returned] + random.integers(1, 60, len(returned)), DAYS - 1),
        "sr_item_sk": sold_item[returned],
        "sr_customer_sk": sold_customer[returned],
        "sr_store_sk": sold_store[returned],
        "sr_ticket_number": returned // 4,
        "sr_return_quantity": (quantity[returned] // 2 + 1).astype("int32"),
        "sr_return_amt": money(price[returned]),
    },
    files=2,
)
