# SPDX-License-Identifier: Apache-2.0
"""A real HDFS with Kerberos on loopback: a KDC, a NameNode and a DataNode. Requires the programs of Debian's krb5-kdc and krb5-user."""

import os
import pathlib
import shutil
import subprocess
import unittest
import urllib.error
import urllib.request

from hadoop_cluster import jars
from support import execute, free_port, wait_until

REALM = "TEST.SPARKPROF"
HADOOP_OPTIONS = tuple(
    f"--add-{kind}=java.security.jgss/sun.security.{package}=ALL-UNNAMED" for kind in ("exports", "opens") for package in ("krb5", "jgss")
)


class KerberizedHdfs:
    """`webhdfs` is the address, `token()` writes a file of Hadoop with a delegation token; close() ends the daemons.
    `lifetime`: seconds for which the user's tickets and delegation tokens are good."""

    def __init__(self, folder, lifetime=None):
        for program in ("krb5kdc", "kdb5_util", "kadmin.local", "kinit"):
            if shutil.which(program) is None:
                raise unittest.SkipTest(f"{program} is missing: install krb5-kdc, krb5-admin-server and krb5-user")
        self.folder = pathlib.Path(folder)
        self.conf = self.folder / "conf"
        self.conf.mkdir(parents=True)
        self.keytab, self.user_keytab = self.folder / "keytab", self.folder / "user_keytab"
        self.lifetime = lifetime
        self.processes = []
        kdc, rpc, web = (free_port() for _ in range(3))
        self.webhdfs, self.web = f"webhdfs://localhost:{web}", f"http://localhost:{web}"
        self.environment = {
            "KRB5_CONFIG": str(self.conf / "krb5.conf"),
            "KRB5_KDC_PROFILE": str(self.conf / "kdc.conf"),
            "KRB5CCNAME": str(self.folder / "tickets"),
        }
        self._start_kdc(kdc)
        self._start_hdfs(rpc, web)

    def put(self, source, target):
        self._hadoop("org.apache.hadoop.fs.FsShell", "-put", source, target)

    def token(self, file):
        """Runs `hdfs fetchdt` with the ticket of the user."""
        self._hadoop("org.apache.hadoop.hdfs.tools.DelegationTokenFetcher", "--webservice", self.web, "--renewer", "null", file)

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()

    def _run(self, *command, **options):
        return execute(*command, env=os.environ | self.environment, **options)

    def _spawn(self, log, *command):
        with open(self.folder / log, "wb") as stream:
            outputs = {"stdin": subprocess.DEVNULL, "stdout": stream, "stderr": stream}
            self.processes.append(subprocess.Popen(list(map(str, command)), env=os.environ | self.environment, **outputs))

    def _start_kdc(self, port):
        (self.conf / "krb5.conf").write_text(
            f"[libdefaults]\ndefault_realm = {REALM}\nrdns = false\ndns_canonicalize_hostname = false\nudp_preference_limit = 1\n"
            f"[realms]\n{REALM} = {{\nkdc = 127.0.0.1:{port}\n}}\n"
        )
        (self.conf / "kdc.conf").write_text(
            f"[realms]\n{REALM} = {{\nkdc_tcp_listen = 127.0.0.1:{port}\nkdc_listen = 127.0.0.1:{port}\n"
            f"database_name = {self.folder}/principal\nkey_stash_file = {self.folder}/stash\nacl_file = {self.folder}/acl\n}}\n"
        )
        self._run("kdb5_util", "create", "-s", "-r", REALM, "-P", "of-the-test")
        for principal in ("nn/localhost", "dn/localhost", "HTTP/localhost"):
            self._add(principal, self.keytab)
        self._add("ada", self.user_keytab, *(("-maxlife", f'"{self.lifetime} seconds"') if self.lifetime else ()))
        self._spawn("kdc.log", "krb5kdc", "-n")
        wait_until(self._has_ticket, "the KDC")

    def _add(self, principal, keytab, *options):
        self._run("kadmin.local", "-r", REALM, "-q", f"addprinc -randkey {' '.join(options)} {principal}")
        self._run("kadmin.local", "-r", REALM, "-q", f"ktadd -k {keytab} {principal}")

    def _has_ticket(self):
        """Whether the user got a new one."""
        return self._run("kinit", "-k", "-t", self.user_keytab, f"ada@{REALM}", code=None).returncode == 0

    def _start_hdfs(self, rpc, web):
        properties = {
            "fs.defaultFS": f"hdfs://localhost:{rpc}",
            "hadoop.security.authentication": "kerberos",
            "hadoop.http.authentication.type": "kerberos",
            "hadoop.http.authentication.kerberos.principal": f"HTTP/localhost@{REALM}",
            "hadoop.http.authentication.kerberos.keytab": self.keytab,
            "dfs.web.authentication.kerberos.principal": f"HTTP/localhost@{REALM}",
            "dfs.web.authentication.kerberos.keytab": self.keytab,
            "dfs.namenode.kerberos.principal": f"nn/localhost@{REALM}",
            "dfs.namenode.keytab.file": self.keytab,
            "dfs.datanode.kerberos.principal": f"dn/localhost@{REALM}",
            "dfs.datanode.keytab.file": self.keytab,
            "dfs.block.access.token.enable": "true",
            "ignore.secure.ports.for.testing": "true",
            "dfs.permissions.enabled": "false",
            "dfs.replication": "1",
            "dfs.namenode.name.dir": f"file:{self.folder}/name",
            "dfs.datanode.data.dir": f"file:{self.folder}/data",
            "dfs.namenode.http-address": f"localhost:{web}",
            "dfs.datanode.address": "localhost:0",
            "dfs.datanode.ipc.address": "localhost:0",
            "dfs.datanode.http.address": "localhost:0",
        }
        if self.lifetime:
            for name in ("renew-interval", "max-lifetime"):
                properties[f"dfs.namenode.delegation.token.{name}"] = self.lifetime * 1000
        rows = "".join(f"<property><name>{name}</name><value>{value}</value></property>" for name, value in properties.items())
        for file in ("core-site.xml", "hdfs-site.xml"):
            (self.conf / file).write_text(f"<configuration>{rows}</configuration>")
        self._hadoop("org.apache.hadoop.hdfs.server.namenode.NameNode", "-format", "-force", "-nonInteractive")
        for name in ("namenode.NameNode", "datanode.DataNode"):
            self._spawn(f"{name}.log", *self._command(f"org.apache.hadoop.hdfs.server.{name}"))
        wait_until(self._is_up, "HDFS with Kerberos")

    def _is_up(self):
        for process in self.processes:
            if process.poll() is not None:
                raise AssertionError(f"{process.args} ended: see the logs in {self.folder}")
        try:
            urllib.request.urlopen(f"{self.web}/webhdfs/v1/?op=LISTSTATUS", timeout=5).close()
        except urllib.error.HTTPError as error:
            if error.code != 401:  # it starts
                return False
        except OSError:
            return False
        try:
            self._hadoop("org.apache.hadoop.fs.FsShell", "-touchz", "/started")
            self._hadoop("org.apache.hadoop.fs.FsShell", "-put", "-f", self.conf / "krb5.conf", "/started")
        except AssertionError:
            return False
        return True

    def _command(self, main, *arguments):
        krb5 = f"-Djava.security.krb5.conf={self.conf / 'krb5.conf'}"
        classpath = f"{self.conf}:{jars()}/*"
        return ("java", "-Xmx384m", "-XX:+UseSerialGC", *HADOOP_OPTIONS, krb5, "-cp", classpath, main, *map(str, arguments))

    def _hadoop(self, main, *arguments):
        self._has_ticket()
        self._run(*self._command(main, *arguments))
