# SPDX-License-Identifier: Apache-2.0
"""Collisions with 28 measurements, as in the Higgs data set: signal or background."""

import pathlib
import sys

import numpy
import pyarrow
from pyarrow import parquet

OUTPUT = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(28)

ROWS, FILES = 600_000, 4
features = random.normal(size=(ROWS, 28)).astype("float32")
score = features[:, 0] * features[:, 1] + numpy.sin(features[:, 2] * 2) + 0.5 * features[:, 3] ** 2 - 0.6 * numpy.abs(features[:, 4])
label = (score + random.normal(size=ROWS) > 0).astype("int32")
table = pyarrow.table({"label": label, **{f"m{number:02}": features[:, number] for number in range(28)}})
for number in range(FILES):
    parquet.write_table(table.slice(number * ROWS // FILES, ROWS // FILES), OUTPUT / f"part-{number}.parquet")
