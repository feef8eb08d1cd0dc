#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a Maven repository of the plugin, as Maven Central requires it: POM, jar, jars of the sources and of the documentation.

maven.py VERSION REPOSITORY FOLDER writes FOLDER/maven, which `spark-submit --repositories` reads, and FOLDER/sparkprof-VERSION-bundle.zip
for the upload. lib/ has the jar, REPOSITORY (a local Maven repository) what its sources compile against. Each file has its checksums
and, if SPARKPROF_SIGNING_KEY names a key of gpg, a signature. Entries of archives have the time SOURCE_DATE_EPOCH.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLUGIN = ROOT / "spark-plugin"
POM = """<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0"
         xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
         xsi:schemaLocation="http://maven.apache.org/POM/4.0.0 http://maven.apache.org/xsd/maven-4.0.0.xsd">
  <modelVersion>4.0.0</modelVersion>
  <groupId>{group}</groupId>
  <artifactId>{artifact}</artifactId>
  <version>{version}</version>
  <packaging>jar</packaging>
  <name>{name}</name>
  <description>{description}</description>
  <url>{url}</url>
  <licenses>
    <license>
      <name>Apache-2.0</name>
      <url>https://www.apache.org/licenses/LICENSE-2.0.txt</url>
      <distribution>repo</distribution>
    </license>
  </licenses>
  <developers>
    <developer>
      <name>sparkprof maintainers</name>
      <url>{url}</url>
    </developer>
  </developers>
  <scm>
    <connection>scm:git:{url}.git</connection>
    <developerConnection>scm:git:{url}.git</developerConnection>
    <url>{url}</url>
    <tag>v{version}</tag>
  </scm>
</project>
"""
URL = "https://github.com/sparkprof/sparkprof"


def pom_values():
    """The text of each element of the plugin's POM that the published one repeats."""
    space = {"m": "http://maven.apache.org/POM/4.0.0"}
    project = xml.etree.ElementTree.parse(PLUGIN / "pom.xml").getroot()
    return {name: project.find(f"m:{name}", space).text for name in ("groupId", "artifactId", "name", "description")}


def write_jar(path, entries):
    moment = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in sorted(entries.items()):
            entry = zipfile.ZipInfo(name, moment)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            archive.writestr(entry, data)


def files_below(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def documentation(repository):
    # Beside the plugin's dependencies these are Maven's own jars, which have other classes.
    jars = sorted(repository.rglob("*.jar"))
    sources = PLUGIN / "src" / "main" / "java"
    with tempfile.TemporaryDirectory() as made:
        command = ["javadoc", "-quiet", "-notimestamp", "-Xdoclint:none", "-encoding", "UTF-8", "--release", "8", "-d", made]
        command += ["-classpath", ":".join(map(str, jars)), *map(str, sorted(sources.rglob("*.java")))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"maven: javadoc failed:\n{done.stderr}")
        return files_below(pathlib.Path(made))


def sign(path):
    key = os.environ.get("SPARKPROF_SIGNING_KEY")
    if key:
        subprocess.run(["gpg", "--batch", "--yes", "--local-user", key, "--armor", "--detach-sign", str(path)], check=True)


def main():
    version, repository, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    values = pom_values()
    group, artifact = values["groupId"], values["artifactId"]
    place = pathlib.Path(*group.split("."), artifact, version)
    target = folder / "maven" / place
    shutil.rmtree(folder / "maven", ignore_errors=True)
    target.mkdir(parents=True)

    name = f"{artifact}-{version}"
    shutil.copyfile(ROOT / "lib" / "sparkprof-spark.jar", target / f"{name}.jar")
    (target / f"{name}.pom").write_text(
        POM.format(group=group, artifact=artifact, version=version, name=values["name"], description=values["description"], url=URL)
    )
    license_file = {"META-INF/LICENSE": (ROOT / "LICENSE").read_bytes()}
    sources = {**files_below(PLUGIN / "src" / "main" / "java"), **files_below(PLUGIN / "src" / "main" / "resources")}
    write_jar(target / f"{name}-sources.jar", {**sources, **license_file})
    write_jar(target / f"{name}-javadoc.jar", {**documentation(repository), **license_file})

    for path in sorted(target.iterdir()):
        sign(path)
    for path in sorted(target.iterdir()):
        for algorithm in ("md5", "sha1", "sha256", "sha512"):
            path.with_name(f"{path.name}.{algorithm}").write_text(hashlib.new(algorithm, path.read_bytes()).hexdigest())
    write_jar(folder / f"sparkprof-{version}-bundle.zip", {str(place / path.name): path.read_bytes() for path in sorted(target.iterdir())})


if __name__ == "__main__":
    main()
