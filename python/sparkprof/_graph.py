# SPDX-License-Identifier: Apache-2.0
"""The traces of graphs: plotly's Scatter where plotly is installed, otherwise an object with the same members."""


class Trace:
    """Stands in for plotly.graph_objs.Scatter: its settings as attributes and items, and as to_plotly_json()."""

    def __init__(self, **settings):
        self._settings = settings

    def __getitem__(self, name):
        value = self._settings.get(name)
        return tuple(value) if isinstance(value, list) else value

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __repr__(self):
        return f"Trace(name={self.name!r}, {len(self.x or ())} points)"

    def to_plotly_json(self):
        return {**self._settings, "type": "scatter"}


def scatter(**settings):
    """A plotly Scatter; a Trace where plotly is not installed."""
    try:
        from plotly.graph_objs import Scatter
    except ImportError:
        return Trace(**settings)
    return Scatter(**settings)


def get_max_y(data_points):
    """The largest y of all traces; -1 if there are none."""
    return max((value for trace in data_points for value in trace.y or () if value is not None), default=-1)
