// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/machines/executor_memory.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "fragments/fragment_readers.h"

namespace sparkprof {
namespace {

using Object = simdjson::dom::object;

constexpr size_t kMaxState = 200;
constexpr int64_t kMaxMebibytes = int64_t{1} << 40;

bool Has(const Object& object, std::string_view key) {
  simdjson::dom::element value;
  return Find(object, key, &value);
}

bool IsFailed(std::string_view state) {
  const std::string lower = ToLowerAscii(state);
  for (const std::string_view failed : {"failed", "error", "dead", "killed", "submission_failed", "failing"}) {
    if (lower == failed) return true;
  }
  return false;
}

// Counts states by kind of object: "jobs: 3 SUCCEEDED, 1 FAILED".
class States {
 public:
  void Add(std::string_view things, std::string_view state) {
    ++counts_[std::string(things)][Shorten(ToOneLine(state), kMaxState)];
  }

  std::string Text() const {
    std::vector<std::string> texts;
    for (const auto& [things, states] : counts_) texts.push_back(fmt::format("{}: {}", things, CountsText(states)));
    return fmt::format("{}", fmt::join(texts, "; "));
  }

 private:
  std::map<std::string, Counts> counts_;
};

// Calls `visit` with each object of an array.
template <typename Visit>
void ForEachIn(const Object& object, std::string_view key, Visit visit) {
  simdjson::dom::array array;
  if (!ArrayAt(object, key, &array)) return;
  for (const simdjson::dom::element element : array) {
    Object member;
    if (element.get_object().get(member) == simdjson::SUCCESS) visit(member);
  }
}

// Reads a job, stage, executor, query or application of Spark's REST API.
void AddRestObject(const Object& object, States* states, FragmentAnswer* answer) {
  constexpr std::string_view kLog = "the log of the driver";
  const std::string_view status = TextAt(object, "status");
  if (Has(object, "attempts")) {
    ForEachIn(object, "attempts", [&](const Object& attempt) {
      states->Add("applications", BooleanAt(attempt, "completed") ? "completed" : "running");
    });
  } else if (Has(object, "stageId")) {
    states->Add("stages", status);
    const std::string_view reason = TextAt(object, "failureReason");
    if (status == "FAILED" || !reason.empty())
      AddFailure(fmt::format("Stage {}.{}", IntegerAt(object, "stageId", -1), IntegerAt(object, "attemptId", 0)),
                 reason, kLog, answer);
  } else if (Has(object, "stageIds")) {
    states->Add("jobs", status);
    if (status == "FAILED")
      AddFailure(fmt::format("Job {}", IntegerAt(object, "jobId", -1)),
                 fmt::format("{} failed", Counted(IntegerAt(object, "numFailedTasks", 0), "task")),
                 "/stages of the same API", answer);
  } else if (Has(object, "hostPort")) {
    states->Add(TextAt(object, "id") == "driver" ? "drivers" : "executors",
                BooleanAt(object, "isActive") ? "active" : "removed");
    const std::string_view reason = TextAt(object, "removeReason");
    const bool is_wanted = reason.find("killed by driver") != std::string_view::npos ||
                           reason.find("ecommission") != std::string_view::npos;
    if (!reason.empty() && !is_wanted)
      AddFailure(fmt::format("Executor {}", TextAt(object, "id")), reason, "the log of the executor", answer);
  } else if (Has(object, "planDescription") || Has(object, "successJobIds")) {
    states->Add("queries", status);
    if (status == "FAILED")
      AddFailure(fmt::format("Query {}", IntegerAt(object, "id", -1)), TextAt(object, "errorMessage"), kLog, answer);
  }
}

// Log lines with the reason: the last cause, otherwise the last error.
std::string ReasonIn(const Object& session) {
  simdjson::dom::array lines;
  std::string reason;
  bool has_cause = false;
  if (!ArrayAt(session, "log", &lines)) return reason;
  for (const simdjson::dom::element element : lines) {
    const std::string_view line = Trim(TextOf(element));
    const bool is_cause = line.starts_with("Caused by: ") || line.find("diagnostics: ") != std::string_view::npos;
    const bool is_error = line.find("Exception") != std::string_view::npos ||
                          line.find("Error") != std::string_view::npos ||
                          line.find("exited with") != std::string_view::npos;
    if (is_cause || (is_error && !has_cause)) reason = line;
    has_cause |= is_cause;
  }
  return reason;
}

void AddLivyObject(const Object& object, States* states, FragmentAnswer* answer) {
  for (const std::string_view list : {"sessions", "statements"})
    ForEachIn(object, list, [&](const Object& one) { AddLivyObject(one, states, answer); });
  const std::string_view state = TextAt(object, "state");
  if (state.empty()) return;
  Object output;
  const bool is_statement = ObjectAt(object, "output", &output);
  const std::string_view things = is_statement || Has(object, "code") ? "statements"
                                  : Has(object, "kind")               ? "sessions"
                                                                      : "batches";
  states->Add(things, state);
  const std::string subject = fmt::format("{} {}",
                                          things == "statements" ? "Statement"
                                          : things == "sessions" ? "Session"
                                                                 : "Batch",
                                          IntegerAt(object, "id", -1));
  if (is_statement && TextAt(output, "status") == "error") {
    AddFailure(subject, fmt::format("{}: {}", TextAt(output, "ename"), TextAt(output, "evalue")), "its traceback",
               answer);
  } else if (IsFailed(state)) {
    const std::string_view id = TextAt(object, "appId");
    AddFailure(subject, ReasonIn(object),
               id.empty() ? std::string("the log of Livy") : fmt::format("the driver's log of {}", id), answer);
  }
}

// The overhead that remedies start from: Spark's default unless the specification sets more.
ProcessMemory MemoryOfSpec(std::string_view heap, std::string_view overhead, bool is_python) {
  constexpr double kOfJvm = 0.1, kOfPython = 0.4;
  ProcessMemory memory{.heap = MemoryIn(heap), .overhead = MemoryIn(overhead)};
  if (!memory.heap) return memory;
  const auto share = static_cast<int64_t>(static_cast<double>(*memory.heap) * (is_python ? kOfPython : kOfJvm));
  memory.overhead = std::max({memory.overhead.value_or(0), share, kLeastOverhead});
  return memory;
}

}  // namespace

std::string AnswerRestAnswer(std::string_view text, FragmentAnswer* answer) {
  States states;
  ForEachJsonObject(text, [&](const Object& object) { AddRestObject(object, &states, answer); });
  return states.Text();
}

// Reads {"app":{…}}, {"apps":{"app":[…]}}, or a single application.
std::string AnswerYarnRestAnswer(std::string_view text, FragmentAnswer* answer) {
  States states;
  std::vector<YarnApplication> applications;
  const std::function<void(const Object&)> add = [&](const Object& object) {
    Object inner;
    if (ObjectAt(object, "apps", &inner) || ObjectAt(object, "app", &inner)) return add(inner);
    ForEachIn(object, "app", add);
    if (!Has(object, "finalStatus")) return;
    const auto text_at = [&](std::string_view key) { return std::string(TextAt(object, key)); };
    simdjson::dom::element share;
    double percent = 0;
    if (Find(object, "queueUsagePercentage", &share) && share.get_double().get(percent) != simdjson::SUCCESS)
      percent = 0;
    applications.push_back(
        {.id = text_at("id"),
         .name = text_at("name"),
         .state = text_at("state"),
         .final_state = text_at("finalStatus"),
         .reason = text_at("diagnostics"),
         .queue = text_at("queue"),
         .start_ms = IntegerAt(object, "startedTime", 0),
         .finish_ms = IntegerAt(object, "finishedTime", 0),
         .containers = IntegerAt(object, "runningContainers", 0),
         .memory_mebibytes = std::clamp<int64_t>(IntegerAt(object, "allocatedMB", 0), 0, kMaxMebibytes),
         .queue_percent = percent});
    states.Add("applications", applications.back().state);
  };
  ForEachJsonObject(text, add);
  AddYarnApplications(applications, answer);
  return states.Text();
}

std::string AnswerLivy(std::string_view text, FragmentAnswer* answer) {
  States states;
  ForEachJsonObject(text, [&](const Object& object) { AddLivyObject(object, &states, answer); });
  return states.Text();
}

std::string AnswerSparkApplication(std::string_view text, FragmentAnswer* answer) {
  States states;
  FailureContext context;
  const auto add = [&](std::string_view name, std::string_view state, std::string_view reason) {
    states.Add("applications", state.empty() ? "NEW" : state);
    const std::string subject = name.empty() ? std::string("The application") : fmt::format("Application {}", name);
    const bool is_failed =
        IsFailed(state) || state.ends_with("Failed") || state.ends_with("Failure") || !reason.empty();
    if (is_failed) AddFailure(subject, reason.empty() ? state : reason, "the log of the driver's pod", answer, context);
  };
  const std::function<void(const Object&)> add_object = [&](const Object& object) {
    ForEachIn(object, "items", add_object);
    Object status = object, metadata, state, spec;
    if (Has(object, "items") || (Has(object, "kind") && !ObjectAt(object, "status", &status))) return;
    const auto memory_of = [&](std::string_view process) {
      Object part;
      if (!ObjectAt(object, "spec", &spec) || !ObjectAt(spec, process, &part)) return ProcessMemory();
      return MemoryOfSpec(TextAt(part, "memory"), TextAt(part, "memoryOverhead"), TextAt(spec, "type") == "Python");
    };
    context.driver = memory_of("driver");
    context.executor = memory_of("executor");
    const std::string_view name =
        ObjectAt(object, "metadata", &metadata) ? TextAt(metadata, "name") : std::string_view();
    if (ObjectAt(status, "applicationState", &state)) add(name, TextAt(state, "state"), TextAt(state, "errorMessage"));
    if (ObjectAt(status, "currentState", &state))
      add(name, TextAt(state, "currentStateSummary"), TextAt(state, "message"));
  };
  ForEachJsonObject(text, add_object);
  if (states.Text().empty()) {
    const IndentedText fields(text);
    const auto first_of = [&](std::string_view path, std::string_view other) {
      const std::string_view value = fields.At(path);
      return value.empty() ? fields.At(other) : value;
    };
    const bool is_python = fields.At("spec.type") == "Python";
    context.driver = MemoryOfSpec(fields.At("spec.driver.memory"), fields.At("spec.driver.memoryOverhead"), is_python);
    context.executor =
        MemoryOfSpec(fields.At("spec.executor.memory"), fields.At("spec.executor.memoryOverhead"), is_python);
    add(first_of("metadata.name", "name"),
        first_of("status.applicationState.state", "status.currentState.currentStateSummary"),
        first_of("status.applicationState.errorMessage", "status.currentState.message"));
    for (const auto& [path, value] : fields.Below("status.executorState.")) states.Add("executors", value);
  }
  return states.Text();
}

}  // namespace sparkprof
