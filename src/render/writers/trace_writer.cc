// SPDX-License-Identifier: Apache-2.0
#include "render/writers/trace_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "analysis/answers.h"
#include "analysis/plans/work_names.h"
#include "analysis/selection/spark_settings.h"
#include "analysis/selection/time_range.h"
#include "base/text/characters.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/version.h"
#include "model/hash_bytes.h"

namespace sparkprof {
namespace {

constexpr size_t kTraceDigits = 32, kSpanDigits = 16;
constexpr size_t kMaxTasksOfStage = 20;
constexpr size_t kMaxSpanText = 1000;  // maximum size of a text from the job, bytes
// Spark's settings that set environment variables of a job.
constexpr std::string_view kTraceSettings[] = {"spark.executorEnv.TRACEPARENT", "spark.yarn.appMasterEnv.TRACEPARENT",
                                               "spark.kubernetes.driverEnv.TRACEPARENT"};

constexpr std::pair<std::string_view, std::string_view> kLineageSettings[] = {
    {"spark.openlineage.parentJobNamespace", "openlineage.parent.job.namespace"},
    {"spark.openlineage.parentJobName", "openlineage.parent.job.name"},
    {"spark.openlineage.parentRunId", "openlineage.parent.run.id"}};

bool IsId(std::string_view text, size_t digits) {
  return text.size() == digits && text.find_first_not_of('0') != std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsHexDigit(c) && !IsUpper(c); });
}

std::string HashText(std::string_view text) { return fmt::format("{:016x}", HashBytes(text) | 1); }

// OTLP attributes: {"key":…,"value":{"stringValue":…}}.
class Attributes {
 public:
  Attributes() { json_.BeginArray(); }

  Attributes& Text(std::string_view key, std::string_view value) {
    if (!value.empty()) Begin(key).Member("stringValue", Shorten(ToUtf8(value), kMaxSpanText)).EndObject().EndObject();
    return *this;
  }
  // 64-bit integers are strings in OTLP's JSON.
  Attributes& Number(std::string_view key, int64_t value) {
    Begin(key).Member("intValue", std::to_string(value)).EndObject().EndObject();
    return *this;
  }
  std::string Take() { return json_.EndArray().Take(); }

 private:
  JsonWriter& Begin(std::string_view key) { return json_.BeginObject().Member("key", key).Key("value").BeginObject(); }

  JsonWriter json_;
};

struct Span {
  std::string id, parent, name;
  int64_t start_ns = 0, end_ns = 0;
  std::string attributes;  // JSON
  RunStatus status = RunStatus::kRunning;
  std::string failure;
};

class TraceMaker {
 public:
  TraceMaker(const Application& application, const Answers& answers, const TraceOptions& options)
      : application_(application), answers_(answers), options_(options), names_(NamesOfWork(application)) {
    range_ = RangeOf(application);
    const std::string key = application.id + "/" + application.attempt;
    trace_id_ = options.parent ? options.parent->trace_id : HashText("trace " + key) + HashText("trace of " + key);
    root_ = IdOf("application", 0, 0);
  }

  std::string Make() {
    std::vector<Span> spans;
    AddQueries(&spans);
    AddJobs(&spans);
    AddStages(&spans);
    AddTasks(&spans);
    const size_t kept = std::min(spans.size(), options_.most_spans - std::min<size_t>(1, options_.most_spans));
    const size_t dropped = spans.size() - kept;
    spans.resize(kept);

    JsonWriter json;
    json.BeginObject().Key("resourceSpans").BeginArray().BeginObject();
    json.Key("resource").BeginObject().Key("attributes").Raw(Resource()).EndObject();
    json.Key("scopeSpans").BeginArray().BeginObject().Key("scope").BeginObject();
    json.Member("name", "sparkprof").Member("version", Version()).EndObject().Key("spans").BeginArray();
    WriteApplication(dropped, &json);
    for (const Span& span : spans) {
      Begin(span, &json);
      json.EndObject();
    }
    json.EndArray().EndObject().EndArray().EndObject().EndArray().EndObject();
    return json.Take() + "\n";
  }

 private:
  std::string IdOf(std::string_view kind, int64_t id, int64_t attempt) const {
    return HashText(fmt::format("{} {} {} {} {}", application_.id, application_.attempt, kind, id, attempt));
  }

  std::string Resource() const {
    const std::string_view name = application_.name.empty() ? application_.id : application_.name;
    Attributes attributes;
    // The run that started it, as passed on by OpenLineage's scheduler integrations.
    for (const auto& [setting, attribute] : kLineageSettings)
      attributes.Text(attribute, SettingOf(application_, setting).value_or(""));
    return attributes.Text("service.name", name)
        .Text("spark.application.id", application_.id)
        .Text("spark.application.attempt", application_.attempt)
        .Text("spark.version", application_.spark_version)
        .Text("spark.master", application_.master)
        .Text("enduser.id", application_.user)
        .Take();
  }

  // Link to the page's flame graph of a selection; empty without a page.
  std::string FlameGraph(const std::string& selection) const {
    if (options_.page.empty()) return {};
    return fmt::format("{}#tab=flame{}{}", options_.page, selection.empty() ? "" : "&", selection);
  }

  void AddQueries(std::vector<Span>* spans) {
    for (const SqlExecution& query : application_.sql_executions) {
      if (query.start_ns <= 0) continue;
      const bool is_inner = query.root_id >= 0 && query.root_id != query.id;
      spans->push_back({.id = IdOf("query", query.id, 0),
                        .parent = is_inner ? IdOf("query", query.root_id, 0) : root_,
                        .name = fmt::format("query {}", query.id),
                        .start_ns = query.start_ns,
                        .end_ns = query.end_ns,
                        .attributes = Attributes()
                                          .Number("spark.sql.execution.id", query.id)
                                          .Text("spark.sql.description", query.description)
                                          .Text("sparkprof.flame_graph", FlameGraph(fmt::format("sql={}", query.id)))
                                          .Take(),
                        .status = query.status,
                        .failure = query.failure});
      queries_.insert(query.id);
    }
  }

  void AddJobs(std::vector<Span>* spans) {
    for (size_t row = 0; row < application_.jobs.size(); ++row) {
      const Job& job = application_.jobs[row];
      if (job.submit_ns <= 0) continue;
      spans->push_back({.id = IdOf("job", job.id, 0),
                        .parent = queries_.contains(job.sql_execution) ? IdOf("query", job.sql_execution, 0) : root_,
                        .name = fmt::format("job {}", job.id),
                        .start_ns = job.submit_ns,
                        .end_ns = job.end_ns,
                        .attributes = Attributes()
                                          .Number("spark.job.id", job.id)
                                          .Text("spark.job.work", names_.jobs[row].Text())
                                          .Text("spark.job.description", job.description)
                                          .Text("spark.job.group", job.group)
                                          .Text("sparkprof.flame_graph", FlameGraph(fmt::format("job={}", job.id)))
                                          .Take(),
                        .status = job.status,
                        .failure = job.failure});
      jobs_.insert(job.id);
    }
  }

  void AddStages(std::vector<Span>* spans) {
    for (size_t row = 0; row < application_.stages.size(); ++row) {
      const Stage& stage = application_.stages[row];
      if (stage.submit_ns <= 0 || stage.status == RunStatus::kSkipped) continue;
      const StageSummary& sums = answers_.stages[row];
      const std::string selection = fmt::format("stage={}.{}", stage.id, stage.attempt);
      Attributes attributes;
      attributes.Number("spark.stage.id", stage.id)
          .Number("spark.stage.attempt", stage.attempt)
          .Text("spark.stage.work", names_.stages[row].Text())
          .Number("spark.stage.tasks", static_cast<int64_t>(sums.tasks.size()))
          .Number("spark.stage.failed_tasks", sums.failed_tasks);
      for (const TaskMetric metric : {TaskMetric::kExecutorRunTime, TaskMetric::kExecutorCpuTime, TaskMetric::kGcTime,
                                      TaskMetric::kInputBytes, TaskMetric::kOutputBytes, TaskMetric::kShuffleReadBytes,
                                      TaskMetric::kShuffleWriteBytes, TaskMetric::kDiskSpilled}) {
        if (sums.Total(metric) > 0) attributes.Number(fmt::format("spark.{}", Text(metric).name), sums.Total(metric));
      }
      spans->push_back({.id = IdOf("stage", stage.id, stage.attempt),
                        .parent = jobs_.contains(stage.job) ? IdOf("job", stage.job, 0) : root_,
                        .name = fmt::format("stage {}.{}", stage.id, stage.attempt),
                        .start_ns = stage.submit_ns,
                        .end_ns = stage.end_ns,
                        .attributes = attributes.Text("sparkprof.flame_graph", FlameGraph(selection)).Take(),
                        .status = stage.status,
                        .failure = stage.failure});
      stages_.insert(row);
    }
  }

  // The failed and the slowest tasks of a stage, slowest first.
  std::vector<uint32_t> TasksToShow(const StageSummary& stage) const {
    const Tasks& tasks = application_.tasks;
    std::vector<int64_t> durations;
    for (const uint32_t task : stage.tasks) {
      if (tasks.finish_ns[task] > 0) durations.push_back(tasks.finish_ns[task] - tasks.launch_ns[task]);
    }
    int64_t limit_ns = options_.shortest_task_ns;
    if (!durations.empty()) {
      const auto place = static_cast<size_t>(options_.task_quantile * static_cast<double>(durations.size()));
      const auto at = durations.begin() + static_cast<ptrdiff_t>(std::min(place, durations.size() - 1));
      std::nth_element(durations.begin(), at, durations.end());
      limit_ns = std::max(limit_ns, *at);
    }
    std::vector<uint32_t> shown;
    for (const uint32_t task : stage.tasks) {
      if (tasks.launch_ns[task] <= 0 || tasks.finish_ns[task] <= 0) continue;
      const bool has_failed = tasks.outcome[task] == TaskOutcome::kFailed;
      if (has_failed || tasks.finish_ns[task] - tasks.launch_ns[task] >= limit_ns) shown.push_back(task);
    }
    std::stable_sort(shown.begin(), shown.end(), [&](uint32_t a, uint32_t b) {
      return tasks.finish_ns[a] - tasks.launch_ns[a] > tasks.finish_ns[b] - tasks.launch_ns[b];
    });
    if (shown.size() > kMaxTasksOfStage) shown.resize(kMaxTasksOfStage);
    return shown;
  }

  void AddTasks(std::vector<Span>* spans) {
    const Tasks& tasks = application_.tasks;
    for (const size_t row : stages_) {
      const Stage& stage = application_.stages[row];
      for (const uint32_t task : TasksToShow(answers_.stages[row])) {
        Attributes attributes;
        attributes.Number("spark.task.id", tasks.id[task]).Number("spark.task.attempt", tasks.attempt[task]);
        if (tasks.partition[task] >= 0) attributes.Number("spark.task.partition", tasks.partition[task]);
        if (tasks.executor[task] >= 0) {
          const Executor& executor = application_.executors[static_cast<size_t>(tasks.executor[task])];
          attributes.Text("spark.executor.id", executor.id).Text("host.name", executor.host);
        }
        for (const TaskMetric metric : {TaskMetric::kExecutorCpuTime, TaskMetric::kGcTime, TaskMetric::kInputBytes,
                                        TaskMetric::kShuffleReadBytes, TaskMetric::kDiskSpilled}) {
          const int64_t value = tasks.Column(metric)[task];
          if (value > 0) attributes.Number(fmt::format("spark.{}", Text(metric).name), value);
        }
        const bool has_failed = tasks.outcome[task] == TaskOutcome::kFailed;
        spans->push_back(
            {.id = IdOf("task", tasks.id[task], 0),
             .parent = IdOf("stage", stage.id, stage.attempt),
             .name = fmt::format("task {} of stage {}.{}", tasks.id[task], stage.id, stage.attempt),
             .start_ns = tasks.launch_ns[task],
             .end_ns = tasks.finish_ns[task],
             .attributes = attributes
                               .Text("sparkprof.flame_graph", FlameGraph(fmt::format("stage={}.{}&task={}", stage.id,
                                                                                     stage.attempt, tasks.id[task])))
                               .Take(),
             .status = has_failed ? RunStatus::kFailed : RunStatus::kSucceeded,
             .failure = std::string(application_.profile.strings.Get(tasks.reason[task]))});
      }
    }
  }

  // Writes the span's members and leaves the object open.
  void Begin(const Span& span, JsonWriter* json) const {
    // The end of running work is unknown, so the end of the application's data is used.
    const int64_t end_ns = std::max(span.start_ns, span.end_ns > 0 ? span.end_ns : range_.end_ns);
    json->BeginObject().Member("traceId", trace_id_).Member("spanId", span.id);
    if (!span.parent.empty()) json->Member("parentSpanId", span.parent);
    constexpr int kInternal = 1, kOk = 1, kError = 2;
    json->Member("name", span.name).Member("kind", kInternal);
    json->Member("startTimeUnixNano", std::to_string(span.start_ns)).Member("endTimeUnixNano", std::to_string(end_ns));
    json->Key("attributes").Raw(span.attributes).Key("status").BeginObject();
    if (span.status == RunStatus::kSucceeded) json->Member("code", kOk);
    if (span.status == RunStatus::kFailed) {
      json->Member("code", kError).Member("message", Shorten(ToUtf8(span.failure), kMaxSpanText));
    }
    json->EndObject();
  }

  void WriteApplication(size_t dropped, JsonWriter* json) const {
    const bool has_failed =
        std::any_of(answers_.findings.begin(), answers_.findings.end(), [](const auto& one) { return one.is_failure; });
    Attributes attributes;
    attributes.Text("sparkprof.verdict", answers_.verdict)
        .Number("sparkprof.findings", static_cast<int64_t>(answers_.findings.size()))
        .Text("sparkprof.flame_graph", FlameGraph({}));
    if (dropped > 0) attributes.Number("sparkprof.dropped_spans", static_cast<int64_t>(dropped));
    Begin({.id = root_,
           .parent = options_.parent ? options_.parent->span_id : "",
           .name = application_.name.empty() ? application_.id : application_.name,
           .start_ns = range_.start_ns,
           .end_ns = range_.end_ns,
           .attributes = attributes.Take(),
           .status = has_failed           ? RunStatus::kFailed
                     : application_.ended ? RunStatus::kSucceeded
                                          : RunStatus::kRunning,
           .failure = has_failed ? answers_.findings.front().title : std::string()},
          json);
    json->Key("events").BeginArray();
    for (const Finding& finding : answers_.findings) {
      json->BeginObject().Member("timeUnixNano", std::to_string(range_.end_ns)).Member("name", "finding");
      json->Key("attributes")
          .Raw(Attributes()
                   .Text("sparkprof.rule", finding.rule)
                   .Text("sparkprof.severity", SeverityName(finding.severity))
                   .Text("sparkprof.title", finding.title)
                   .Text("sparkprof.change", finding.change)
                   .Text("sparkprof.saving", SavingRange(finding))
                   .Take());
      json->EndObject();
    }
    json->EndArray().EndObject();
  }

  const Application& application_;
  const Answers& answers_;
  const TraceOptions& options_;
  const WorkNames names_;
  TimeRange range_;
  std::string trace_id_, root_;
  std::set<int64_t> queries_, jobs_;  // IDs with spans
  std::set<size_t> stages_;           // rows with spans
};

}  // namespace

std::optional<TraceParent> ParseTraceParent(std::string_view text) {
  const std::vector<std::string_view> parts = Split(Trim(text), '-');
  // Later versions of the format may have more parts.
  const bool is_whole =
      parts.size() >= 4 && parts[0].size() == 2 && parts[0] != "ff" && (parts[0] != "00" || parts.size() == 4);
  if (!is_whole || !IsId(parts[1], kTraceDigits) || !IsId(parts[2], kSpanDigits)) return std::nullopt;
  return TraceParent{std::string(parts[1]), std::string(parts[2])};
}

std::optional<TraceParent> TraceParentOf(const Application& application) {
  for (const std::string_view name : kTraceSettings) {
    const std::optional<std::string_view> value = SettingOf(application, name);
    if (const auto parent = value ? ParseTraceParent(*value) : std::nullopt) return parent;
  }
  return std::nullopt;
}

std::string TraceJson(const Application& application, const Answers& answers, const TraceOptions& options) {
  return TraceMaker(application, answers, options).Make();
}

}  // namespace sparkprof
