# SPDX-License-Identifier: Apache-2.0
"""sparkprof attach in pods, with a stand-in for kubectl that runs what it is given here (tests/k8s has the real one)."""

import os
import pathlib

from support import TestCase, execute, sparkprof, write_file

# Runs "exec … -- sh -c SCRIPT" on this machine; attaching itself leaves a file. EPHEMERAL=no refuses ephemeral containers.
KUBECTL = """#!/bin/bash
echo "$*" >>"$CALLS"
case "$1" in
  get) case "$2" in pods) echo "job-exec-1 job-exec-2" ;; *) echo "spark:4.1" ;; esac ;;
  debug) [ "$EPHEMERAL" = yes ] || { echo "forbidden" >&2; exit 1; } ;;
  exec)
    script="${@: -1}"
    case "$script" in
      *" attach "*) folder="${script%%/bin/*}"; mkdir -p "$folder/out"; echo "of $3" >"$folder/out/a.jfr" ;;
      *) exec sh -c "$script" ;;
    esac ;;
esac
"""


class AttachPodsTest(TestCase):
    def setUp(self):
        super().setUp()
        tools = write_file(self.folder / "tools" / "kubectl", KUBECTL, 0o755).parent
        self.calls = self.folder / "calls"
        self.environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "CALLS": str(self.calls)}

    def attach(self, *arguments, ephemeral="yes", code=0):
        return sparkprof("attach", *arguments, code=code, cwd=self.folder, env={**self.environment, "EPHEMERAL": ephemeral})

    def called(self, what):
        return [line for line in self.calls.read_text().splitlines() if line.startswith(what)]

    def test_each_pod_has_a_file(self):
        done = self.attach("--k8s", "job-exec-1,job-driver", "--duration", "1s")
        self.assertEqual(done.stdout, "sparkprof-attach/job-exec-1.jfr\nsparkprof-attach/job-driver.jfr\n")
        self.assertEqual((self.folder / "sparkprof-attach" / "job-driver.jfr").read_text(), "of job-driver\n")
        self.assertIn("--image=spark:4.1 --target=spark-kubernetes-driver", "".join(self.called("debug job-driver")))
        self.assertEqual(list(pathlib.Path("/tmp").glob("sparkprof-attach-*")), [])

    def test_exec_serves_where_ephemeral_containers_are_refused(self):
        done = self.attach("--k8s", "job-exec-1", ephemeral="no")
        self.assertIn("job-exec-1: no ephemeral container; using exec", done.stderr)
        self.assertTrue(self.called("exec -i job-exec-1 -c spark-kubernetes-executor -- sh -c"))

    def test_a_later_profile_replaces_an_earlier_one(self):
        file = self.folder / "sparkprof-attach" / "job-exec-1.jfr"
        file.parent.mkdir()
        file.write_text("earlier\n")
        self.attach("--k8s", "job-exec-1")
        self.assertEqual([path.name for path in file.parent.iterdir()], [file.name])
        self.assertEqual(file.read_text(), "of job-exec-1\n")

    def test_the_pods_of_an_application(self):
        done = self.attach("--app", "spark-17", "--all", "--exec", "--output-dir", "out")
        self.assertEqual(done.stdout, "out/job-exec-1.jfr\nout/job-exec-2.jfr\n", done.stderr)
        self.assertIn("spark-app-selector=spark-17", self.called("get pods")[0])

    def test_a_dry_run_prints_commands_that_a_shell_runs(self):
        done = self.attach("--k8s", "job-exec-1", "--exec", "--dry-run")
        self.assertFalse(self.calls.exists())
        execute("sh", "-ec", done.stdout, cwd=self.folder, env=self.environment)
        self.assertEqual((self.folder / "sparkprof-attach" / "job-exec-1.jfr").read_text(), "of job-exec-1\n")

    def test_an_application_needs_a_choice(self):
        done = self.attach("--app", "spark-17", code=2)
        self.assertEqual(done.stderr, "sparkprof: --app and --yarn require --executor ID or --all\n")
