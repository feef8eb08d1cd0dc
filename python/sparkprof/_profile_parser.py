# SPDX-License-Identifier: Apache-2.0
from collections import defaultdict

from ._command import NothingFound, run_json
from ._graph import get_max_y, scatter
from ._stack_parser import open_stream

_PROFILERS = ("JVMProfiler", "PySparkPhilProfiler", "babar")
_TIME = "epochMillis"
_COLUMNS = "name,profiler,processId,unit,times,values"
# Divisors that turn the values of a unit into MiB and minutes.
_NORMAL = {"bytes": 1048576, "ms": 60_000, "ns": 60e9}
# The order of metrics; others follow.
_ORDER = (
    "ScavengeCollTime",
    "MarkSweepCollTime",
    "MarkSweepCollCount",
    "ScavengeCollCount",
    "systemCpuLoad",
    "processCpuLoad",
    "nonHeapMemoryTotalUsed",
    "nonHeapMemoryCommitted",
    "heapMemoryTotalUsed",
    "heapMemoryCommitted",
    "pmem_rss",
    "pmem_vms",
    "cpu_percent",
)


def _names(names):
    return [names] if isinstance(names, str) else list(names)


class ProfileParser:
    """The metrics of a file with profiler records: files of jvm-profiler, PySpark cpu/mem records, babar.log, or any
    output with such records between its lines. With `normalize` bytes are MiB and times minutes."""

    def __init__(self, filename, normalize=True):
        self.filename = filename
        self.normalize = normalize
        self.resource_format = ""
        self.data_points = []  # a dict for each record, in order of time
        self._series = None

    def open_stream(self):
        return open_stream(self.filename)

    def deduce_profiler(self):
        """The profiler of the file's first record."""
        series = self._load()
        if not series:
            raise ValueError(f"Unknown profile format: {self.filename} contains no records of {', '.join(_PROFILERS)}")
        self.resource_format = series[0]["profiler"]

    def manually_set_profiler(self, profile):
        """For files with records of several profilers: 'JVMProfiler', 'pyspark' or 'babar', or a part of it."""
        found = [name for name in _PROFILERS if str(profile).lower() in name.lower()]
        if len(found) != 1:
            raise ValueError(f"Unknown profile format {profile!r}: use one of {', '.join(_PROFILERS)}")
        self.resource_format = found[0]
        self.data_points = []

    def parse_profiles(self, id=""):
        """Fills data_points; `id` keeps of PySpark's records those of one pid."""
        self.data_points = self._records(id)

    def make_graph(self, id=""):
        """A trace of each metric, named by it, followed by `_id` if given."""
        records = self._records(id)
        if not self.data_points or id:
            self.data_points = records
        suffix = f"_{id}" if id else ""
        graphs = []
        for metric in self._metrics(records):
            points = [record for record in records if metric in record]
            graphs.append(
                scatter(
                    x=[point[_TIME] for point in points], y=[point[metric] for point in points], mode="lines+markers", name=metric + suffix
                )
            )
        return graphs

    def get_metrics(self, names=(), id=""):
        """The traces with a name that contains one of `names`."""
        return [graph for graph in self.make_graph(id) if any(name in graph.name for name in _names(names))]

    def ignore_metrics(self, names=(), id=""):
        """The traces with a name that contains none of `names`."""
        return [graph for graph in self.make_graph(id) if not any(name in graph.name for name in _names(names))]

    def get_available_metrics(self, id=""):
        return [_TIME, *self._metrics(self._records(id))]

    def get_maxima(self, id=""):
        """The largest value of each metric."""
        records = self._records(id)
        return {name: max(record[name] for record in records if name in record) for name in self._metrics(records)}

    @staticmethod
    def get_max_y(data_points):
        return get_max_y(data_points)

    def _load(self):
        if self._series is None:
            try:
                self._series = run_json("show", "metrics", self.filename, "--where", "standard = true", "--columns", _COLUMNS)
            except NothingFound:
                self._series = []
        return self._series

    def _records(self, id=""):
        if not self.resource_format:
            self.deduce_profiler()
        of_process = defaultdict(dict)  # by process: (time, how often it was there before) -> record
        for series in self._load():
            if series["profiler"] != self.resource_format:
                continue
            if id and self.resource_format == "PySparkPhilProfiler" and series["processId"] != str(id):
                continue
            records = of_process[series["processId"]]
            divisor = _NORMAL.get(series["unit"], 1) if self.normalize else 1
            seen = defaultdict(int)
            for time, value in zip(series["times"], series["values"]):
                record = records.setdefault((time, seen[time]), {_TIME: time})
                record[series["name"]] = value if divisor == 1 else value / divisor
                seen[time] += 1
        everything = [record for records in of_process.values() for record in records.values()]
        return sorted(everything, key=lambda record: record[_TIME])

    @staticmethod
    def _metrics(records):
        names = dict.fromkeys(name for record in records for name in record if name != _TIME)
        known = [name for name in _ORDER if name in names]
        return known + [name for name in names if name not in _ORDER]
