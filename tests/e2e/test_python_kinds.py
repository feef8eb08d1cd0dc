# SPDX-License-Identifier: Apache-2.0
"""Each kind of Python function, and each way in which Spark runs workers, is in the profile."""

import re

from spark_jobs import VERSIONS_OF_LONG_TESTS, Cluster, Spark, run_job
from support import TestCase, slow, weight_of

EVAL_TYPES = {
    "rdd": "NON_UDF",
    "foreach": "NON_UDF",
    "udf": "SQL_BATCHED_UDF",
    "arrow_udf": "SQL_ARROW_BATCHED_UDF",
    "pandas": "SQL_SCALAR_PANDAS_UDF",
    "iterator": "SQL_SCALAR_PANDAS_ITER_UDF",
    "aggregate": "SQL_GROUPED_AGG_PANDAS_UDF",
    "apply": "SQL_GROUPED_MAP_PANDAS_UDF",
    "map": "SQL_MAP_PANDAS_ITER_UDF",
    "map_arrow": "SQL_MAP_ARROW_ITER_UDF",
    "cogroup": "SQL_COGROUPED_MAP_PANDAS_UDF",
    "udtf": "SQL_TABLE_UDF",
}
# "number of output rows" of the plans' nodes.
ROWS = {"udf": 4, "arrow_udf": 4, "pandas": 4, "iterator": 4, "aggregate": 1, "apply": 4, "map": 4, "map_arrow": 4, "cogroup": 4, "udtf": 1}
BURNT_NS = 0.4e9


def evaluation_type(kind, version):
    """Since Spark 4.2, Arrow passes the rows of plain functions and table functions."""
    is_arrow_default = tuple(int(part) for part in version.split(".")[:2]) >= (4, 2)
    with_arrow = {"udf": "SQL_ARROW_BATCHED_UDF", "udtf": "SQL_ARROW_TABLE_UDF"} if is_arrow_default else {}
    return with_arrow.get(kind, EVAL_TYPES[kind])


def function_of(kind):
    return "burn_udtf.eval" if kind == "udtf" else f"burn_{kind}"


class PythonKindsTest(TestCase):
    def profile(self, version, kinds, master="local[2]", name="out", **settings):
        conf = {"spark.executor.memory": "512m"} | {key.replace("_", "."): value for key, value in settings.items()}
        profile = run_job(self.folder, "python_kinds.py", *kinds, name=name, spark=Spark(version), master=master, conf=conf)
        self.assertEqual(re.findall(r"^ran (\w+)$", profile.process.stdout, re.MULTILINE), list(kinds))
        return profile

    def check_cpu(self, profile, kinds):
        stacks = profile.collapsed("--language", "python")
        for kind in kinds:
            cpu_ns = weight_of(stacks, f";{function_of(kind)} (python_kinds.py:")
            self.assertGreater(cpu_ns, 0.8 * BURNT_NS, f"{kind}: {cpu_ns / 1e9:.2f} s")

    def test_every_kind_of_function_is_told_with_its_evaluation_type(self):
        for version in VERSIONS_OF_LONG_TESTS:
            with self.subTest(spark=version):
                kinds = list(EVAL_TYPES)
                profile = self.profile(version, kinds, name=f"kinds-{version}")
                self.check_cpu(profile, kinds)
                udfs = {udf["name"]: udf for udf in profile.show("udfs")}
                for kind in kinds:
                    udf = udfs[function_of(kind)]
                    self.assertEqual(udf["evalType"], evaluation_type(kind, version), kind)
                    self.assertEqual(udf.get("rows"), ROWS.get(kind), kind)
                    self.assertTrue(udf["file"].endswith("python_kinds.py"))
                    self.assertGreater(udf["cpuNs"], 0.8 * BURNT_NS, kind)

    def test_a_function_that_raises_and_workers_that_die_keep_their_samples(self):
        kinds = ["raise", "exit", "kill"]
        self.check_cpu(self.profile("4.1.1", kinds), kinds)

    @slow("workers of one task each are")
    def test_without_worker_reuse(self):
        kinds = ["rdd", "udf"]
        self.check_cpu(self.profile("4.1.1", kinds, spark_python_worker_reuse="false"), kinds)

    @slow("workers without a daemon are")
    def test_without_daemon(self):
        for version in VERSIONS_OF_LONG_TESTS:
            with self.subTest(spark=version):
                kinds = ["rdd", "udf"]
                profile = self.profile(version, kinds, name=f"plain-{version}", spark_python_use_daemon="false")
                self.check_cpu(profile, kinds)

    @slow("a cluster with Python workers is")
    def test_executors_of_a_cluster(self):
        kinds = ["rdd", "udf"]
        self.check_cpu(self.profile("3.5.7", kinds, master=Cluster(self, Spark("3.5.7")).url), kinds)

    def test_switched_off(self):
        profile = self.profile("4.1.1", ["rdd"], spark_sparkprof_python_enabled="false")
        self.assertEqual(profile.collapsed("--language", "python"), {})
