# SPDX-License-Identifier: Apache-2.0
"""Taxi rides as CSV files, and the zones of the city."""

import pathlib
import sys

import numpy
import pyarrow
from pyarrow import csv

OUTPUT = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(26)

RIDES, ZONES, FILES = 700_000, 260, 4
start = numpy.datetime64("2025-03-01T00:00:00") + numpy.sort(random.integers(0, 31 * 86_400, RIDES))
minutes = random.gamma(2.0, 7.0, RIDES) + 1
distance = (minutes * random.uniform(0.1, 0.5, RIDES)).round(2)
fare = (3 + 2.1 * distance + 0.4 * minutes).round(2)
table = pyarrow.table(
    {
        "pickup": pyarrow.array(start),
        "dropoff": pyarrow.array(start + (minutes * 60).astype("int64")),
        "pickup_zone": (random.random(RIDES) ** 2 * ZONES).astype("int32"),
        "dropoff_zone": (random.random(RIDES) ** 2 * ZONES).astype("int32"),
        "passengers": pyarrow.array(random.integers(0, 7, RIDES), mask=random.random(RIDES) < 0.02),
        "distance": distance,
        "fare": fare,
        "tip": pyarrow.array((fare * random.choice([0, 0.1, 0.2, 0.25], RIDES)).round(2), mask=random.random(RIDES) < 0.1),
        "payment": pyarrow.array(["card", "cash", "app"]).take(pyarrow.array(random.choice(3, RIDES, p=[0.6, 0.25, 0.15]))),
    }
)
(OUTPUT / "rides").mkdir()
for part in range(FILES):
    csv.write_csv(table.slice(part * RIDES // FILES, RIDES // FILES), OUTPUT / "rides" / f"rides-{part}.csv")
boroughs = pyarrow.array(["Bronx", "Brooklyn", "Manhattan", "Queens", "Staten Island"])
csv.write_csv(
    pyarrow.table({"zone": numpy.arange(ZONES), "borough": boroughs.take(pyarrow.array(numpy.arange(ZONES) % 5))}), OUTPUT / "zones.csv"
)
