# SPDX-License-Identifier: Apache-2.0
"""`report-data PAGE` prints the JSON inside a report; `report-data --values PAGE` has the values of its columns in place of
their positions (docs/report-data.md)."""

import json
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from support import report_bytes, report_data  # noqa: E402

FORMATS = {"u8": "B", "u16": "H", "u32": "I", "i32": "i", "f64": "d"}


def with_values(value, area):
    if isinstance(value, list):
        return [with_values(item, area) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"column", "offset", "count"}:
        numbers = struct.unpack_from(f"<{value['count']}{FORMATS[value['column']]}", area, value["offset"])
        return [int(number) if number == int(number) else number for number in numbers]
    return {key: with_values(item, area) for key, item in value.items()}


def main(arguments):
    data = report_data(arguments[-1])
    if arguments[0] == "--values":
        content = report_bytes(arguments[-1])
        json_size = int.from_bytes(content[8:12], "little")
        data = with_values(data, content[(12 + json_size + 7) // 8 * 8 :])
    print(json.dumps(data))


main(sys.argv[1:])
