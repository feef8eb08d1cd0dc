# SPDX-License-Identifier: Apache-2.0
"""No secret that a job or its logs have reaches a recording, a report or the terminal; what is no secret stays readable."""
import gzip
import base64
import pathlib
import subprocess
import unittest

from support import JOBS, SPARK_VERSIONS, Spark, TestCase, run_profiled, sparkprof

MARKER = "Zq7Xv9Kp2Lw4"
SETTINGS = {
    "spark.hadoop.fs.azure.account.key.acc.dfs.core.windows.net": "-account",
    "spark.hadoop.fs.azure.sas.container.acc": "-containersas",
    "spark.my.connection": "AccountName=a;AccountKey={}-accountkey==;EndpointSuffix=x",
    "spark.my.private.key": "-private",
    "spark.hadoop.fs.s3a.encryption.key": "-encryption",
    "spark.my.pwd": "-pwd",
    "spark.my.dbPwd": "-dbpwd",
    "spark.my.pass": "-pass",
    "spark.my.passphrase": "-passphrase",
    "spark.my.api_key": "-apikey",
    "spark.executorEnv.MY_KEY": "-env",
    "spark.my.url": "https://b.s3.amazonaws.com/k?X-Amz-Signature={}-presigned&x=1",
    "spark.my.sasurl": "https://a.blob.core.windows.net/c?sv=1&sig={}-sig%3D&se=2",
    "spark.my.header": "Authorization: Bearer {}-bearer",
    "spark.my.github": "ghp_{}0123456789",
    "spark.my.databricks": "dapi0123456789abcdef0123456789abcdef",
    "spark.my.oracle": "jdbc:oracle:thin:joe/{}-thin@h:1521:x",
    "spark.driver.extraJavaOptions": "-Dmy.password={}-jvm -Dmy.harmless=plain-jvm-option",
}
HARMLESS = {"spark.my.region": "eu-west-1", "spark.my.primary.key": "id-column", "spark.my.compass": "north"}
PLANTED = (MARKER, "0123456789abcdef0123456789abcdef")


def value(text):
    return text.format(MARKER) if "{}" in text or not text.startswith("-") else MARKER + text


def text_of_recording(path):
    """Everything in a recording: its blocks, decompressed (src/model/block.h)."""
    data = pathlib.Path(path).read_bytes()
    text = b""
    at = 0
    while at + 24 <= len(data):
        size = int.from_bytes(data[at + 8 : at + 12], "little")
        payload = data[at + 24 : at + 24 + size]
        text += subprocess.run(["zstd", "-dcq"], input=payload, capture_output=True, check=True).stdout
        at += 24 + size
    return text.decode("utf-8", "replace")


def text_of_page(path):
    page = pathlib.Path(path).read_text(encoding="utf-8")
    packed = page.split('id="sparkprof-data" type="application/octet-stream">', 1)[1].split("<", 1)[0]
    return page + gzip.decompress(base64.b64decode(packed)).decode("utf-8", "replace")


class SecretsTest(TestCase):
    def assert_clean(self, text, where):
        for planted in PLANTED:
            at = text.find(planted)
            self.assertEqual(at, -1, f"{where} has a secret: …{text[max(0, at - 120) : at + 60]}…")

    def run_job(self, version):
        spark = Spark(version)
        confs = [part for key, text in SETTINGS.items() for part in ("--conf", f"{key}={value(text)}")]
        confs += [part for key, text in HARMLESS.items() for part in ("--conf", f"{key}={text}")]
        logs = self.folder / "events"
        logs.mkdir()
        profile = run_profiled(
            spark, self.folder / "out",
            ["spark-submit", "--master", "local[1]", "--conf", "spark.eventLog.enabled=true", "--conf",
             f"spark.eventLog.dir={logs.as_uri()}", "--conf", "spark.eventLog.compress=false", "--conf",
             "spark.redaction.regex=nothing-at-all", *confs, JOBS / "secrets.py", MARKER],
        )
        self.assert_succeeded(profile)
        return profile, logs

    def check(self, version):
        profile, logs = self.run_job(version)
        recorded = text_of_recording(profile.recording)
        self.assert_clean(recorded, "the recording")
        page = text_of_page(profile.output / "report.html")
        self.assert_clean(page, "the report")
        for text in (*HARMLESS.values(), "region=eu-west-1", "plain-jvm-option"):
            self.assertIn(text, recorded)
        self.assert_clean(sparkprof("info", "--json", profile.recording).stdout, "info")
        # Spark's own log was told to redact nothing: what is read from it is redacted by the reader.
        self.assertIn(MARKER, "".join(file.read_text() for file in logs.rglob("*") if file.is_file()))
        report = self.folder / "analyzed.html"
        again = self.folder / "analyzed.sprof"
        result = sparkprof("analyze", logs, "--report", report, "-o", again)
        self.assert_clean(result.stdout + result.stderr, "analyze's output")
        self.assert_clean(text_of_page(report), "analyze's report")
        self.assert_clean(text_of_recording(again), "analyze's recording")
        for table in ("jobs", "stages", "sql", "environment", "tasks"):
            self.assert_clean(sparkprof("events", logs, table, "--json").stdout, f"events {table}")

    def test_no_planted_secret_survives_a_profiled_job(self):
        self.check(SPARK_VERSIONS[0])

    @unittest.skipIf(len(SPARK_VERSIONS) < 2, "one Spark only")
    def test_no_planted_secret_survives_on_the_older_spark(self):
        self.check(SPARK_VERSIONS[1])

    def test_no_secret_of_a_text_log_is_shown(self):
        log = self.folder / "stderr"
        lines = [f"26/01/02 03:04:{second:02} {level} Main: {text}" for second, (level, text) in enumerate([
            ("INFO", f'connecting with password="{MARKER} x" to h'),
            ("INFO", f"spark.hadoop.fs.s3a.secret.key={MARKER} region=eu-west-1"),
            ("WARN", f'{{"user":"joe","password":"{MARKER}"}}'),
            ("WARN", f"curl -u joe:{MARKER} https://h"),
            ("ERROR", f"java.sql.SQLException: jdbc:postgresql://joe:{MARKER}@h:5432/db failed\n"
                      f"\tat org.x.Y(Y.java:1)\nCaused by: java.lang.Error: token={MARKER}"),
            ("ERROR", f"key follows -----BEGIN PRIVATE KEY-----\n\t{MARKER}\n\t-----END PRIVATE KEY-----"),
        ])]
        log.write_text("\n".join(lines * 3) + "\n")
        for options in ((), ("--json",), ("--errors",), ("--errors", "--json"), ("--templates",), ("--templates", "--json"),
                        ("--chunks",)):
            result = sparkprof("logs", log, *options, check=False)
            self.assert_clean(result.stdout + result.stderr, f"logs {' '.join(options)}")
        self.assertIn("region=eu-west-1", sparkprof("logs", log).stdout)


if __name__ == "__main__":
    unittest.main()
