# SPDX-License-Identifier: Apache-2.0
"""Runs every command that a guide shows, in a folder with the files that the guides name.

The inputs are those of the demo job. What stands for something of the reader's is in STAND_INS; what needs a cluster, a store or
other hosts is in PARSED_ONLY, and only its arguments are read. A new command in a guide runs without a change here, if it uses these
names.
"""

import gzip
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.parse
import zipfile

from collector import Collector
from spark_jobs import run_job
from support import DEADLINE, EXAMPLES, REPOSITORY, SPARKPROF, TestCase, execute, sparkprof, write_file

SEEDS = REPOSITORY / "fuzz" / "seeds"
BURN = REPOSITORY / "tests" / "jvm" / "Burn.java"

# Pattern and replacement in the text of a guide. {…} are values of the test.
STAND_INS = [
    (r"…", ""),
    (r" \| jq .*", ""),
    (r"kubectl logs my-driver \|", "cat driver.log |"),
    (r"perf script \|", "cat perf.txt |"),
    (r"\b(LOGS|PATH)\b", "driver.log"),
    (r"flame INPUT", "flame recording.sprof"),
    (r"\b(EVENTLOGS?|INPUT)\b(?= -o| \| |$|\s*#)", "eventlogs/app-1"),
    (r"\b(EVENTLOGS?|INPUT|BEFORE)\b", "eventlogs/app-1"),
    (r"\bAFTER\b", "today.zstd"),
    (r"\bRECORDING\b", "recording.sprof"),
    (r"show metrics (FOLDER|FILE)\b", "show metrics profiles"),
    (r"\bFILE\b", "pyspark_records.json"),
    (r"\b(PID|4711)\b", "{pid}"),
    (r"/srv/sparkprof", "{store}"),
    (r"/var/lib/sparkprof", "data"),
    (r"/data/spark-events|hdfs://namenode/spark-history", "eventlogs"),
    (r"0\.0\.0\.0:8320", "127.0.0.1:0"),
    (r"https?://collector:8320|http://127\.0\.0\.1:8320|(?<=--server )URL", "{collector}"),
    (r"applications/(ID-1|ID-2|ID|app-\w+-\w+|application_\w+)", "applications/{application}"),
    (r"groups/daily_sales", "groups/{group}"),
    (r"'daily_sales_\*'", "'{job}'"),
    (r"examples/suite\.yaml --output-dir results", "suite.yaml --output-dir other-results"),
    (r"examples/straggler\.py", "job.py"),
    # The stages, tags and operators of the demo are others.
    (r"--(sql|node) \d+ ?", ""),
    (r"931\b", "5772"),
]
# These run until they are ended, and print a first line.
SERVERS = r"sparkprof (serve|top)\b(?!.*--duration)"
# These answer "no" about the demo: it has no such rows or samples, no problem, or a change of a run of its own.
ANSWER_IS_NO = (
    r"--where|--job-tag|--event malloc|native_memory|show (waits|operators|hosts|streaming|tags|datasets)\b|--tasks-of"
    r"|--fail-on|--chunks|--level WARN|logs .*--errors|attach +#|attach *$|--against|fleet check|doctor"
)
# Reasons why only the arguments of a command are read.
PARSED_ONLY = {
    r"--(yarn|k8s|app) ": "a cluster",
    r"--master yarn --conf spark\.executor": "a cluster",
    r"--all-spark": "the machine alone: test_attach_spark runs it",
    r"(s3a?|abfss|hdfs)://(?!/sparkprof|HOST|BUCKET)": "a store",
    r"clickhouse://|otel-collector": "a server",
    r"collector move": "a data folder: test_shared_store runs it",
    r"--leaks": "native memory, which the demo does not record",
    r"--tasks-of": "a profile of the same processes: tests/cases/tasks_of.test",
    r"\bprove ": "many runs: test_prove runs it",
    r"--tls-cert|--tokens ": "certificates and tokens: test_serve runs it",
}
# `sparkprof run` is tested with these in place of Spark's commands.
SPARK_COMMANDS = ("spark-submit", "spark-pipelines")


def guides():
    listed = execute("git", "ls-files", "*.md", cwd=REPOSITORY).stdout
    return [REPOSITORY / name for name in listed.split() if name != "HACKING.md"]


def commands(page):
    """The lines of code blocks that run sparkprof, without comments."""
    for line in re.findall(r"^ {4,}(.*)$", page.read_text().replace("\\\n", " "), re.MULTILINE):
        command = re.sub(r"(?<= )# .*", "", line).strip()
        is_usage = re.search(r"\[--?[a-z]", command)
        if re.match(r"(\w+ [\w -]+ \| )?sparkprof(-submit)? ", command) and not is_usage:
            yield command


class GuidesTest(TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="sparkprof-e2e-", ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        cls.inputs = cls.root / "inputs"
        cls.inputs.mkdir()
        cls.make_job()
        cls.make_others()
        cls.start_processes()

    @classmethod
    def make_job(cls):
        events = cls.root / "events"
        events.mkdir()
        conf = {"enabled": "true", "dir": f"file://{events}", "compress": "false", "rolling.enabled": "false"}
        conf = {f"spark.eventLog.{key}": value for key, value in conf.items()}
        job = run_job(cls.root, EXAMPLES / "demo_job.py", 100000, name="demo", conf=conf)
        [log] = events.iterdir()
        copies = "application_1603128018386_7846.zstd eventlogs/app-1 eventlog_v2_app-1/events_1_app-1 app-1.inprogress"
        for name in [*copies.split(), "yesterday.zstd", "today.zstd"]:
            cls.put(name, log)
        folders = ("sparkprof-output/recording", "sparkprof-out/recording", "recordings/r", "runs/r", "application_1_0001/r")
        for name in ("recording", "baseline", *folders):
            cls.put(f"{name}.sprof", job.recording)
        cls.log = cls.root / "driver.log"
        cls.log.write_text(job.process.stderr)

    @classmethod
    def put(cls, name, source):
        target = cls.inputs / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".gz"):
            target.write_bytes(gzip.compress(source.read_bytes()))
        else:
            shutil.copyfile(source, target)

    @classmethod
    def make_others(cls):
        driver = SEEDS / "text_log" / "driver.log"
        for name in ("driver.log", "driver.log.gz", "stderr.gz", "logs/driver.log", "s3-copy/stderr", "j-CLUSTER/containers/stderr"):
            cls.put(name, driver)
        with zipfile.ZipFile(cls.inputs / "logs.zip", "w") as archive:
            archive.write(cls.inputs / "eventlogs" / "app-1", "eventlogs/app-1")
            archive.write(driver, "driver.log")
        (cls.inputs / "auto.yaml").write_text("settings:\n  spark.executor.memory: {min: 1g, max: 16g, step: 25%}\n")
        cls.put("lineage.jsonl", SEEDS / "lineage" / "events.jsonl")
        records = SEEDS / "record"
        cls.put("CpuAndMemory.json.gz", records / "cpu_and_memory.json")
        cls.put("profiles/CpuAndMemory.json", records / "cpu_and_memory.json")
        cls.put("pyspark_records.json", records / "pyspark_cpu_memory.json")
        cls.put("Stacktrace.json.gz", records / "stacktrace.json")
        for name in ("s_8_stack.json.gz", "profiles/s_8_stack.json"):
            cls.put(name, records / "pyspark_stack.json")
        cls.put("perf.txt", SEEDS / "perf" / "two_samples")
        cls.put("host.otlp", SEEDS / "otlp" / "delimited")
        for name in ("profile", "before", "after", "sparkprof-attach/job-exec-1", "sparkprof-attach/job-exec-2"):
            cls.put(f"{name}.jfr", SEEDS / "jfr" / "async_profiler.jfr")
        (cls.inputs / "prices.json").write_text('{"currency":"USD","coreHour":0.05,"gbHour":0.006}')
        (cls.inputs / "policy.yaml").write_text("rules:\n  - name: none\n    where: coreHours > 1000\n")
        (cls.inputs / "token").write_text("secret\n")
        (cls.inputs / "job.py").write_text("print(1)\n")
        (cls.inputs / "suite.yaml").write_text("suite: s\njobs:\n  - name: nothing\n    command: ['true']\n")
        sparkprof("suite", "run", "suite.yaml", "--output-dir", "baseline", cwd=cls.inputs)
        sparkprof("monitor", "--dir", "nodes", "--duration", "1s", cwd=cls.inputs)
        sparkprof("fleet", "analyze", "eventlogs", "--output", "fleet", cwd=cls.inputs)

    @classmethod
    def start_processes(cls):
        cls.collector = Collector(cls.root / "data")
        cls.addClassCleanup(cls.collector.stop)
        cls.collector.push(cls.inputs / "recording.sprof")
        cls.collector.wait_for(lambda rows: len(rows) == 1, "the application")
        [application] = cls.collector.applications()
        cls.values = {
            "store": str(cls.root / "store"),
            "collector": cls.collector.url,
            "application": application["id"],
            "group": urllib.parse.quote(application["group"]),
        }
        cls.values["job"] = application["name"]
        cls.pids = {}
        for kind, command in {
            "jvm": ["java", BURN],
            "python": ["python3", "-c", "import time\nwhile True:\n  sum(range(100_000)); time.sleep(0.01)"],
        }.items():
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            cls.addClassCleanup(process.wait)
            cls.addClassCleanup(process.kill)
            cls.pids[kind] = process.pid
        tools = cls.root / "bin"
        for name in SPARK_COMMANDS:
            write_file(tools / name, "#!/bin/sh\nexit 0\n", 0o755)
        for name in ("sparkprof", "sparkprof-submit"):
            (tools / name).symlink_to(shutil.which(SPARKPROF))
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
        cls.environment = kept | {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(cls.root), "XDG_STATE_HOME": str(cls.root / "state")}

    def test_the_commands_of_the_guides_run(self):
        for guide in guides():
            found = list(commands(guide))
            if not found:
                continue
            folder = self.folder / guide.relative_to(REPOSITORY).as_posix().replace("/", "-")
            shutil.copytree(self.inputs, folder, copy_function=os.link)
            for command in found:
                with self.subTest(guide=guide.name, command=command):
                    self.check(command, folder)

    def check(self, command, folder):
        if any(re.search(pattern, command) for pattern in PARSED_ONLY):
            return self.check_arguments(command, folder)
        text = command
        for pattern, stand_in in STAND_INS:
            text = re.sub(pattern, stand_in, text)
        values = self.values | {"pid": self.pids["python" if re.search("--python|--dump", text) else "jvm"]}
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        if " attach " in text and "--dump" not in text and re.search(r" \d", text):
            text = re.sub(r" --duration \S+", "", text) + " --duration 1s"
        if re.match(r"sparkprof monitor\b(?!.*--duration)", text):
            text += " --duration 1s"
        if re.match(SERVERS, text):
            return self.check_server(text, folder)
        done = self.run_shell(text, folder)
        allowed = (0, 1) if re.search(ANSWER_IS_NO, command) else (0,)
        self.assertIn(done.returncode, allowed, f"{text}\n{done.stdout[-1000:]}\n{done.stderr[-2000:]}")
        self.assertNotIn("--help`", done.stderr)

    def run_shell(self, text, folder, code=None):
        return execute("bash", "-o", "pipefail", "-c", text, code=code, cwd=folder, env=self.environment, stdin=subprocess.DEVNULL)

    def check_server(self, text, folder):
        """Ends it after its first line, as its user does."""
        if "--listen" not in text and " serve" in text:
            text += " --listen 127.0.0.1:0"
        outputs = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        process = subprocess.Popen(["bash", "-c", f"exec {text}"], cwd=folder, env=self.environment, **outputs)
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=DEADLINE)[0]
        self.assertIn(process.returncode, (0, 130, -signal.SIGINT), f"{text}\n{first}{rest[-2000:]}")

    def check_arguments(self, command, folder):
        """The parser reads all arguments before it complains about the option that the test adds."""
        before, separator, job = command.partition(" -- ")
        done = self.run_shell(f"{before} --no-such-option{separator}{job}", folder, code=2)
        self.assertIn("unknown option --no-such-option", done.stderr)
