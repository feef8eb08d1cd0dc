# SPDX-License-Identifier: Apache-2.0
"""Checks of a release for a security review: signed provenance, bills of materials, licenses, pins, and a tree without programs."""

import json
import os
import re
import sys

from run_case import REPOSITORY
from support import CACHE, TestCase, execute

PACKAGING = REPOSITORY / "packaging"
REQUIREMENTS = REPOSITORY / "scripts" / "requirements"
sys.path.insert(0, str(PACKAGING))
from bill_of_materials import LOCKS, PARTS, lines_of  # noqa: E402

# Licenses that a package may contain, as SPDX names them.
ALLOWED = {
    *("Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "MIT", "Zlib"),
    # The C library and the C++ library of images, which are separate files there.
    *("LGPL-2.1-or-later", "GPL-3.0-or-later WITH GCC-exception-3.1"),
}
KEYS = {"ed25519": ["-algorithm", "ed25519"], "ecdsa": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]}
EPOCH = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}


def shipped():
    """(name, license, pin) of each component."""
    for line in lines_of(PACKAGING / "components.tsv"):
        name, _, license_name, pin, _ = line.split("\t")
        yield name, license_name, pin


class ProvenanceTest(TestCase):
    def sign(self, kind="ed25519"):
        """A release of two files, its provenance signed by a new key; the files, the envelope and the public key."""
        files = [self.folder / "a.whl", self.folder / "b.tar.gz"]
        for file in files:
            file.write_text(file.name)
        key, public = self.folder / f"{kind}.pem", self.folder / f"{kind}.pub"
        execute("openssl", "genpkey", *KEYS[kind], "-out", key)
        execute("openssl", "pkey", "-in", key, "-pubout", "-out", public)
        statement, envelope = self.folder / "statement.json", self.folder / f"{kind}.json"
        statement.write_text(execute(sys.executable, PACKAGING / "provenance.py", "1.2.3", *files, env=EPOCH).stdout)
        envelope.write_text(execute(sys.executable, PACKAGING / "attestation.py", "sign", key, statement).stdout)
        return files, envelope, public

    def verify(self, public, envelope, *files, code=1):
        return execute(sys.executable, PACKAGING / "attestation.py", "verify", public, envelope, *files, code=code)

    def test_files_of_a_release_agree_with_its_signed_provenance(self):
        for kind in KEYS:
            with self.subTest(kind):
                files, envelope, public = self.sign(kind)
                self.assertIn("2 files agree", self.verify(public, envelope, *files, code=0).stdout)

    def test_another_key_file_content_or_statement_is_refused(self):
        files, envelope, public = self.sign()
        _, _, other = self.sign("ecdsa")
        self.assertIn("not signed by", self.verify(other, envelope, *files).stderr)
        unknown = self.folder / "c.deb"
        unknown.write_text("c")
        self.assertIn("c.deb is not in", self.verify(public, envelope, unknown).stderr)
        files[0].write_text("changed")
        self.assertIn("a.whl has another content", self.verify(public, envelope, *files).stderr)
        content = json.loads(envelope.read_text())
        content["payload"] = content["payload"][:-8] + content["payload"][:4] + content["payload"][-4:]
        envelope.write_text(json.dumps(content))
        self.assertRegex(self.verify(public, envelope, files[1]).stderr, "not signed by|not a signed statement")
        envelope.write_text("{}")
        self.assertIn("not a signed statement", self.verify(public, envelope, files[1]).stderr)


class BillTest(TestCase):
    def bill(self, name, change=lambda bill: None):
        folder = self.folder / name
        execute(sys.executable, PACKAGING / "bill_of_materials.py", "sparkprof", "1.0.0", folder, env=EPOCH)
        path = folder / "sparkprof.cdx.json"
        bill = json.loads(path.read_text())
        change(bill["components"])
        path.write_text(json.dumps(bill))
        return path

    def diff(self, old, new, code):
        return execute(sys.executable, PACKAGING / "bill_diff.py", old, new, code=code).stdout

    def test_the_difference_of_two_bills_names_what_came_went_and_changed(self):
        def change(components):
            by_name = {component["name"]: component for component in components}
            components.remove(by_name["snappy"])
            by_name["zstd"]["version"] = "1.5.9"
            by_name["lz4"]["licenses"] = [{"license": {"id": "GPL-2.0-only"}}]
            by_name["fmt"]["hashes"][0]["content"] = "0" * 64
            components.append({"name": "new", "version": "1", "licenses": [{"expression": "MIT OR Apache-2.0"}]})

        old = self.bill("old")
        lines = self.diff(old, self.bill("new", change), 1).splitlines()
        self.assertEqual([line[:6] for line in lines], ["~ fmt ", "~ lz4 ", "+ new ", "- snap", "~ zstd"])
        self.assertIn("other content", lines[0])
        self.assertIn("license BSD-2-Clause → GPL-2.0-only", lines[1])
        self.assertEqual(lines[2], "+ new 1 (MIT OR Apache-2.0)")
        self.assertTrue(lines[4].endswith("→ 1.5.9"))
        self.assertEqual(self.diff(old, old, 0), "no component changed\n")


class LicensesTest(TestCase):
    def test_everything_that_packages_contain_is_a_component(self):
        pins = {pin.partition("#")[0] for _, _, pin in shipped()}
        for kind in ("debian-sources", "debian-headers", "debian-image"):
            for line in lines_of(REQUIREMENTS / f"{kind}.txt"):
                name = line.split()[0]
                # It has only the license of the libraries beside it.
                if name != "gcc-12-base":
                    with self.subTest(name):
                        self.assertIn(f"{kind}:{name}", pins)
        for lock, path in LOCKS.items():
            packages = json.loads(path.read_text())["packages"]
            for name, package in packages.items():
                if name and not package.get("dev") and not package.get("optional"):
                    with self.subTest(name):
                        name = name.removeprefix("node_modules/")
                        self.assertTrue(
                            any(f"{lock}:{part}" in pin for pin in pins for part in (name, name.replace("node-api", "node-bindings")))
                        )

    def test_components_have_known_licenses(self):
        for name, license_name, _ in shipped():
            with self.subTest(name):
                self.assertIn(license_name, ALLOWED)

    def test_the_notices_have_a_text_for_each_component(self):
        if not (CACHE / "portable-sources" / ".requirements").exists():
            self.skipTest("the sources of the libraries are not there: run make dist")
        for package in set(PARTS) - {"sparkprof-monitor-image", "sparkprof-collector-image"}:
            with self.subTest(package):
                done = execute(sys.executable, PACKAGING / "notices.py", package, CACHE)
                parts = [lines.split("\t") for lines in lines_of(PACKAGING / "components.tsv")]
                names = [part[0] for part in parts if PARTS[package] & set(part[1].split(","))]
                self.assertEqual(re.findall(r"=\n(\S.*) \S+\nCopyright ", done.stdout), names)


class TreeTest(TestCase):
    """The checks of OSSF Scorecard that need no account."""

    def test_every_requirement_is_pinned_by_hash(self):
        for path in REQUIREMENTS.glob("*.txt"):
            for line in lines_of(path):
                with self.subTest(path=path.name, line=line[:60]):
                    self.assertRegex(line, r"(sha256:)?[0-9a-f]{64}\b")

    def test_the_tree_has_no_programs(self):
        for name in execute("git", "ls-files", "-z", cwd=REPOSITORY).stdout.split("\0"):
            path = REPOSITORY / name
            if name and path.is_file() and not name.startswith("fuzz/seeds/"):
                with path.open("rb") as file:
                    start = file.read(4)
                with self.subTest(name):
                    self.assertFalse(start in (b"\x7fELF", b"\xca\xfe\xba\xbe") or start[:2] == b"MZ")
