# SPDX-License-Identifier: Apache-2.0
"""Vehicles of a fleet, and four batches of changes to them."""

import pathlib
import sys

import numpy
import pyarrow
from pyarrow import parquet

OUTPUT = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(27)

VEHICLES, BATCHES, CHANGES = 120_000, 4, 9_000
CITIES = pyarrow.array(["berlin", "chennai", "london", "paris", "san_francisco", "sao_paulo"])


def vehicles(identifiers, time):
    count = len(identifiers)
    return pyarrow.table(
        {
            "uuid": [f"v-{value:07}" for value in identifiers],
            "ts": numpy.full(count, time),
            "driver": [f"driver-{value}" for value in random.integers(0, 20_000, count)],
            "odometer": random.uniform(0, 200_000, count).round(1),
            "status": pyarrow.array(["idle", "driving", "service"]).take(pyarrow.array(random.integers(0, 3, count))),
            "city": CITIES.take(pyarrow.array(identifiers % len(CITIES))),
        }
    )


parquet.write_table(vehicles(numpy.arange(VEHICLES), 0), OUTPUT / "initial.parquet")
for batch in range(1, BATCHES + 1):
    changed = random.choice(VEHICLES, CHANGES, replace=False)
    new = VEHICLES + numpy.arange((batch - 1) * 500, batch * 500)
    parquet.write_table(vehicles(numpy.concatenate([changed, new]), batch), OUTPUT / f"changes-{batch}.parquet")
