# SPDX-License-Identifier: Apache-2.0
"""No secret that a job or its logs have reaches a recording, a report or the terminal; what is no secret stays readable."""

import json
import pathlib
import re
import unittest

from spark_jobs import SPARK_VERSIONS, Spark, run_job
from support import TestCase, blocks_of, execute, report_bytes, slow, sparkprof

MARKER = "Zq7Xv9Kp2Lw4"
# All other output is Spark's and the job's own, such as exceptions. Spark prints an event whole when a listener is slow with it.
OWN_LINE = re.compile(r"^sparkprof: |\bSparkProf: |by listener EventForwarder")
SETTINGS = {
    "spark.hadoop.fs.azure.account.key.acc.dfs.core.windows.net": MARKER,
    "spark.hadoop.fs.azure.sas.container.acc": MARKER,
    "spark.my.private.key": MARKER,
    "spark.hadoop.fs.s3a.encryption.key": MARKER,
    "spark.my.pwd": MARKER,
    "spark.my.dbPwd": MARKER,
    "spark.my.pass": MARKER,
    "spark.my.passphrase": MARKER,
    "spark.my.api_key": MARKER,
    "spark.executorEnv.MY_KEY": MARKER,
    "spark.driver.extraJavaOptions": f"-Dmy.password={MARKER} -Dmy.harmless=plain-jvm-option",
}
# Contents of texts; each is used in every place that takes a text.
FORMS = [
    form.format(MARKER)
    for form in (
        "fs.azure.account.key.acc={}",
        "fs.azure.sas.container.acc={}",
        "AccountName=a;AccountKey={}==;EndpointSuffix=x",
        "my.private.key={}",
        "encryption.key={}",
        "pwd={}",
        "dbPwd={}",
        "pass={}",
        "passphrase={}",
        "api_key={}",
        "MY_KEY={}abcdefgh",
        "https://b.s3.amazonaws.com/k?X-Amz-Signature={}&x=1",
        "https://a.blob.core.windows.net/c?sv=1&sig={}%3D&se=2",
        "Authorization: Bearer {}",
        "ghp_{}0123456789",
        "dapi0123456789abcdef0123456789abcdef",
        "jdbc:oracle:thin:joe/{}@h:1521:x",
        'password="{} two"',
        "https://joe:{}@host.example.com/x",
        "load --password {}",
        '{{"user":"joe","password":"{}"}}',
    )
]
HARMLESS = {"spark.my.region": "eu-west-1", "spark.my.primary.key": "id-column", "spark.my.compass": "north"}
PLANTED = (MARKER, "0123456789abcdef0123456789abcdef")


def confs_of_forms():
    return {f"spark.{kind}{number}": form for number, form in enumerate(FORMS) for kind in ("my.note", "executorEnv.MY_NOTE")}


def text_of_recording(path):
    """Everything in a recording, decompressed."""
    blocks = blocks_of(pathlib.Path(path).read_bytes())
    return b"".join(execute("zstd", "-dcq", text=False, input=block[24:]).stdout for block in blocks).decode("utf-8", "replace")


def text_of_page(path):
    return path.read_text(encoding="utf-8") + report_bytes(path).decode("utf-8", "replace")


class SecretsTest(TestCase):
    def assert_clean(self, text, where):
        places = [at.start() for planted in PLANTED for at in re.finditer(re.escape(planted), text)]
        found = "\n".join(repr(text[max(0, at - 120) : at + 60]) for at in places[:40])
        self.assertEqual(len(places), 0, f"{where} has secrets:\n{found}")

    def run_job(self, version):
        logs = self.folder / "events"
        logs.mkdir()
        # Not on the command line: a secret without a name and a known shape is one that nobody can find.
        planted = self.folder / "planted.json"
        planted.write_text(json.dumps({"marker": MARKER, "forms": FORMS}))
        conf = {
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": logs.as_uri(),
            "spark.eventLog.compress": "false",
            "spark.redaction.regex": "nothing-at-all",
        }
        conf |= SETTINGS | HARMLESS | confs_of_forms()
        return run_job(self.folder, "planted_secrets.py", planted, spark=Spark(version), master="local[1]", conf=conf), logs

    def check(self, version):
        profile, logs = self.run_job(version)
        recorded = text_of_recording(profile.recording)
        failures = []
        for text, where in self.outputs(profile, logs, recorded):
            try:
                self.assert_clean(text, where)
            except AssertionError as e:
                failures.append(str(e))
        if failures:
            self.fail("\n".join(failures))
        for text in (*HARMLESS.values(), "region=eu-west-1", "plain-jvm-option", "harmless rows", "no such table orders"):
            self.assertIn(text, recorded)
        # Spark's own log was told to redact nothing: what is read from it was redacted by the reader.
        self.assertIn(MARKER, "".join(file.read_text() for file in logs.rglob("*") if file.is_file()))

    def outputs(self, profile, logs, recorded):
        yield recorded, "the recording"
        yield text_of_page(profile.output / "report.html"), "the report"
        for file in profile.output.rglob("*"):
            if file.is_file() and file.suffix not in (".sprof", ".html"):
                yield file.read_text(encoding="utf-8", errors="replace"), f"the output folder's {file.name}"
        printed = profile.process.stdout + profile.process.stderr
        yield ("\n".join(line for line in printed.splitlines() if OWN_LINE.search(line)), "what run and the plugin printed")
        summary = printed.index("\nload --password *********(redacted) · ")
        yield printed[summary:], "the summary"
        yield sparkprof("info", "--json", profile.recording).stdout, "info"
        flame = self.folder / "flame.svg"
        sparkprof("flame", profile.recording, "-o", flame)
        yield flame.read_text(encoding="utf-8"), "the flame graph"
        report = self.folder / "analyzed.html"
        again = self.folder / "analyzed.sprof"
        result = sparkprof("analyze", logs, "--report", report, "-o", again)
        yield result.stdout + result.stderr, "analyze's output"
        yield text_of_page(report), "analyze's report"
        yield text_of_recording(again), "analyze's recording"
        for table in ("jobs", "stages", "sql", "environment", "tasks"):
            yield sparkprof("show", table, logs, "--json").stdout, f"show {table}"

    def test_no_planted_secret_survives_a_profiled_job(self):
        self.check(SPARK_VERSIONS[0])

    @unittest.skipIf(len(SPARK_VERSIONS) < 2, "one Spark only")
    @slow("the older Spark is")
    def test_no_planted_secret_survives_on_the_older_spark(self):
        self.check(SPARK_VERSIONS[1])

    def test_no_secret_of_a_text_log_is_shown(self):
        log = self.folder / "stderr"
        lines = [
            f"26/01/02 03:04:{second:02} {level} Main: {text}"
            for second, (level, text) in enumerate(
                [
                    ("INFO", f'connecting with password="{MARKER} x" to h'),
                    ("INFO", f"spark.hadoop.fs.s3a.secret.key={MARKER} region=eu-west-1"),
                    ("WARN", f'{{"user":"joe","password":"{MARKER}"}}'),
                    ("WARN", f"curl -u joe:{MARKER} https://h"),
                    (
                        "ERROR",
                        f"java.sql.SQLException: jdbc:postgresql://joe:{MARKER}@h:5432/db failed\n"
                        f"\tat org.x.Y(Y.java:1)\nCaused by: java.lang.Error: token={MARKER}",
                    ),
                    ("ERROR", f"key follows -----BEGIN PRIVATE KEY-----\n\t{MARKER}\n\t-----END PRIVATE KEY-----"),
                ]
            )
        ]
        log.write_text("\n".join(lines * 3) + "\n")
        for options in ((), ("--json",), ("--errors",), ("--errors", "--json"), ("--templates",), ("--templates", "--json"), ("--chunks",)):
            result = sparkprof("logs", log, *options, code=None)
            self.assert_clean(result.stdout + result.stderr, f"logs {' '.join(options)}")
        self.assertIn("region=eu-west-1", sparkprof("logs", log).stdout)
