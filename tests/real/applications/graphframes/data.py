# SPDX-License-Identifier: Apache-2.0
"""Accounts and payments between them: a large component with hubs, and many small ones."""

import pathlib
import sys

import numpy
import pyarrow
from pyarrow import parquet

OUTPUT = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(21)

LARGE, SMALL_GROUPS, SIZE, PAYMENTS = 40_000, 5_000, 6, 220_000
source = (random.random(PAYMENTS) ** 1.3 * LARGE).astype("int64")
target = (random.random(PAYMENTS) ** 3 * LARGE).astype("int64")
# Small groups are chains, which need several rounds to find their component.
first = LARGE + numpy.arange(SMALL_GROUPS)[:, None] * SIZE + numpy.arange(SIZE - 1)[None, :]
source = numpy.concatenate([source, first.ravel()])
target = numpy.concatenate([target, first.ravel() + 1])
accounts = LARGE + SMALL_GROUPS * SIZE
parquet.write_table(
    pyarrow.table({"id": numpy.arange(accounts), "country": pyarrow.array(["DE", "FR", "US", "JP"]).take(pyarrow.array(numpy.arange(accounts) % 4))}),
    OUTPUT / "accounts.parquet",
)
parquet.write_table(
    pyarrow.table({"src": source, "dst": target, "amount": random.integers(1, 10_000, len(source))}), OUTPUT / "payments.parquet"
)
