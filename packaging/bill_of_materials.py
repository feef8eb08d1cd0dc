#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists what a package contains, as SPDX 2.3 and CycloneDX 1.6.

bill_of_materials.py PACKAGE VERSION FOLDER writes FOLDER/sparkprof.spdx.json and FOLDER/sparkprof.cdx.json. PACKAGE is a key of
PARTS. Versions and hashes come from the lock files that the build checks, so the lists hold for every build of a commit. The time
is SOURCE_DATE_EPOCH.
"""

import base64
import datetime
import json
import os
import pathlib
import re
import sys
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "scripts" / "requirements"
LOCKS = {"web": ROOT / "web" / "package-lock.json", "duckdb": REQUIREMENTS / "duckdb" / "package-lock.json"}
LICENSE = "Apache-2.0"

# The parts of components.tsv in each package.
PARTS = {
    "sparkprof": {"command", "agent", "jar", "page"},
    "sparkprof-collector": {"catalogue"},
    "sparkprof-monitor-image": {"command", "agent", "jar", "page", "image"},
    "sparkprof-collector-image": {"command", "page", "image", "catalogue"},
    "sparkprof-spark": {"agent", "jar"},
}


def lines_of(path):
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def pin_of(pin):
    """The version, package URL and hash (algorithm, hexadecimal) that a lock file has for a pin of components.tsv."""
    kind, _, rest = pin.partition(":")
    if kind in ("debian-sources", "debian-headers", "debian-image"):
        for line in lines_of(REQUIREMENTS / f"{kind}.txt"):
            name, version, digest = line.split()
            if name == rest:
                architecture = "source" if kind == "debian-sources" else "amd64"
                return version, f"pkg:deb/debian/{name}@{quoted(version)}?arch={architecture}", ("SHA-256", digest)
    elif kind == "npm":
        lock, _, name = rest.partition(":")
        package = json.loads(LOCKS[lock].read_text())["packages"][f"node_modules/{name}"]
        algorithm, _, digest = package["integrity"].partition("-")
        hexadecimal = base64.b64decode(digest).hex()
        return package["version"], f"pkg:npm/{quoted(name)}@{package['version']}", (f"SHA-{algorithm[3:]}", hexadecimal)
    elif kind == "python":
        requirements, _, name = rest.partition(":")
        name, folder, part = name.partition("#")
        for line in lines_of(REQUIREMENTS / f"{requirements}.txt"):
            found = re.match(rf"{re.escape(name)}==(\S+) --hash=sha256:(\w+)", line)
            if found:
                return found[1], f"pkg:pypi/{name}@{found[1]}{folder}{part}", ("SHA-256", found[2])
    elif kind == "maven":
        for line in lines_of(REQUIREMENTS / "maven.txt"):
            digest, path = line.split()
            group, artifact = rest.split(":")
            found = re.match(rf"{re.escape(group.replace('.', '/'))}/{re.escape(artifact)}/([^/]+)/[^/]+\.jar$", path)
            if found:
                return found[1], f"pkg:maven/{group}/{artifact}@{found[1]}", ("SHA-256", digest)
    raise SystemExit(f"bill_of_materials: components.tsv: no lock file has {pin}")


def quoted(text):
    return re.sub(r"[^A-Za-z0-9._/-]", lambda match: f"%{ord(match[0]):02X}", text)


def components(package):
    found = []
    for line in lines_of(ROOT / "packaging" / "components.tsv"):
        name, parts, license_name, pin, copyright_holder = line.split("\t")
        if PARTS[package] & set(parts.split(",")):
            version, url, digest = pin_of(pin)
            found.append((name, version, license_name, url, digest, copyright_holder))
    return found


def time_text():
    return datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def spdx(package, version):
    def identifier(name):
        return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", name)

    def described(name, its_version, license_name, url, holder, digest=None):
        entry = {
            "SPDXID": identifier(name),
            "name": name,
            "versionInfo": its_version,
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False,
            "licenseConcluded": license_name,
            "licenseDeclared": license_name,
            "copyrightText": f"Copyright {holder}",
            "supplier": f"Organization: {holder}",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": url}],
        }
        if digest:
            entry["checksums"] = [{"algorithm": digest[0].replace("-", ""), "checksumValue": digest[1]}]
        return entry

    root = described(package, version, LICENSE, f"pkg:generic/{package}@{version}", "the sparkprof contributors")
    parts = [
        described(name, its, license_name, url, holder, digest) for name, its, license_name, url, digest, holder in components(package)
    ]
    described_by = {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": root["SPDXID"]}
    contains = [{"spdxElementId": root["SPDXID"], "relationshipType": "CONTAINS", "relatedSpdxElement": part["SPDXID"]} for part in parts]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{package}-{version}",
        "documentNamespace": f"urn:uuid:{identity(package, version)}",
        "creationInfo": {"created": time_text(), "creators": [f"Tool: sparkprof-release-{version}"]},
        "packages": [root, *parts],
        "relationships": [described_by, *contains],
    }


def cyclonedx(package, version):
    def license_of(name):
        return [{"license": {"id": name}}] if " " not in name else [{"expression": name}]

    root = f"pkg:generic/{package}@{version}"
    parts = components(package)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{identity(package, version)}",
        "version": 1,
        "metadata": {
            "timestamp": time_text(),
            "component": {
                "bom-ref": root,
                "type": "application",
                "name": package,
                "version": version,
                "purl": root,
                "licenses": license_of(LICENSE),
            },
        },
        "components": [
            {
                "bom-ref": url,
                "type": "library",
                "name": name,
                "version": its,
                "copyright": f"Copyright {holder}",
                "hashes": [{"alg": digest[0], "content": digest[1]}],
                "licenses": license_of(license_name),
                "purl": url,
            }
            for name, its, license_name, url, digest, holder in parts
        ],
        "dependencies": [{"ref": root, "dependsOn": [url for _, _, _, url, _, _ in parts]}],
    }


def identity(package, version):
    """The same for the same package, version and time."""
    return uuid.uuid5(uuid.NAMESPACE_OID, f"{package} {version} {os.environ['SOURCE_DATE_EPOCH']}")


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in PARTS:
        raise SystemExit(__doc__)
    package, version, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    for name, made in (("spdx", spdx(package, version)), ("cdx", cyclonedx(package, version))):
        (folder / f"sparkprof.{name}.json").write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
