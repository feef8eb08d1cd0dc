# SPDX-License-Identifier: Apache-2.0
"""A real HDFS and YARN on loopback: one daemon of each kind, from the jars of Hadoop's mini cluster (Maven)."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import unittest
import urllib.error
import urllib.request

from support import CACHE, DEADLINE, free_port, wait_until

VERSION = "3.4.2"
POM = pathlib.Path(__file__).resolve().parent / "hadoop" / "pom.xml"
# No disk of a test machine is too full for a test, and a container's memory limit is the test's own affair.
YARN_SITE = {
    "yarn.resourcemanager.scheduler.class": "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler",
    "yarn.scheduler.minimum-allocation-mb": "256",
    "yarn.nodemanager.resource.memory-mb": "6144",
    "yarn.nodemanager.resource.cpu-vcores": "8",
    "yarn.nodemanager.vmem-check-enabled": "false",
    "yarn.nodemanager.resource.memory.enforced": "false",
    "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "99.9",
    "yarn.nodemanager.env-whitelist": "JAVA_HOME,HADOOP_CONF_DIR",
    "yarn.application.classpath": "$HADOOP_CONF_DIR",
    "yarn.log-aggregation-enable": "true",
}
SCHEDULER = {
    "yarn.scheduler.capacity.root.queues": "default",
    "yarn.scheduler.capacity.root.default.capacity": "100",
    "yarn.scheduler.capacity.maximum-am-resource-percent": "0.5",
}


def jars():
    """The folder of Hadoop's jars, fetched once into the cache."""
    folder = CACHE / f"hadoop-{VERSION}"
    complete = folder / ".complete"
    if not complete.exists():
        try:
            subprocess.run(
                [
                    "mvn",
                    "-q",
                    "-B",
                    "-f",
                    str(POM),
                    "dependency:copy-dependencies",
                    "-DincludeScope=runtime",
                    f"-DoutputDirectory={folder}",
                ],
                check=True,
            )
        except (OSError, subprocess.CalledProcessError) as error:
            raise unittest.SkipTest(f"Hadoop's jars cannot be fetched: {error}") from error
        complete.touch()
    return folder


class HadoopCluster:
    """`conf` is the HADOOP_CONF_DIR for clients, `hdfs` the file system's address, `webhdfs` the same over HTTP; close() ends the daemons.

    HDFS listens on `host`.
    """

    def __init__(self, folder, host="localhost"):
        self.folder = pathlib.Path(folder)
        self.conf = self.folder / "conf"
        self.conf.mkdir(parents=True)
        self.classpath = f"{self.conf}:{jars()}/*"
        self.processes = []
        name_node, web, node_web, log_server, files = (free_port() for _ in range(5))
        self.hdfs = f"hdfs://{host}:{name_node}"
        self.web = f"http://localhost:{web}"
        self.webhdfs = f"webhdfs://{host}:{files}"
        self._write_site("core", {"fs.defaultFS": self.hdfs})
        self._write_site(
            "hdfs",
            {
                "dfs.replication": "1",
                "dfs.namenode.name.dir": f"file:{self.folder}/name",
                "dfs.datanode.data.dir": f"file:{self.folder}/data",
                "dfs.namenode.http-address": f"{host}:{files}",
                "dfs.namenode.datanode.registration.ip-hostname-check": "false",
                "dfs.datanode.address": f"{host}:0",
                "dfs.datanode.ipc.address": f"{host}:0",
                "dfs.datanode.http.address": f"{host}:0",
                "dfs.permissions.enabled": "false",
            },
        )
        self._write_site(
            "yarn",
            YARN_SITE
            | {
                **{
                    f"yarn.resourcemanager.{kind}.address": f"localhost:{free_port()}"
                    for kind in ("scheduler", "resource-tracker", "admin")
                },
                "yarn.resourcemanager.address": f"localhost:{free_port()}",
                "yarn.resourcemanager.webapp.address": f"localhost:{web}",
                "yarn.nodemanager.hostname": "localhost",
                "yarn.nodemanager.address": "localhost:0",
                "yarn.nodemanager.localizer.address": f"localhost:{log_server}",
                "yarn.nodemanager.webapp.address": f"localhost:{node_web}",
                "yarn.nodemanager.local-dirs": f"{self.folder}/local",
                "yarn.nodemanager.log-dirs": f"{self.folder}/logs",
                "yarn.nodemanager.remote-app-log-dir": f"file:{self.folder}/aggregated",
            },
        )
        self._write_site("capacity-scheduler", SCHEDULER)
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def environment(self, spark):
        return spark.environment(HADOOP_CONF_DIR=str(self.conf), JAVA_HOME=java_home())

    def submit_options(self, spark):
        """Options for a small spark-submit on this cluster."""
        settings = {
            "spark.yarn.jars": f"local:{spark.home}/jars/*",
            "spark.yarn.am.memory": "384m",
            "spark.driver.memoryOverhead": "256m",
            "spark.executor.memoryOverhead": "384m",
            "spark.pyspark.python": spark.environment()["PYSPARK_PYTHON"],
            "spark.executor.instances": "2",
        }
        options = ["--master", "yarn", "--driver-memory", "512m", "--executor-memory", "512m", "--executor-cores", "1"]
        for name, value in settings.items():
            options += ["--conf", f"{name}={value}"]
        return options

    def file_system(self, *arguments):
        """Runs `hadoop fs`; its standard output."""
        return self._java("org.apache.hadoop.fs.FsShell", *arguments)

    def logs(self, application):
        """The output of `yarn logs`."""
        return self._java("org.apache.hadoop.yarn.client.cli.LogsCLI", "-applicationId", application)

    def close(self):
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(3)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)

    def _start(self):
        self._java("org.apache.hadoop.hdfs.server.namenode.NameNode", "-format", "-force", "-nonInteractive")
        for name in (
            "hdfs.server.namenode.NameNode",
            "hdfs.server.datanode.DataNode",
            "yarn.server.resourcemanager.ResourceManager",
            "yarn.server.nodemanager.NodeManager",
        ):
            log = self.folder / f"{name.rsplit('.', 1)[1]}.log"
            with open(log, "wb") as stream:
                self.processes.append(
                    subprocess.Popen(
                        self._command(f"org.apache.hadoop.{name}"),
                        stdout=stream,
                        stderr=stream,
                        stdin=subprocess.DEVNULL,
                        env=dict(os.environ, HADOOP_CONF_DIR=str(self.conf), JAVA_HOME=java_home()),
                    )
                )
        wait_until(self._has_memory, "YARN's node")
        self.file_system("-mkdir", "-p", "/user")

    def _has_memory(self):
        for process in self.processes:
            if process.poll() is not None:
                raise AssertionError(f"{process.args[-1]} ended with {process.returncode}: see its log in {self.folder}")
        with contextlib.suppress(OSError, urllib.error.URLError, ValueError):
            with urllib.request.urlopen(f"{self.web}/ws/v1/cluster/metrics", timeout=5) as answer:
                return json.load(answer)["clusterMetrics"]["totalMB"] > 0
        return False

    def _command(self, main, *arguments):
        return [
            "java",
            "-Xmx384m",
            "-XX:+UseSerialGC",
            "--add-opens",
            "java.base/java.lang=ALL-UNNAMED",
            "-Dyarn.log.dir=" + str(self.folder),
            "-cp",
            self.classpath,
            main,
            *arguments,
        ]

    def _java(self, main, *arguments):
        result = subprocess.run(self._command(main, *map(str, arguments)), capture_output=True, check=False, timeout=DEADLINE)
        if result.returncode != 0:
            raise AssertionError(f"{main}: exit {result.returncode}\n{result.stderr.decode(errors='replace')[-3000:]}")
        return result.stdout

    def _write_site(self, name, properties):
        rows = "".join(f"<property><name>{key}</name><value>{value}</value></property>\n" for key, value in properties.items())
        file_name = f"{name}.xml" if name == "capacity-scheduler" else f"{name}-site.xml"
        (self.conf / file_name).write_text(f"<configuration>\n{rows}</configuration>\n")


def java_home():
    """YARN's containers start $JAVA_HOME/bin/java."""
    settings = subprocess.run(["java", "-XshowSettings:properties", "-version"], capture_output=True, text=True, check=True)
    return next(line.split("=", 1)[1].strip() for line in settings.stderr.splitlines() if "java.home =" in line)
