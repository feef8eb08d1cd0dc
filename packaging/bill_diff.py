#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bill_diff.py OLD NEW: what changed between two bills of materials in CycloneDX, such as those of two versions of sparkprof.

Prints a line for each component: "+" is new, "-" is gone, "~" has another version, license or content. Exits 1 if there is one."""

import json
import pathlib
import sys


def components(path):
    """{name: (version, license, digest)}"""
    bill = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    if bill.get("bomFormat") != "CycloneDX":
        raise SystemExit(f"bill_diff: {path}: not CycloneDX; use the file that ends with .cdx.json")
    found = {}
    for component in bill["components"]:
        licenses = [one.get("expression") or one["license"].get("id", "") for one in component.get("licenses", [])]
        digests = [f"{one['alg']} {one['content']}" for one in component.get("hashes", [])]
        found[component["name"]] = (component.get("version", ""), " ".join(licenses), " ".join(digests))
    return found


def changes(old, new):
    for name in sorted(set(old) | set(new)):
        if name not in old:
            yield f"+ {name} {new[name][0]} ({new[name][1]})"
        elif name not in new:
            yield f"- {name} {old[name][0]}"
        elif old[name] != new[name]:
            (version, license_name, _), (new_version, new_license, _) = old[name], new[name]
            texts = [version if version == new_version else f"{version} → {new_version}"]
            if license_name != new_license:
                texts.append(f"license {license_name} → {new_license}")
            if version == new_version and license_name == new_license:
                texts.append("other content")
            yield f"~ {name} {', '.join(texts)}"


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    lines = list(changes(components(sys.argv[1]), components(sys.argv[2])))
    print("\n".join(lines) if lines else "no component changed")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
