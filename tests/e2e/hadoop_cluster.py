# SPDX-License-Identifier: Apache-2.0
"""A real HDFS and YARN: one daemon of each kind, or several NodeManagers, from the jars of Hadoop's mini cluster (Maven)."""

import contextlib
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import unittest
import urllib.error
import urllib.request

from spark_jobs import conf_options
from support import CACHE, execute, free_port, wait_until

VERSION = "3.4.2"
POM = pathlib.Path(__file__).resolve().parent / "hadoop" / "pom.xml"
START_SECONDS = 180
LOG_CHARACTERS = 4000
NODE_STATES = "NEW,RUNNING,UNHEALTHY,DECOMMISSIONING,DECOMMISSIONED,LOST,REBOOTED"
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
            options = ("-DincludeScope=runtime", f"-DoutputDirectory={folder}")
            execute("mvn", "-q", "-B", "-f", POM, "dependency:copy-dependencies", *options, timeout=None)
        except (OSError, AssertionError) as error:
            raise unittest.SkipTest(f"Hadoop's jars cannot be fetched: {error}") from error
        complete.touch()
    return folder


@dataclasses.dataclass(frozen=True)
class Node:
    """A host of a NodeManager, and the command that runs another one there."""

    name: str
    prefix: tuple = ()


class HadoopCluster:
    """`conf` is the HADOOP_CONF_DIR for clients, `hdfs` the file system's address, `webhdfs` the same over HTTP; close() ends the daemons.

    All but the NodeManagers listen on `host`. Each node has `folder`/NAME. `settings` are further ones of YARN. Without `yarn`, only HDFS runs.
    """

    def __init__(self, folder, host="localhost", nodes=(), settings=None, yarn=True):
        self.folder = pathlib.Path(folder)
        self.nodes = {node.name: node for node in nodes or [Node(host)]}
        self.conf = self.folder / "conf"
        self.conf.mkdir(parents=True)
        self.classpath = f"{self.conf}:{jars()}/*"
        self.daemons = {}
        name_node, web, node, node_web, log_server, files = (free_port() for _ in range(6))
        self.hdfs = f"hdfs://{host}:{name_node}"
        self.web = f"http://{host}:{web}"
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
        manager = {kind: f"{host}:{free_port()}" for kind in ("scheduler", "resource-tracker", "admin")}
        self._write_site(
            "yarn",
            YARN_SITE
            | {
                **{f"yarn.resourcemanager.{kind}.address": address for kind, address in manager.items()},
                "yarn.resourcemanager.address": f"{host}:{free_port()}",
                "yarn.resourcemanager.webapp.address": f"{host}:{web}",
                # A NodeManager has its name as a system property.
                "yarn.nodemanager.hostname": "${node}",
                "yarn.nodemanager.address": f"${{node}}:{node}",
                "yarn.nodemanager.localizer.address": f"${{node}}:{log_server}",
                "yarn.nodemanager.webapp.address": f"${{node}}:{node_web}",
                "yarn.nodemanager.local-dirs": f"{self.folder}/${{node}}/local",
                "yarn.nodemanager.log-dirs": f"{self.folder}/${{node}}/logs",
                "yarn.nodemanager.remote-app-log-dir": f"file:{self.folder}/aggregated",
                **(settings or {}),
            },
        )
        self._write_site("capacity-scheduler", SCHEDULER)
        try:
            self._start(yarn)
        except BaseException:
            self.close()
            raise

    def environment(self, spark):
        return spark.environment(HADOOP_CONF_DIR=self.conf, JAVA_HOME=java_home())

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
        sizes = ["--driver-memory", "512m", "--executor-memory", "512m", "--executor-cores", "1"]
        return ["--master", "yarn", *sizes, *conf_options(settings)]

    def file_system(self, *arguments):
        """Runs `hadoop fs`; its standard output."""
        return self._java("org.apache.hadoop.fs.FsShell", *arguments)

    def logs(self, application):
        """The output of `yarn logs`."""
        return self._java("org.apache.hadoop.yarn.client.cli.LogsCLI", "-applicationId", application)

    def yarn(self, command, *arguments):
        """Runs `yarn rmadmin` or `yarn application`; its standard output."""
        main = {"rmadmin": "RMAdminCLI", "application": "ApplicationCLI"}[command]
        return self._java(f"org.apache.hadoop.yarn.client.cli.{main}", *([command] if command == "application" else []), *arguments)

    def asked(self, path):
        """The ResourceManager's answer to /ws/v1/cluster/PATH."""
        with urllib.request.urlopen(f"{self.web}/ws/v1/cluster/{path}", timeout=5) as answer:
            return json.load(answer)

    def node_states(self):
        """{host: state}, also of nodes that are lost."""
        return {node["nodeHostName"]: node["state"] for node in (self.asked(f"nodes?states={NODE_STATES}")["nodes"] or {}).get("node", [])}

    def start_data_node(self):
        self._start_daemon("DataNode", self._command("org.apache.hadoop.hdfs.server.datanode.DataNode"))

    def start_node(self, name):
        command = self._command("org.apache.hadoop.yarn.server.nodemanager.NodeManager", options=[f"-Dnode={name}"])
        self._start_daemon(name, [*self.nodes[name].prefix, *command])

    def kill(self, daemon):
        """Kills the DataNode, or the NodeManager of the node of this name."""
        self.daemons[daemon].kill()
        self.daemons.pop(daemon).wait()

    def close(self):
        for process in self.daemons.values():
            process.send_signal(signal.SIGTERM)
        for process in self.daemons.values():
            try:
                process.wait(3)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)

    def _start(self, yarn):
        self._java("org.apache.hadoop.hdfs.server.namenode.NameNode", "-format", "-force", "-nonInteractive")
        self._start_daemon("NameNode", self._command("org.apache.hadoop.hdfs.server.namenode.NameNode"))
        self.start_data_node()
        if not yarn:
            wait_until(self._takes_files, "HDFS", START_SECONDS)
            return
        self._start_daemon("ResourceManager", self._command("org.apache.hadoop.yarn.server.resourcemanager.ResourceManager"))
        for name in self.nodes:
            self.start_node(name)
        self.await_nodes()
        self.file_system("-mkdir", "-p", "/user")

    def _takes_files(self):
        url = f"{self.webhdfs.replace('webhdfs', 'http')}/jmx?qry=Hadoop:service=NameNode,name=FSNamesystem"
        with contextlib.suppress(OSError, urllib.error.URLError, ValueError), urllib.request.urlopen(url, timeout=5) as answer:
            return any(bean.get("NumLiveDataNodes") for bean in json.load(answer)["beans"])

    def _start_daemon(self, name, command):
        with open(self.folder / f"{name}.log", "ab") as stream:
            outputs = {"stdin": subprocess.DEVNULL, "stdout": stream, "stderr": stream}
            environment = os.environ | {"HADOOP_CONF_DIR": str(self.conf), "JAVA_HOME": java_home()}
            self.daemons[name] = subprocess.Popen(command, env=environment, **outputs)

    def await_nodes(self):
        """Until every node runs."""
        wait_until(self._all_nodes_run, "YARN's nodes", START_SECONDS)

    def _all_nodes_run(self):
        for name, process in self.daemons.items():
            if process.poll() is not None:
                log = (self.folder / f"{name}.log").read_text(errors="replace")
                raise AssertionError(f"{name} ended with {process.returncode}: …{log[-LOG_CHARACTERS:]}")
        with contextlib.suppress(OSError, urllib.error.URLError, ValueError):
            states = self.node_states()
            return all(states.get(name) == "RUNNING" for name in self.nodes)
        return False

    def _command(self, main, *arguments, options=()):
        java = ["java", *options, "-Xmx384m", "-XX:+UseSerialGC", "--add-opens", "java.base/java.lang=ALL-UNNAMED"]
        return [*java, f"-Dyarn.log.dir={self.folder}", "-cp", self.classpath, main, *arguments]

    def _java(self, main, *arguments):
        return execute(*self._command(main, *arguments), text=False).stdout

    def _write_site(self, name, properties):
        rows = "".join(f"<property><name>{key}</name><value>{value}</value></property>\n" for key, value in properties.items())
        file_name = f"{name}.xml" if name == "capacity-scheduler" else f"{name}-site.xml"
        (self.conf / file_name).write_text(f"<configuration>\n{rows}</configuration>\n")


def java_home():
    """YARN's containers start $JAVA_HOME/bin/java."""
    settings = execute("java", "-XshowSettings:properties", "-version")
    return next(line.split("=", 1)[1].strip() for line in settings.stderr.splitlines() if "java.home =" in line)
