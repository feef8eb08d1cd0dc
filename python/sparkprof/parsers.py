# SPDX-License-Identifier: Apache-2.0
"""The classes under the module name of Phil's Stopwatch: `from sparkprof.parsers import …`."""

from ._app_parser import AppParser
from ._profile_parser import ProfileParser
from ._spark_log_parser import SparkLogParser
from ._stack_parser import StackParser

__all__ = ["AppParser", "ProfileParser", "SparkLogParser", "StackParser"]
