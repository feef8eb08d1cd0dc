# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import re
from collections import deque

from ._spark_log_parser import SparkLogParser

_CONTAINER = re.compile(r".*container_(?:e\d+_)?\d+_\d+_\d+_0*(\d+)")
_DRIVER_SAYS = r"Submitted application: |Got job \d+ "


class AppParser:
    """The logs of an application's containers: a folder as YARN and EMR leave them (container_…/stderr.gz beside
    container_…/stdout.gz), or any other with such files in it. `suffix` is how the logs' names begin; profiler records
    are taken from the stdout beside each, if there is one."""

    def __init__(self, logs_path, suffix="stderr"):
        self.logs_path = os.fspath(logs_path).rstrip("/")
        self.parsers = [_parser_of(log, position) for position, log in enumerate(_find_logs(self.logs_path, suffix), 1)]
        if not self.parsers:
            raise ValueError(f"{logs_path}: no files with names that start with '{suffix}'")
        applications = {_application_of(parser.logfile) for parser in self.parsers} - {""}
        if len(applications) > 1:
            raise ValueError(f"{logs_path}: logs of {len(applications)} applications; select one of {', '.join(sorted(applications))}")
        self.master_logparser = None
        self.identify_master_log()

    def identify_master_log(self):
        """The driver's log is recognized by its messages."""
        for parser in self.parsers:
            if parser.says(_DRIVER_SAYS):
                self.master_logparser = parser
                return
        raise ValueError(f"{self.logs_path}: no driver log among {len(self.parsers)} logs")

    def get_master_logfile(self):
        return self.master_logparser.logfile

    def get_master_logparser(self):
        return self.master_logparser

    def get_executor_logparsers(self):
        return [parser for parser in self.parsers if parser is not self.master_logparser]

    def extract_errors(self):
        """Warnings and errors of all containers, the same ones once, newest first: a deque of (file, [lines])."""
        errors = [
            (time, fingerprint, parser.logfile, lines) for parser in self.parsers for time, fingerprint, lines in parser._timed_errors()
        ]
        errors.sort(key=lambda error: error[0], reverse=True)
        newest = {}
        for _, fingerprint, file, lines in errors:
            newest.setdefault(fingerprint, (file, lines))
        return deque(newest.values())

    def get_maxima(self):
        """The largest value of each metric over all containers that have profiler records."""
        maxima = {}
        for parser in self.parsers:
            try:
                of_container = parser.get_maxima()
            except ValueError:  # no profiler records
                continue
            for name, value in of_container.items():
                maxima[name] = max(value, maxima.get(name, value))
        return maxima

    def graph_tasks(self, maximum):
        return self.master_logparser.graph_tasks(maximum)

    def extract_stage_markers(self):
        return self.master_logparser.extract_stage_markers()

    def extract_job_markers(self, max=10):
        return self.master_logparser.extract_job_markers(max)

    def get_job_intervals(self):
        return self.master_logparser.get_job_intervals()

    def get_active_tasks_plot(self):
        return self.master_logparser.get_active_tasks_plot()


def _find_logs(path, suffix):
    return sorted(str(log) for log in pathlib.Path(path).rglob(suffix + "*") if log.is_file())


def _parser_of(log, position):
    container = _CONTAINER.match(log)
    folder = pathlib.Path(log).parent
    output = sorted(str(file) for file in folder.glob("stdout*") if file.is_file() and str(file) != log)
    return SparkLogParser(log, output[0] if output else "", container.group(1) if container else str(position))


def _application_of(log):
    found = re.search(r"application_\d+_\d+", log)
    return found.group(0) if found else ""
