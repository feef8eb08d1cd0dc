# SPDX-License-Identifier: Apache-2.0
"""Runs Python UDFs in short jobs until a file is gone: for tests that look at a job while it runs.

Usage: until_stopped.py RUNNING_FILE; the file is made when the first job has ended.
"""

import pathlib
import sys

from pyspark.sql import SparkSession
from pyspark.sql.functions import col, udf


def burn(number):
    return number + sum(i * i for i in range(500))


def main():
    running = pathlib.Path(sys.argv[1])
    session = SparkSession.builder.appName("until-stopped").getOrCreate()
    function = udf(burn, "long")

    def job():
        # Anew each time: a query that is collected again keeps what its stages have made.
        session.range(0, 20_000, 1, 2).select(function(col("id")).alias("n")).groupBy().sum("n").collect()

    job()
    running.touch()
    while running.exists():
        job()
    session.stop()


if __name__ == "__main__":
    main()
