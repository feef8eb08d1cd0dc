# SPDX-License-Identifier: Apache-2.0
"""Two builds of an image have the same bytes: packaging/image/pack.py leaves out what buildah makes up."""

import hashlib
import io
import json
import sys
import tarfile

from run_case import REPOSITORY
from support import TestCase, execute

PACK = REPOSITORY / "packaging" / "image" / "pack.py"
LAYER = b"a layer"


def write_archive(path, container):
    """Writes an image as buildah does."""
    host = container[:12]
    configuration = {"created": "2026-01-01T00:00:00Z", "container": container, "container_config": {"Hostname": host}}
    configuration["config"] = {"Hostname": host, "User": "10001:10001", "Healthcheck": {"Test": ["CMD", "true"]}}
    configuration = json.dumps(configuration).encode()
    files = {f"{hashlib.sha256(LAYER).hexdigest()}.tar": LAYER, f"{hashlib.sha256(configuration).hexdigest()}.json": configuration}
    layer, name = files
    manifest = {"Config": name, "RepoTags": ["localhost/i:1", "docker.io/library/i:1"], "Layers": [layer]}
    files["manifest.json"] = json.dumps([manifest]).encode()
    files[f"{container}/json"] = b"{}"
    with tarfile.open(path, "w") as archive:
        for file, data in files.items():
            entry = tarfile.TarInfo(file)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


class ImageTest(TestCase):
    def packed(self, container):
        archive = self.folder / "image.tar"
        write_archive(archive, container)
        return execute(sys.executable, PACK, archive, "docker.io/library/i:1", text=False).stdout

    def test_builds_have_the_same_bytes(self):
        self.assertEqual(self.packed("a1" * 32), self.packed("b2" * 32))

    def test_layers_user_and_health_check_stay(self):
        with tarfile.open(fileobj=io.BytesIO(self.packed("a1" * 32))) as image:
            (manifest,) = json.load(image.extractfile("manifest.json"))
            self.assertEqual(manifest["RepoTags"], ["docker.io/library/i:1"])
            self.assertEqual(image.extractfile(manifest["Layers"][0]).read(), LAYER)
            configuration = image.extractfile(manifest["Config"]).read()
            self.assertEqual(manifest["Config"], f"{hashlib.sha256(configuration).hexdigest()}.json")
            self.assertEqual(json.loads(configuration)["config"], {"User": "10001:10001", "Healthcheck": {"Test": ["CMD", "true"]}})
