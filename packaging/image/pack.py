#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pack.py ARCHIVE NAME: prints the image of an archive in Docker's format as one without what differs from build to build.

buildah writes the random identifier of its container and a host name made of it into the image's configuration. NAME is the image's
name with its tag. The files of Docker before 1.10 are left out.
"""

import hashlib
import io
import json
import sys
import tarfile

RANDOM = ("container", "container_config", "Hostname")


def without_random_values(configuration):
    kept = {key: value for key, value in configuration.items() if key not in RANDOM}
    kept["config"] = {key: value for key, value in kept["config"].items() if key not in RANDOM}
    return kept


def main():
    with tarfile.open(sys.argv[1]) as archive, tarfile.open(fileobj=sys.stdout.buffer, mode="w|", format=tarfile.USTAR_FORMAT) as out:

        def add(name, stream, size):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = size, 0o644
            out.addfile(entry, stream)

        (manifest,) = json.load(archive.extractfile("manifest.json"))
        for layer in manifest["Layers"]:
            add(layer, archive.extractfile(layer), archive.getmember(layer).size)
        configuration = json.dumps(without_random_values(json.load(archive.extractfile(manifest["Config"])))).encode()
        name = f"{hashlib.sha256(configuration).hexdigest()}.json"
        add(name, io.BytesIO(configuration), len(configuration))
        text = json.dumps([{"Config": name, "RepoTags": [sys.argv[2]], "Layers": manifest["Layers"]}]).encode()
        add("manifest.json", io.BytesIO(text), len(text))


if __name__ == "__main__":
    main()
