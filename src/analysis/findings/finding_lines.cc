// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/failures/failure_cause.h"
#include "analysis/findings/finding_steps.h"
#include "analysis/findings/rules.h"
#include "analysis/plans/datasets.h"
#include "analysis/python/driver_lines.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxLines = 3;

// The first attempt of a stage; null if unknown.
const Stage* StageOf(const Application& application, int64_t id) {
  const auto found = std::ranges::find_if(application.stages, [id](const Stage& stage) { return stage.id == id; });
  return found == application.stages.end() ? nullptr : &*found;
}

// The innermost line of the program in a stack that Spark recorded with a stage or query: "run (Job.scala:12)"; empty
// if there is none.
std::string LineInStack(std::string_view details) { return CauseOfFailure(details).line; }

// The line of the program that runs a stage: "collect at job.py:60"; empty if there is none. Adaptive execution runs
// stages on its own threads, so their stacks lack the program's line, but the query's stack has it.
std::string LineOfStage(const Application& application, const WorkNames& names, const Stage& stage) {
  std::vector<std::string_view> sites = {stage.name};
  for (const Job& job : application.jobs) {
    if (job.id != stage.job) continue;
    if (std::string step = StepOf(job); !step.empty()) return step;
    sites.insert(sites.end(), {job.call_site, job.name});
  }
  const SqlExecution* const sql = ExecutionOfStage(application, stage);
  if (sql != nullptr) sites.push_back(sql->description);
  // Spark does not distinguish the code of a library from the program's.
  const auto row = static_cast<size_t>(&stage - application.stages.data());
  if (!names.stages[row].library.empty()) sites.clear();
  const auto site = std::ranges::find_if(sites, IsOfProgram);
  if (site != sites.end()) return ShortCallSite(*site);
  const std::string of_query = sql != nullptr ? LineInStack(sql->details) : std::string();
  return of_query.empty() ? LineInStack(stage.details) : of_query;
}

// True if the line belongs to the script that starts a tool: "<module> (dbt:6)". Such files have no extension.
bool IsOfConsoleScript(std::string_view line) {
  const size_t file = line.rfind('(');
  return line.starts_with("<module> (") && line.find('.', file) == std::string_view::npos;
}

// "writes shop.sales" for a query that Spark got as text, otherwise "reads shop.orders" for what the stage scans; empty
// if there is neither.
std::string DatasetOfStage(const Application& application, const Stage& stage) {
  const SqlExecution* const sql = ExecutionOfStage(application, stage);
  if (sql == nullptr) return {};
  for (const PlanOperator& one : OperatorsOf(sql->plan)) {
    if (const std::optional<Dataset> written = DatasetWritten(one)) return "writes " + TextOf(*written);
  }
  for (const PlanOperator& one : OperatorsOfStage(application, stage)) {
    if (const std::optional<Dataset> read = DatasetRead(one)) return "reads " + TextOf(*read);
  }
  return {};
}

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

void NameLines(const Application& application, const WorkNames& names, Finding* finding) {
  // Rules use the call site of a query unchanged.
  std::erase_if(finding->frames, [](const std::string& line) { return Contains(line, " at ") && !IsOfProgram(line); });
  if (!finding->frames.empty()) return;
  for (const int64_t id : finding->stages) {
    if (finding->frames.size() == kMaxLines) return;
    const Stage* const stage = StageOf(application, id);
    std::string line = stage == nullptr ? std::string() : LineOfStage(application, names, *stage);
    const bool is_known = Contains(finding->frames, line);
    if (!line.empty() && !is_known) finding->frames.push_back(std::move(line));
  }
  if (!finding->frames.empty() || finding->stages.empty()) return;
  // Spark's call site for a Python program's write is a line of Py4J. Samples show the waiting line of the program.
  const Stage* const stage = StageOf(application, finding->stages.front());
  if (stage == nullptr) return;
  const int64_t end_ns = stage->end_ns > 0 ? stage->end_ns : application.end_ns;
  std::string line =
      LineThatCallsSpark(application, [&](int64_t time_ns) { return time_ns >= stage->submit_ns && time_ns < end_ns; });
  if (line.empty() || IsOfConsoleScript(line)) {
    if (std::string dataset = DatasetOfStage(application, *stage); !dataset.empty()) line = std::move(dataset);
  }
  if (!line.empty()) finding->frames.push_back(std::move(line));
}

std::optional<CodeExample> ExampleOf(const Application& application, const Finding& finding) {
  if (!IsPythonProgram(application)) return std::nullopt;
  for (const ExampleOfAdvice& one : kExamples) {
    if (one.rule == finding.rule && Contains(finding.change, one.advice)) return one.code;
  }
  return std::nullopt;
}

}  // namespace sparkprof
