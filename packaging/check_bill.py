#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_bill.py FILE…: checks bills of materials against the rules of SPDX 2.3 and the schema of CycloneDX 1.6."""

import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

failed = False
for name in sys.argv[1:]:
    if name.endswith(".spdx.json"):
        problems = [message.validation_message for message in validate_full_spdx_document(parse_file(name))]
    else:
        with open(name, encoding="utf-8") as file:
            problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(file.read())
        problems = [str(problem)] if problem else []
    for problem in problems:
        print(f"{name}: {problem}", file=sys.stderr)
    failed |= bool(problems)
sys.exit(failed)
