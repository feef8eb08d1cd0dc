# SPDX-License-Identifier: Apache-2.0
"""`report-data PAGE` prints the JSON inside a report."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from support import report_data  # noqa: E402

print(json.dumps(report_data(sys.argv[1])))
