# SPDX-License-Identifier: Apache-2.0
import gzip

from ._command import NothingFound, run

_GZIP_MAGIC = b"\x1f\x8b"


def open_stream(file):
    """The file as text; compressed with gzip or not is found from its content."""
    with open(file, "rb") as raw:
        compressed = raw.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    opener = gzip.open if compressed else open
    return opener(file, "rt", encoding="utf-8", errors="replace")


def is_empty(file):
    """Whether the file has no content, as containers' logs often do."""
    try:
        with open_stream(file) as stream:
            return not stream.read(1)
    except OSError:
        return False


class StackParser:
    """Prints recorded stacks as lines `root;…;leaf count`, which flamegraph.pl and others read."""

    open_stream = staticmethod(open_stream)

    @staticmethod
    def convert_file(file, id="", merge=True):
        """Stacks of a file with records of jvm-profiler, the PySpark profilers or both; `id` keeps of the PySpark records
        only those of one RDD. With `merge` equal stacks are added up, otherwise each record has its line."""
        StackParser.convert_files([file], id, merge)

    @staticmethod
    def convert_files(file_list, id="", merge=True):
        options = (["--rdd", str(id)] if id else []) + ([] if merge else ["--each"])
        try:
            print(run("convert", "--records", *options, "--", *file_list), end="")
        except NothingFound:
            pass
