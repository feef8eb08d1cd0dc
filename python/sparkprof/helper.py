# SPDX-License-Identifier: Apache-2.0
"""The module `helper` of Phil's Stopwatch."""

from ._graph import get_max_y

__all__ = ["get_max_y"]
