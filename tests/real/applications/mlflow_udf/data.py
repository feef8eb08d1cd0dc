# SPDX-License-Identifier: Apache-2.0
"""Card transactions with 16 features; the label of the first ones is known."""

import pathlib
import sys

import numpy
import pyarrow
from pyarrow import parquet

OUTPUT = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(23)

ROWS, FILES = 1_200_000, 6
features = {f"f{number:02}": random.normal(size=ROWS).round(4) for number in range(14)}
features["amount"] = (random.lognormal(3, 1, ROWS)).round(2)
features["hour"] = random.integers(0, 24, ROWS).astype("float64")
score = features["f00"] * 1.2 + features["f01"] * features["f02"] + numpy.log(features["amount"]) - 4.5 + (features["hour"] < 5)
table = pyarrow.table(
    {
        "id": numpy.arange(ROWS),
        "merchant": random.integers(0, 400, ROWS).astype("int32"),
        **features,
        "fraud": (score + random.normal(size=ROWS) > 1).astype("int32"),
    }
)
for number in range(FILES):
    parquet.write_table(table.slice(number * ROWS // FILES, ROWS // FILES), OUTPUT / f"part-{number}.parquet")
