# SPDX-License-Identifier: Apache-2.0
"""Contents of a fresh environment after `pip install` of the wheel: the command, its plugin, the classes, the sampler."""

import json
import os
import sys

from support import REPOSITORY, SPARKPROF, TestCase, execute

NATIVE = os.environ.get("SPARKPROF_NATIVE", str(REPOSITORY / "python" / "sparkprof" / "native"))
SAMPLED = """
import json, time
from sparkprof import _collector
def burn(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end: pass
stacks = {}
_collector.run(burn, (1,), {}, 0.01, True, False, lambda more, _: stacks.update(more))
print(json.dumps(sum(count for stack, count in stacks.items() if ":burn:" in stack[0])))
"""
MAXIMA = """
import json, sys
from sparkprof import ProfileParser
print(json.dumps(ProfileParser(sys.argv[1]).get_maxima()))
"""


class WheelTest(TestCase):
    def run_command(self, *command, codes=(0,)):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("SPARKPROF_", "PYTHON"))}
        environment["PATH"] = f"{self.folder / 'venv' / 'bin'}:/usr/bin:/bin"
        done = execute(*command, code=None, cwd=self.folder, env=environment)
        self.assertIn(done.returncode, codes, done.stdout[-2000:] + done.stderr[-2000:])
        return done.stdout

    def test_the_command_the_classes_and_the_sampler_work_in_a_fresh_environment(self):
        execute(REPOSITORY / "scripts" / "dist", "wheel", SPARKPROF, NATIVE, f"linux_{os.uname().machine}", self.folder / "dist")
        (wheel,) = (self.folder / "dist").glob("*.whl")
        execute(sys.executable, "-m", "venv", self.folder / "venv")
        python = self.folder / "venv" / "bin" / "python"
        self.run_command(python, "-m", "pip", "-q", "--disable-pip-version-check", "install", "--no-index", wheel)

        share = self.folder / "venv" / "share"
        self.assertIn(".SH SYNOPSIS", (share / "man" / "man1" / "sparkprof-flame.1").read_text())
        for script in (
            "bash-completion/completions/sparkprof",
            "zsh/site-functions/_sparkprof",
            "fish/vendor_completions.d/sparkprof.fish",
        ):
            self.assertIn("token-file", (share / script).read_text(), script)

        record = {"pid": 7, "epochMillis": 1, "pmem_rss": 3 << 20, "pmem_vms": 4 << 20, "cpu_percent": 50.0}
        (self.folder / "cpumem.json").write_text(json.dumps(record) + "\n")
        rows = json.loads(self.run_command("sparkprof", "show", "metrics", "cpumem.json", "--json"))
        self.assertEqual({row["name"]: row["maximum"] for row in rows}["pmem_rss"], 3 << 20)
        self.assertEqual(json.loads(self.run_command(python, "-c", MAXIMA, "cpumem.json"))["pmem_rss"], 3)
        self.assertGreater(json.loads(self.run_command(python, "-c", SAMPLED)), 10)
        # It has its plugin with it, wherever it lies; what else the machine lacks is another matter.
        doctor = self.run_command("sparkprof", "doctor", "--json", codes=(0, 1))
        self.assertIn("site-packages/sparkprof/lib/sparkprof-spark.jar", doctor)
        # No Spark is there; by its name it looks for spark-submit all the same.
        self.run_command("sparkprof-submit", "--version", codes=(127,))
