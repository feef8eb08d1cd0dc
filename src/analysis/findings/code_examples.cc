// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "analysis/findings/advice.h"
#include "analysis/findings/finding_steps.h"

namespace sparkprof {
namespace {

struct ExampleOfAdvice {
  std::string_view rule;
  std::string_view advice;  // substring of the finding's change; empty = any
  CodeExample code;
};

constexpr CodeExample kVectorized = {"@udf(\"long\")\ndef f(x):\n    return work(x)",
                                     "@pandas_udf(\"long\")\ndef f(x: pd.Series) -> pd.Series:\n    return "
                                     "work(x)  # a whole batch at once"};

constexpr CodeExample kYielded = {
    "def f(rows):\n    out = []\n    for row in rows:\n        out.append(work(row))\n    return out",
    "def f(rows):\n    for row in rows:\n        yield work(row)"};

constexpr CodeExample kLeft = {"rows = df.collect()", "df.write.parquet(path)"};

// The first match counts.
constexpr ExampleOfAdvice kExamples[] = {
    {"python-bound", "pandas UDF", kVectorized},
    {"pickled-rows", "pandas UDF", kVectorized},
    {"skew", "broadcast the other side", {"facts.join(names, \"key\")", "facts.join(broadcast(names), \"key\")"}},
    {"skew",
     "reduceByKey",
     {"pairs.groupByKey().mapValues(sum)", "pairs.reduceByKey(add)  # combines before the shuffle"}},
    {"skew",
     "in two steps",
     {"rows.groupBy(\"key\").agg(sum(\"x\"))",
      "(rows.groupBy(\"key\", (rand() * 16).cast(\"int\").alias(\"part\")).agg(sum(\"x\").alias(\"x\"))\n"
      "     .groupBy(\"key\").agg(sum(\"x\")))"}},
    {"skew", "without a column", {"rows.repartition(n, \"key\")", "rows.repartition(n)"}},
    {"skew", "repartition() after the", {"spark.read.json(path)", "spark.read.json(path).repartition(n)"}},
    {"grouped-rows", "reduceByKey", {"pairs.groupByKey().mapValues(sum)", "pairs.reduceByKey(add)"}},
    {"broadcastable-join", "broadcast()", {"large.join(small, \"key\")", "large.join(broadcast(small), \"key\")"}},
    {"exploding-join",
     "Add an equality",
     {"a.join(b, a.begin <= b.time)", "a.join(b, (a.key == b.key) & (a.begin <= b.time))"}},
    {"exploding-join", "remove duplicate keys", {"a.join(b, \"key\")", "a.join(b.dropDuplicates([\"key\"]), \"key\")"}},
    {"worker-growth", "Yield rows", kYielded},
    {"python-memory", "Yield rows", kYielded},
    {"python-memory",
     "lru_cache",
     {"seen = {}\n\ndef f(key):\n    if key not in seen:\n        seen[key] = work(key)\n    return seen[key]",
      "@lru_cache(maxsize=10_000)\ndef f(key):\n    return work(key)"}},
    {"python-memory", "Leave the rows in the executors", kLeft},
    {"large-result", "Leave the rows in the executors", kLeft},
    {"repeated-read", "cache()", {"df = spark.read.parquet(path)", "df = spark.read.parquet(path).cache()"}},
    {"schema-inference",
     "spark.read.schema",
     {"spark.read.load(path)", "spark.read.schema(\"id long, day date\").load(path)"}},
    {"small-files", "coalesce", {"df.write.parquet(path)", "df.coalesce(n).write.parquet(path)"}},
    {"many-output-files",
     "repartition()",
     {"df.write.partitionBy(\"day\").parquet(path)",
      "df.repartition(\"day\").write.partitionBy(\"day\").parquet(path)"}},
    {"query-planning",
     "one select()",
     {"for name in names:\n    df = df.withColumn(name, f(name))",
      "df = df.select(\"*\", *[f(name).alias(name) for name in names])"}},
    {"full-sort", "takeOrdered()", {"rdd.sortBy(key).take(n)", "rdd.takeOrdered(n, key)"}},
};

}  // namespace

std::optional<CodeExample> ExampleOf(const Application& application, const Finding& finding) {
  if (!IsPythonProgram(application)) return std::nullopt;
  for (const ExampleOfAdvice& one : kExamples) {
    if (one.rule == finding.rule && finding.change.find(one.advice) != std::string::npos) return one.code;
  }
  return std::nullopt;
}

}  // namespace sparkprof
