#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are predictions and tuned settings right? Runs jobs of tests/truth profiled in local[2], in local[1], and with the settings
of `sparkprof tune`, and compares:

    predictions.py FOLDER [JOB...]

For each job: the duration in local[1] that `sparkprof compare RECORDING --cores 1` predicts from the run in local[2], and the other
way round; then the time and the GB-hours with tuned settings against those that tune predicts. Errors are relative to what was
measured. Jobs in healthy/ are named healthy/NAME. The folder keeps the recordings: jobs that are there are not run again. Run it
alone on the machine."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TRUTH_JOBS = HERE.parent / "tests" / "truth"
SPARKPROF = os.environ.get("SPARKPROF_BIN", str(HERE.parent / "bin" / "sparkprof"))
# Larger than any of the jobs needs, as users set it.
DRIVER_MEMORY = "4g"
JOBS = [
    "constant_key",
    "etl",
    "exploded_days",
    "full_scan",
    "grouped_words",
    "joined",
    "json_inference",
    "many_output_files",
    "many_partitions",
    "missed_broadcast",
    "range_join",
    "repeated_scan",
    "request_per_row",
    "slow_regex",
    "training",
    "union_of_months",
    "unread_cache",
    "vectorized",
    "window",
    "word_count",
]
CLOSE = 0.15


def answer(*words):
    return json.loads(subprocess.run([SPARKPROF, *map(str, words), "--json"], capture_output=True, check=True).stdout)


def source(job):
    path = TRUTH_JOBS / f"{job}.py"
    return path if path.exists() else TRUTH_JOBS / "healthy" / f"{job}.py"


def recording(folder, job, master, conf):
    """Runs the job once for each folder."""
    result = folder / "profile" / "recording.sprof"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        command = [SPARKPROF, "run", "--no-report", "--output-dir", folder / "profile", "--", "spark-submit", "--master", master]
        for key, value in {"spark.ui.enabled": "false", "spark.driver.memory": DRIVER_MEMORY, **conf}.items():
            command += ["--conf", f"{key}={value}"]
        with open(folder / "log.txt", "w", encoding="utf-8") as log:
            subprocess.run([*map(str, command), str(source(job))], stdout=log, stderr=log, check=True)
        (folder / "complete").touch()
    return result


def predicted(run, cores, measured_ms):
    """A line of text, the error, and whether the range has what was measured."""
    prediction = answer("compare", run, "--cores", cores)
    error = prediction["predictedMs"] / measured_ms - 1
    low, high = prediction["rangeMs"]["low"], prediction["rangeMs"]["high"]
    is_in = low <= measured_ms <= high
    text = f"{cores} cores: {measured_ms / 1000:.1f} s, predicted {prediction['predictedMs'] / 1000:.1f} s ({error:+.0%}), "
    text += f"range {low / 1000:.1f} to {high / 1000:.1f} s{'' if is_in else ': MISSED'}"
    return text, abs(error), is_in


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("jobs", nargs="*", default=JOBS)
    options = options.parse_args()
    if "SPARK_HOME" not in os.environ:
        sys.exit('predictions: SPARK_HOME is not set: eval "$(make -s env)" first')
    predictions, times, gb_hours = [], [0, 0], [0, 0]
    for job in options.jobs:
        folder = options.folder / job
        two = recording(folder / "two", job, "local[2]", {})
        one = recording(folder / "one", job, "local[1]", {})
        tuning, of_one = answer("tune", two), answer("tune", one)
        recorded = tuning["recorded"]
        tuned = answer("tune", recording(folder / "tuned", job, "local[2]", {one["key"]: one["value"] for one in tuning["settings"]}))
        print(job, flush=True)
        for run, cores, measured_ms in ((two, 1, of_one["recorded"]["durationMs"]), (one, 2, recorded["durationMs"])):
            predictions.append(predicted(run, cores, measured_ms))
            print(f"  {predictions[-1][0]}", flush=True)
        for sums, key in ((times, "durationMs"), (gb_hours, "gbHours")):
            sums[0] += recorded[key]
            sums[1] += tuned["recorded"][key]
        settings = " ".join(f"{one['key']}={one['value']}" for one in tuning["settings"]) or "nothing"
        change = {key: tuned["recorded"][key] / recorded[key] - 1 for key in ("durationMs", "gbHours")}
        print(f"  tuned ({settings}): time {change['durationMs']:+.1%}, GB-hours {change['gbHours']:+.1%}", flush=True)
    errors = [error for _, error, _ in predictions]
    print(f"{sum(error <= CLOSE for error in errors)} of {len(errors)} predictions within {CLOSE:.0%}, ", end="")
    print(f"{sum(is_in for _, _, is_in in predictions)} in the range, mean error {sum(errors) / len(errors):.1%}")
    print(f"tuned, all together: time {times[1] / times[0] - 1:+.1%}, GB-hours {gb_hours[1] / gb_hours[0] - 1:+.1%}")


if __name__ == "__main__":
    main()
