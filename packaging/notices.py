#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the copyright and license texts of everything that a package contains besides sparkprof itself.

notices.py PACKAGE CACHE: PACKAGE is a key of bill_of_materials.PARTS, CACHE the folder with what scripts/dist fetched.
"""

import pathlib
import sys
import zipfile

from bill_of_materials import PARTS, ROOT, lines_of, pin_of


def license_texts(pin, version, cache):
    kind, _, rest = pin.partition(":")
    if kind == "debian-sources":
        return [(cache / "portable-sources" / rest / "debian" / "copyright").read_text()]
    if kind == "debian-headers":
        text = (cache / "portable-sources" / "headers" / "usr" / "share" / "doc" / rest / "copyright").read_text()
        # Boost's is 50,000 lines about its many libraries; Beast and Asio have this license.
        return [text[text.rindex("\nLicense: BSL-1.0\n") :].split("\n\n")[0]] if rest.startswith("libboost") else [text]
    if kind == "debian-image":
        # libgcc-s1 and libstdc++6 share the text of GCC's base package.
        name = "libc6" if rest == "libc6" else "gcc-12-base"
        return [(cache / "image-libraries" / "usr" / "share" / "doc" / name / "copyright").read_text()]
    if kind == "npm":
        lock, _, name = rest.partition(":")
        folder = ROOT / "web" if lock == "web" else cache / "duckdb"
        return [(folder / "node_modules" / name / "LICENSE").read_text()]
    if kind == "python":
        (zig,) = cache.glob("zig/lib/python3*/site-packages/ziglang")
        folder = rest.partition("#")[2]
        if folder:
            return [(zig / folder / "COPYRIGHT").read_text()]
        return [(zig / "lib" / name / "LICENSE.TXT").read_text() for name in ("libcxx", "libunwind")]
    if kind == "maven":
        group, artifact = rest.split(":")
        jar = cache / "maven" / group.replace(".", "/") / artifact / version / f"{artifact}-{version}.jar"
        with zipfile.ZipFile(jar) as archive:
            found = [archive.read(name).decode() for name in sorted(archive.namelist()) if name.startswith("META-INF/LICENSE")]
        # async-profiler's jar has no license text; it has the license of sparkprof.
        return found or [(ROOT / "LICENSE").read_text()]
    raise SystemExit(f"notices: {pin}: unknown kind of pin")


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in PARTS:
        raise SystemExit(__doc__)
    package, cache = sys.argv[1], pathlib.Path(sys.argv[2])
    print("This package contains the following software of others. sparkprof itself is licensed under the Apache License 2.0.")
    printed = set()
    for line in lines_of(ROOT / "packaging" / "components.tsv"):
        name, parts, license_name, pin, holder = line.split("\t")
        if not PARTS[package] & set(parts.split(",")):
            continue
        version = pin_of(pin)[0]
        print(f"\n{'=' * 100}\n{name} {version}\nCopyright {holder}\nLicense: {license_name}\n{'=' * 100}\n")
        texts = [text.strip() for text in license_texts(pin, version, cache)]
        if not texts:
            raise SystemExit(f"notices: {name}: no license text found")
        for text in texts:
            print(text if text not in printed else "(the text stands above)")
            printed.add(text)


if __name__ == "__main__":
    main()
