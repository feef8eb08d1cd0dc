// SPDX-License-Identifier: Apache-2.0
#include "pictures/selection_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tuple>
#include <utility>

#include "base/text/quantity.h"
#include "base/text/text.h"
#include "text_log/given_time.h"

namespace sparkprof {
namespace {

constexpr NumberRange kNotNegative{};
constexpr const char* kGroup = "Selection";  // group in the help

}  // namespace

RequestOptions SelectionOptions::WorkAndTimeOptions() {
  RequestOptions options{
      {.names = "job", .value = &job, .help = "Select a job", .type_name = "ID", .range = kNotNegative},
      {.names = "job-tag",
       .value = &tag,
       .help = "Select the jobs with this tag, of SparkContext.addJobTag, Spark Connect (user:NAME, session:ID, "
               "operation:ID) or dbt (dbt:NODE)",
       .type_name = "TAG"},
      {.names = "stage",
       .value = &stage,
       .help = "Select a stage (3), or one attempt of it (3.0)",
       .type_name = "STAGE"},
      {.names = "task",
       .value = &tasks,
       .help = "Select a task by its TID; may be repeated",
       .type_name = "TID",
       .range = kNotNegative},
      {.names = "sql", .value = &sql, .help = "Select an SQL execution", .type_name = "ID", .range = kNotNegative},
      {.names = "node",
       .value = &node,
       .help = "Select an operator of the plan of --sql, by the node that `show operators` prints",
       .type_name = "ID",
       .range = kNotNegative},
      {.names = "executor",
       .value = &executor,
       .help = "Select an executor by its ID (\"driver\", \"1\")",
       .type_name = "ID"},
      {.names = "from", .value = &from, .help = kFromHelp, .type_name = "TIME"},
      {.names = "to", .value = &to, .help = kToHelp, .type_name = "TIME"},
  };
  for (RequestOption& option : options) option.group = kGroup;
  return options;
}

RequestOptions SelectionOptions::Options(std::vector<std::string> events) {
  RequestOptions options{
      {.names = "event event-filter e",
       .value = &event,
       .help = "Event; cpu, wall, alloc, lock, pyalloc, pylive, or any other that the profile has",
       .type_name = "EVENT",
       .choices = std::move(events),
       .shown_default = "cpu"},
  };
  for (RequestOption& option : WorkAndTimeOptions()) options.push_back(std::move(option));
  const RequestOptions others{
      {.names = "on-host",
       .value = &host,
       .help = "Select the executors of a host, by the name that `show hosts` prints",
       .type_name = "NAME"},
      {.names = "thread",
       .value = &thread,
       .help = "Select threads by OS thread ID, or by a regular expression for the name",
       .type_name = "TID|RE2"},
      {.names = "search",
       .value = &search,
       .help = "Select stacks with a frame that matches this regular expression",
       .type_name = "RE2"},
      {.names = "language",
       .value = &language,
       .help = "Python stacks below the JVM frames that wait for them (merged), or one side (recordings)",
       .type_name = "LANGUAGE",
       .choices = {"merged", "jvm", "python"},
       .shown_default = language},
      {.names = "pyspark-frames",
       .value = &pyspark_frames,
       .help = "Show PySpark's own frames below [pyspark runtime]"},
      {.names = "idle", .value = &idle, .help = "Include wall-clock samples of idle pool threads"},
  };
  options.insert(options.end(), others.begin(), others.end());
  for (RequestOption& option : options) option.group = kGroup;
  return options;
}

Result<Selection> SelectionOptions::Parse() const {
  Selection selection;
  selection.event = event.empty() ? EventName(Event::kCpu) : event;
  if (job >= 0) selection.job = job;
  selection.tag = tag;
  if (sql >= 0) selection.sql = sql;
  if (node >= 0) {
    if (sql < 0) return Fail("--node requires --sql");
    selection.node = node;
  }
  if (!stage.empty()) {
    if (const Result<void> parsed = ParseStage(stage, &selection); !parsed) {
      return Fail(fmt::format("--stage: {}", parsed.error().message));
    }
  }
  selection.tasks = tasks;
  if (!executor.empty()) selection.executor = executor;
  selection.host = host;
  selection.thread = thread;
  selection.search = search;
  for (const auto& [text, option, time_ns] :
       {std::tuple(&from, "--from", &selection.from_ns), std::tuple(&to, "--to", &selection.to_ns)}) {
    if (text->empty()) continue;
    const Result<GivenTime> time = ParseGivenTime(option, *text);
    if (!time) return tl::unexpected(time.error());
    *time_ns = time->duration_ns ? *time->duration_ns : time->ToUtc();
  }
  selection.without_idle = !idle;
  return selection;
}

Result<void> SelectionOptions::CheckUnits() const {
  for (const auto& [text, option] : {std::pair(&from, "--from"), std::pair(&to, "--to")}) {
    if (text->empty()) continue;
    const Result<GivenTime> time = ParseGivenTime(option, *text);
    if (!time || time->duration_ns.value_or(0) == 0 || ParseDuration(*text)) continue;
    return Fail(fmt::format("{}: \"{}\" has no unit; use {}ms for jfrconv's milliseconds, or {}s", option, *text, *text,
                            *text));
  }
  return {};
}

void SelectionOptions::AnchorTimes(const TimeRange& range, Selection* selection) const {
  const auto anchor = [&](const std::string& text, std::optional<int64_t>* time_ns) {
    if (*time_ns && !ParseGivenTime("", text).value().duration_ns) **time_ns -= range.start_ns;
  };
  anchor(from, &selection->from_ns);
  anchor(to, &selection->to_ns);
}

std::string Describe(const Selection& selection) {
  std::vector<std::string> parts;
  if (selection.job) parts.push_back(fmt::format("job {}", *selection.job));
  if (!selection.tag.empty()) parts.push_back(fmt::format("tag {}", selection.tag));
  if (selection.stage) {
    parts.push_back(selection.stage_attempt ? fmt::format("stage {}.{}", *selection.stage, *selection.stage_attempt)
                                            : fmt::format("stage {}", *selection.stage));
  }
  if (!selection.tasks.empty()) parts.push_back(fmt::format("task {}", fmt::join(selection.tasks, ", ")));
  if (selection.sql) parts.push_back(fmt::format("SQL execution {}", *selection.sql));
  if (selection.node) parts.push_back(fmt::format("node {}", *selection.node));
  if (selection.executor) parts.push_back(fmt::format("executor {}", *selection.executor));
  if (!selection.host.empty()) parts.push_back(fmt::format("host {}", selection.host));
  if (!selection.thread.empty()) parts.push_back(fmt::format("thread {}", selection.thread));
  if (selection.from_ns) parts.push_back(fmt::format("from {}", FormatDuration(*selection.from_ns)));
  if (selection.to_ns) parts.push_back(fmt::format("to {}", FormatDuration(*selection.to_ns)));
  if (!selection.search.empty()) parts.push_back(fmt::format("stacks with {}", selection.search));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace sparkprof
