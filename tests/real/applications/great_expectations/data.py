# SPDX-License-Identifier: Apache-2.0
"""Orders of a shop and their customers as CSV files, with the usual faults: missing, repeated and impossible values."""

import pathlib
import sys

import numpy
import pyarrow
from pyarrow import csv

OUTPUT = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(25)

ORDERS, CUSTOMERS, FILES = 1_200_000, 90_000, 4
number = numpy.arange(ORDERS)
repeated = random.random(ORDERS) < 0.0005
number[repeated] = numpy.maximum(number[repeated] - 1, 0)
customer = random.integers(0, CUSTOMERS + 40, ORDERS)
amount = random.lognormal(3.5, 0.8, ORDERS).round(2)
amount[random.random(ORDERS) < 0.0002] *= -1
ordered = numpy.datetime64("2025-01-01") + random.integers(0, 365, ORDERS)
table = pyarrow.table(
    {
        "order_id": [f"O{value:08}" for value in number],
        "customer_id": pyarrow.array([f"C{value:06}" for value in customer], mask=random.random(ORDERS) < 0.001),
        "ordered": pyarrow.array(ordered),
        "shipped": pyarrow.array(ordered + random.integers(-1, 12, ORDERS), mask=random.random(ORDERS) < 0.05),
        "status": pyarrow.array(["new", "paid", "shipped", "returned", "NEW"]).take(
            pyarrow.array(random.choice(5, ORDERS, p=[0.2, 0.3, 0.45, 0.0499, 0.0001]))
        ),
        "currency": pyarrow.array(["EUR", "USD", "GBP"]).take(pyarrow.array(random.integers(0, 3, ORDERS))),
        "quantity": random.integers(1, 30, ORDERS),
        "amount": amount,
        "email": [f"user{value}@example.org" if value % 997 else f"user{value}" for value in customer],
    }
)
(OUTPUT / "orders").mkdir()
for part in range(FILES):
    csv.write_csv(table.slice(part * ORDERS // FILES, ORDERS // FILES), OUTPUT / "orders" / f"part-{part}.csv")
customers = numpy.arange(CUSTOMERS)
csv.write_csv(
    pyarrow.table(
        {"id": [f"C{value:06}" for value in customers], "country": pyarrow.array(["DE", "US", "GB"]).take(pyarrow.array(customers % 3))}
    ),
    OUTPUT / "customers.csv",
)
