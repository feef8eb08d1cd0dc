# SPDX-License-Identifier: Apache-2.0
"""Small files. A table of a few megabytes lies in thousands of files.

What the report should show:
- The scan reads thousands of files with a few kilobytes each (`small-files`).
- The fix: compact the table, with the number of files that would do.

small_files.py [FILES] [--fixed]   --fixed has the same lines in 4 files.
"""

import pathlib
import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def main(files, is_fixed):
    spark = SparkSession.builder.appName("Small files").getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        count = 4 if is_fixed else files
        lines = [f"{number},{number * 7 % 1000}\n" for number in range(files * 20)]
        for number in range(count):
            (pathlib.Path(folder) / f"part-{number:05}.csv").write_text("".join(lines[number::count]))
        table = spark.read.schema("id long, amount long").csv(folder)
        print("amount:", table.select(F.sum("amount")).collect())
    spark.stop()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 6_000, "--fixed" in sys.argv)
