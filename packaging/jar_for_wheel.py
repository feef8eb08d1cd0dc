#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""jar_for_wheel.py JAR TAG OUT: the plugin's jar without the programs for another C library than that of the wheel with this tag.

They would make the wheel larger for machines that nearly nobody mixes in a cluster.
"""

import sys
import zipfile


def main():
    source, tag, target = sys.argv[1:]
    keeps_musl = tag.startswith("musllinux")
    with zipfile.ZipFile(source) as jar, zipfile.ZipFile(target, "w") as out:
        for entry in jar.infolist():
            folder = entry.filename.split("/")[1] if entry.filename.startswith("native/linux-") else None
            if folder is None or folder.endswith("-musl") == keeps_musl:
                out.writestr(entry, jar.read(entry), compresslevel=9)


if __name__ == "__main__":
    main()
