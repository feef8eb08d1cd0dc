# SPDX-License-Identifier: Apache-2.0
"""Container images of a few files, as an archive that containerd imports: no registry and no build tool."""

import hashlib
import io
import json
import os
import tarfile


def write_image(path, name, files, folders=(), links=(), config=None):
    """Writes the archive `path` of image `name` with one layer: {path: (bytes, mode)}, folders, and (path, target) of links."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as tar:
        for folder in folders:
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o1777 if folder == "tmp" else 0o755
            tar.addfile(entry)
        for link, target in links:
            entry = tarfile.TarInfo(link)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            tar.addfile(entry)
        for file, (content, mode) in files.items():
            entry = tarfile.TarInfo(file)
            entry.size, entry.mode = len(content), mode
            tar.addfile(entry, io.BytesIO(content))
    digest = hashlib.sha256(layer.getvalue()).hexdigest()
    document = {
        "architecture": {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine],
        "os": "linux",
        "config": config or {},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
        "history": [{"created_by": "tests/k8s"}],
    }
    manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]
    with tarfile.open(path, "w") as archive:
        for member, content in (
            ("config.json", json.dumps(document).encode()),
            ("layer.tar", layer.getvalue()),
            ("manifest.json", json.dumps(manifest).encode()),
        ):
            entry = tarfile.TarInfo(member)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
