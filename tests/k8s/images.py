# SPDX-License-Identifier: Apache-2.0
"""Images of the tests, and the options of spark-submit for them.

Spark's image has an entry point and a shell; its pods mount /usr, Python, PySpark and this repository of this machine.
"""

import os
import pathlib
import re
import shutil

from container_image import write_image
from kubernetes_cluster import ADDRESS, NAMESPACE, PAUSE_IMAGE, TOKEN
from spark_jobs import conf_options
from support import PLUGIN_JAR, REPOSITORY, SPARKPROF, execute

SPARK_IMAGE = "localhost/spark:1"
SPARKPROF_IMAGE = "localhost/sparkprof:1"
SPARK_USER = 185  # as in Spark's own images
SOURCES = pathlib.Path(__file__).resolve().parent / "image"
JAVA_HOME = pathlib.Path(os.path.realpath("/usr/bin/java")).parents[1]


def libraries_of(program):
    return re.findall(r"(/\S+) \(0x", execute("ldd", program).stdout)


def base_files():
    """Files that the images have in common: accounts, a shell with a few tools, and the libraries of sparkprof and DuckDB."""
    tools = [shutil.which(name) for name in ("sh", "cat", "chmod", "cp", "mkdir", "rm", "sleep")]
    files = {*tools, *libraries_of(SPARKPROF), *libraries_of(REPOSITORY / "lib" / "libduckdb.so")}.union(*map(libraries_of, tools))
    accounts = f"root:x:0:0:root:/root:/bin/sh\nspark:x:{SPARK_USER}:0:spark:/tmp:/bin/sh\nsparkprof:x:10001:10001::/tmp:/bin/sh\n"
    return {
        # /bin and /lib are links into /usr.
        **{f"usr/{file.removeprefix('/usr')[1:]}": (pathlib.Path(file).read_bytes(), 0o755) for file in files},
        "etc/passwd": (accounts.encode(), 0o644),
        "etc/group": (b"root:x:0:\nsparkprof:x:10001:\n", 0o644),
        "etc/nsswitch.conf": (b"hosts: files dns\n", 0o644),
    }


def import_image(cluster, name, files, config):
    folders = ("usr", "etc", "tmp", "proc", "sys", "dev", "opt", "root", "run", "var", "var/tmp", "home")
    links = [(link, f"usr/{link}") for link in ("bin", "sbin", "lib", "lib64")]
    archive = cluster.folder / "image.tar"
    write_image(archive, name, files, folders, links, config)
    cluster.import_image(archive)
    archive.unlink()


def import_pause_image(cluster):
    pause = cluster.folder / "pause"
    execute("gcc", "-static", "-O2", "-o", pause, SOURCES / "pause.c")
    import_image(cluster, PAUSE_IMAGE, {"pause": (pause.read_bytes(), 0o755)}, {"Entrypoint": ["/pause"]})


def import_spark_image(cluster):
    files = {**base_files(), "opt/entrypoint.sh": ((SOURCES / "entrypoint.sh").read_bytes(), 0o755)}
    # Debian's JDK has its configuration here.
    for folder in (f"/etc/{JAVA_HOME.name.rsplit('-', 1)[0]}", "/etc/ssl/certs/java"):
        for path in pathlib.Path(folder).rglob("*"):
            if path.is_file():
                files[str(path)[1:]] = (path.read_bytes(), 0o644)
    environment = [f"JAVA_HOME={JAVA_HOME}", f"PATH={JAVA_HOME}/bin:/usr/local/bin:/usr/bin:/usr/sbin:/bin", "LANG=C.UTF-8"]
    config = {"Entrypoint": ["/opt/entrypoint.sh"], "Env": environment, "WorkingDir": "/tmp", "User": str(SPARK_USER)}
    import_image(cluster, SPARK_IMAGE, files, config)


def import_sparkprof_image(cluster):
    """The image that deploy/image/Dockerfile makes."""
    files = base_files()
    for name in ("bin/sparkprof", "lib/sparkprof-spark.jar", "lib/libduckdb.so"):
        files[f"opt/sparkprof/{name}"] = ((REPOSITORY / name).read_bytes(), 0o755)
    environment = ["PATH=/opt/sparkprof/bin:/usr/bin:/bin"]
    import_image(cluster, SPARKPROF_IMAGE, files, {"Entrypoint": ["sparkprof"], "Env": environment, "User": "10001:10001"})


def create_spark_account(cluster):
    cluster.kubectl("create", "serviceaccount", "spark")
    cluster.kubectl("create", "rolebinding", "spark", "--clusterrole=edit", f"--serviceaccount={NAMESPACE}:spark")


def host_folders(spark, data):
    """(folder, read-only) of this machine, which pods have by the same path."""
    python = pathlib.Path(os.path.realpath(spark.python)).parents[1]
    folders = [(pathlib.Path("/usr"), True), (spark.venv, True), (REPOSITORY, True), (data, False)]
    return folders if python.is_relative_to("/usr") else [*folders, (python, True)]


def submit_options(cluster, spark, data, **settings):
    """Options of spark-submit for both deploy modes; `settings` by their keys."""
    values = {
        "spark.kubernetes.namespace": NAMESPACE,
        "spark.kubernetes.container.image": SPARK_IMAGE,
        "spark.kubernetes.container.image.pullPolicy": "Never",
        "spark.kubernetes.authenticate.driver.serviceAccountName": "spark",
        "spark.kubernetes.authenticate.submission.oauthToken": TOKEN,
        "spark.kubernetes.authenticate.submission.caCertFile": cluster.authority,
        "spark.kubernetes.authenticate.oauthToken": TOKEN,
        "spark.kubernetes.authenticate.caCertFile": cluster.authority,
        "spark.kubernetes.driver.request.cores": "100m",
        "spark.kubernetes.executor.request.cores": "100m",
        "spark.executor.instances": "2",
        "spark.executor.memory": "512m",
        "spark.driver.memory": "512m",
        "spark.kubernetes.memoryOverheadFactor": "0.4",
        "spark.kubernetes.driverEnv.SPARK_HOME": spark.home,
        "spark.executorEnv.SPARK_HOME": spark.home,
        "spark.kubernetes.driverEnv.PYSPARK_PYTHON": spark.python,
        "spark.executorEnv.PYSPARK_PYTHON": spark.python,
        **settings,
    }
    for number, (folder, read_only) in enumerate(host_folders(spark, data)):
        for role in ("driver", "executor"):
            volume = f"spark.kubernetes.{role}.volumes.hostPath.host{number}"
            values[f"{volume}.options.path"] = folder
            values[f"{volume}.mount.path"] = folder
            values[f"{volume}.mount.readOnly"] = str(read_only).lower()
    return ["--name", "job", *conf_options(values)]


# By mode. In "upload", spark-submit uploads the job and the plugin's jar, which the images of the others have.
MODES = {
    "client": ["--conf", f"spark.driver.host={ADDRESS}", "--conf", f"spark.driver.bindAddress={ADDRESS}"],
    "cluster": ["--deploy-mode", "cluster", "--jars", f"local://{PLUGIN_JAR}"],
    "upload": ["--deploy-mode", "cluster"],
}
