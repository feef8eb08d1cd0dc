# SPDX-License-Identifier: Apache-2.0
"""What scripts for Phil's Stopwatch take from its module `helper`."""
from ._graph import get_max_y

__all__ = ["get_max_y"]
