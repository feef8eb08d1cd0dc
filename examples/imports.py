# SPDX-License-Identifier: Apache-2.0
"""Imports per task. Python workers are not reused, so that each task starts one and imports its modules again.

What the report should show:
- Python's time is in the import of a module, once for each task (`repeated-init`).
- The fix: let Spark reuse the workers, or use fewer and longer tasks.

imports.py [TASKS] [--fixed]   --fixed reuses the workers.
"""

import pathlib
import sys
import tempfile

from pyspark.sql import SparkSession

MODULE = """
WORDS = {}
for number in range(300_000):
    WORDS[f"word-{number}"] = number * number
"""


def score(numbers):
    import heavy_dictionary

    yield sum(heavy_dictionary.WORDS[f"word-{number % 1000}"] for number in numbers)


def main(tasks, is_fixed):
    builder = SparkSession.builder.appName("Imports")
    if not is_fixed:
        builder = builder.config("spark.python.worker.reuse", "false")
    spark = builder.getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        module = pathlib.Path(folder) / "heavy_dictionary.py"
        module.write_text(MODULE)
        spark.sparkContext.addPyFile(str(module))
        print("score:", spark.sparkContext.parallelize(range(1000 * tasks), tasks).mapPartitions(score).sum())
    spark.stop()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else 40, "--fixed" in sys.argv)
