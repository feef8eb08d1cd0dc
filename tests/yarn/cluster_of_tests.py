# SPDX-License-Identifier: Apache-2.0
"""The cluster that all tests share: YARN with two NodeManagers on hosts of their own. It ends with the namespaces of tests/clusters/run."""

import functools
import pathlib
import tempfile

from hadoop_cluster import HadoopCluster, Node, jars
from network import THIS_HOST, command_on, create_hosts
from spark_jobs import Spark
from support import execute

VERSION = "4.1.1"
SHUFFLE_SERVICE = pathlib.Path(__file__).resolve().parent / "shuffle_service" / "SparkShuffle.java"
NODES = ("node1", "node2")
DISK_BYTES = 128 << 20  # per node
EXCLUDED = pathlib.Path("/run/excluded-nodes")
LOST_AFTER = 15  # seconds without a heartbeat
# A node has room for one executor and the application master. Old applications would fill its small disk.
SETTINGS = {
    "yarn.nodemanager.resource.memory-mb": "1792",
    "yarn.nodemanager.disk-health-checker.enable": "false",
    "yarn.nodemanager.localizer.cache.target-size-mb": "1",
    "yarn.resourcemanager.nodes.exclude-path": str(EXCLUDED),
    "yarn.nodemanager.aux-services": "spark_shuffle",
    "yarn.nodemanager.aux-services.spark_shuffle.class": "SparkShuffle",
    "yarn.nm.liveness-monitor.expiry-interval-ms": str(LOST_AFTER * 1000),
}


def shuffle_service(folder):
    """Where a NodeManager finds Spark's external shuffle service."""
    spark, hadoop = Spark(VERSION).home / "jars", jars()
    folder.mkdir()
    execute("javac", "--release", "17", "-cp", f"{spark}/*:{hadoop}/*", "-d", folder, SHUFFLE_SERVICE)
    return {"yarn.nodemanager.aux-services.spark_shuffle.classpath": f"{folder}/:{spark}/*"}


@functools.cache
def get():
    create_hosts(NODES)
    EXCLUDED.touch()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cluster-"))
    for name in NODES:
        disk = folder / name
        disk.mkdir()
        execute("mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", name, disk)
    settings = SETTINGS | shuffle_service(folder / "shuffle-service")
    return HadoopCluster(folder, THIS_HOST, [Node(name, command_on(name)) for name in NODES], settings)
