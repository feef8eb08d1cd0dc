# SPDX-License-Identifier: Apache-2.0
"""The packages that a client of Spark Connect needs beside PySpark."""

import unittest

from support import CACHE, execute

PACKAGES = ("grpcio", "grpcio-status", "googleapis-common-protos", "zstandard", "pyyaml")


def client_packages(spark):
    """The folder of the packages, with that of Declarative Pipelines, fetched once into the cache."""
    folder = CACHE / "connect-client"
    if not all((folder / module).exists() for module in ("grpc", "yaml")):
        command = [spark.python, "-m", "pip", "install", "-q", "--upgrade", "--target", folder, *PACKAGES]
        try:
            execute(*command, timeout=None)
        except (OSError, AssertionError) as error:
            raise unittest.SkipTest(f"the packages of Connect's client cannot be fetched: {error}") from error
    return str(folder)
