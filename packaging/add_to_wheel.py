#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""add_to_wheel.py WHEEL NAME FILE…: adds the files to the wheel, in NAME/ of its .dist-info folder, as PEP 770 has it.

All entries get the time SOURCE_DATE_EPOCH and modes for everybody, in the order of their names.
"""

import base64
import hashlib
import os
import pathlib
import sys
import time
import zipfile


def mode_of(entry):
    return 0o100755 if entry.external_attr >> 16 & 0o100 else 0o100644


def main():
    wheel, folder, files = pathlib.Path(sys.argv[1]), sys.argv[2], [pathlib.Path(name) for name in sys.argv[3:]]
    with zipfile.ZipFile(wheel) as archive:
        # The builder's umask does not count.
        entries = {entry.filename: (archive.read(entry), mode_of(entry) << 16) for entry in archive.infolist()}
    record = next(name for name in entries if name.endswith(".dist-info/RECORD"))
    lines = entries.pop(record)[0].decode().splitlines()
    for file in files:
        data = file.read_bytes()
        name = f"{record.rpartition('/')[0]}/{folder}/{file.name}"
        entries[name] = (data, 0o100644 << 16)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.insert(-1, f"{name},sha256={digest},{len(data)}")
    entries = dict(sorted(entries.items()))
    entries[record] = (("\n".join(lines) + "\n").encode(), 0o100644 << 16)

    moment = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (data, attributes) in entries.items():
            entry = zipfile.ZipInfo(name, moment)
            entry.external_attr = attributes
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            archive.writestr(entry, data)


if __name__ == "__main__":
    main()
