# SPDX-License-Identifier: Apache-2.0
"""One text of 400,000 makes a Python pattern backtrack, and its task is a straggler. --fixed has no nested repetition."""

import re
import sys

from pyspark import SparkContext

IS_FIXED = "--fixed" in sys.argv
ADDRESS = re.compile(r"^[a-z.]+@" if IS_FIXED else r"^([a-z.]+)+@")


def text(number):
    return "x" * 28 + "!" if number == 123_456 else f"name.{number % 100}@example.org"


def is_address(line):
    return ADDRESS.match(line) is not None


sc = SparkContext(appName="One bad text")
print("addresses:", sc.parallelize(range(400_000), 16).map(text).filter(is_address).count())
sc.stop()
