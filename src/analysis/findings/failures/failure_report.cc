// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/failures/failure_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <iterator>

#include "analysis/findings/advice.h"
#include "analysis/machines/executor_memory.h"
#include "analysis/selection/spark_settings.h"
#include "base/text/quantity.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kMaxMebibytes = int64_t{1} << 40;
constexpr std::string_view kExecutorSettings = "spark.executor.";

// Texts that identify the failed process, whoever logs them: a driver's log reports the ends of executors.
constexpr std::string_view kOfDriver[] = {"AM Container for ", "Failing this attempt", "Required AM memory",
                                          "river container "};
constexpr std::string_view kOfExecutor[] = {"Lost task ",
                                            "Lost executor ",
                                            "ExecutorLostFailure",
                                            "Removing executor ",
                                            "to remove executor ",
                                            "executor with id ",
                                            "Required executor memory",
                                            "Container from a bad node",
                                            "Container marked as failed"};

// Texts of the driver's program and of its threads, which also report the failures of tasks.
constexpr std::string_view kOfProgram[] = {"Exception in thread \"main\"", "An error occurred while calling ",
                                           "spark-listener-group",         "stopping SparkContext",
                                           "dag-scheduler-event-loop",     "task-result-getter"};
constexpr std::string_view kOfTask = "Job aborted due to stage failure";

// True if the first container named in the text is the first of its attempt on YARN: the application master, which is
// the driver in cluster mode.
bool NamesFirstContainer(std::string_view text) {
  const size_t at = text.find("container_");
  if (at == std::string_view::npos) return false;
  const std::string_view name = text.substr(at, text.find_first_not_of("container_0123456789e", at) - at);
  return name.ends_with("_000001");
}

template <typename Words>
bool HasAny(std::string_view text, const Words& words) {
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// True if the driver failed, or in local mode, which has no other JVM; remedies then use the driver's settings and
// numbers. `executor` is the process of the text. Resources that the cluster denies are for executors.
bool IsOfDriver(const Application& application, std::string_view text, const Failure& failure, int32_t executor) {
  if (IsLocal(application) || NamesDriver(text)) return true;
  if (HasAny(text, kOfExecutor) || failure.holds == "cluster") return false;
  if (HasAny(text, kOfProgram) && text.find(kOfTask) == std::string_view::npos) return true;
  if (executor < 0) return false;
  return application.executors[static_cast<size_t>(executor)].id == "driver";
}

std::optional<double> AsNumber(std::optional<int64_t> number) {
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

// Memory that executors request, from a log without settings, in bytes.
std::optional<int64_t> RequestOf(const Application& application, std::string_view resource) {
  for (const ResourceProfile& profile : application.resource_profiles) {
    if (profile.id != 0) continue;
    for (const auto& [name, amount] : profile.requests) {
      const std::optional<int64_t> mebibytes = name == resource ? ParseInteger(amount) : std::nullopt;
      if (mebibytes && *mebibytes > 0 && *mebibytes < kMaxMebibytes) return *mebibytes << 20;
    }
  }
  return std::nullopt;
}

// True if what stands before a setting in a message only proposes it: "by setting spark.x=true".
bool IsProposed(std::string_view before) {
  constexpr size_t kNear = 40;
  constexpr std::string_view kProposals[] = {"by setting", "using set", "onsider ", "an set ",  "can be ", "lease ",
                                             "increase ",  "try ",      "should ",  "need to ", "or set ", "via "};
  before = before.substr(before.rfind('\n') + 1);
  if (before.size() > kNear) before.remove_prefix(before.size() - kNear);
  return HasAny(before, kProposals);
}

// The value that a pasted command, program or file gives a setting: --conf KEY=VALUE, .config("KEY", "VALUE"),
// KEY VALUE in a line of its own. Empty if there is none.
std::string ValueIn(std::string_view text, std::string_view key) {
  constexpr std::string_view kOfKey = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  constexpr std::string_view kEnds = " \t\r\n\"',;)`";
  for (size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const bool is_longer =
        at > 0 && kOfKey.find(text[at - 1]) != std::string_view::npos && !text.substr(0, at).ends_with("spark.hadoop.");
    std::string_view rest = text.substr(at + key.size());
    const size_t between = std::min(rest.find_first_not_of(" \t\"'=:,`"), rest.size());
    const bool is_assigned = rest.substr(0, between).find_first_of("=,:") != std::string_view::npos;
    const std::string_view before = text.substr(0, at);
    const bool is_line = before.empty() || before.ends_with('\n') || key.starts_with("--");
    if (is_longer || between == 0 || (!is_assigned && !is_line) || IsProposed(before)) continue;
    rest.remove_prefix(between);
    std::string value(rest.substr(0, rest.find_first_of(kEnds)));
    while (value.ends_with('.')) value.pop_back();
    if (!value.empty()) return value;
  }
  return {};
}

// The value of a setting, from the application or from the texts of a short input.
std::string GivenSetting(const Application& application, std::string_view key) {
  std::string value(SettingOf(application, key).value_or(""));
  for (const std::string_view text : TextsAround(application)) {
    if (value.empty()) value = ValueIn(text, key);
  }
  return value;
}

// Memory that the texts of an input without settings give: "--executor-memory 8g".
std::optional<int64_t> GivenMemory(const Application& application, std::string_view key) {
  if (!application.environment.empty()) return std::nullopt;
  std::string value = GivenSetting(application, key);
  const std::string_view option = key == "spark.executor.memory" ? "--executor-memory"
                                  : key == "spark.driver.memory" ? "--driver-memory"
                                                                 : "";
  for (const std::string_view text : TextsAround(application)) {
    if (value.empty() && !option.empty()) value = ValueIn(text, option);
  }
  if (!value.empty() && value.find_first_not_of("0123456789") == std::string::npos) value += "m";
  const Result<int64_t> bytes = ParseBytes(value);
  return bytes && *bytes > 0 ? std::optional(*bytes) : std::nullopt;
}

std::optional<double> NumberOfApplication(const Application& application, bool is_of_driver, const Stage* stage,
                                          std::string_view name) {
  const auto heap_of = [&](std::string_view setting) -> std::optional<int64_t> {
    const std::optional<int64_t> heap = MemorySetting(application, setting);
    if (heap || !application.environment.empty()) return heap.value_or(kDefaultHeap);
    if (const std::optional<int64_t> given = GivenMemory(application, setting)) return given;
    return setting == "spark.executor.memory" ? RequestOf(application, "executor.memory") : std::nullopt;
  };
  const std::optional<int64_t> heap = heap_of(is_of_driver ? "spark.driver.memory" : "spark.executor.memory");
  if (name == "heap") return AsNumber(heap);
  if (name == "driver") return AsNumber(heap_of("spark.driver.memory"));
  if (name == "tasks") return stage == nullptr ? std::nullopt : AsNumber(stage->task_count);
  if (name == "overhead") {
    const std::string_view setting = is_of_driver ? "spark.driver.memoryOverhead" : "spark.executor.memoryOverhead";
    if (const std::optional<int64_t> given = GivenMemory(application, setting)) return AsNumber(given);
    const bool is_by_log = !is_of_driver && application.environment.empty();
    if (const auto requested = RequestOf(application, "executor.memoryOverhead"); is_by_log && requested)
      return AsNumber(requested);
    if (!is_of_driver) return heap ? AsNumber(OverheadOf(application, *heap)) : std::nullopt;
    const std::optional<int64_t> set = MemorySetting(application, "spark.driver.memoryOverhead");
    return set || !heap ? AsNumber(set) : AsNumber(std::max(kLeastOverhead, *heap / 10));
  }
  const Result<int64_t> value = ParseBytes(GivenSetting(application, name));
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

// The sentence of a failure's row; empty if there is no such row.
std::string_view SentenceOf(std::string_view id) {
  const std::vector<Failure>& all = Failures();
  const auto failure = std::find_if(all.begin(), all.end(), [&](const Failure& one) { return one.id == id; });
  return failure == all.end() ? std::string_view() : failure->means;
}

std::string NamedText(std::string_view name) { return name.empty() ? std::string() : fmt::format(" ({})", name); }

// Adds the last failed attempt of the first task of the chain, if it had several.
void AddLastAttempt(const Application& application, FailureReport* report) {
  const Tasks& tasks = application.tasks;
  const auto first = report->chain.empty() || report->chain.front().task == kNoTask
                         ? tasks.id.end()
                         : std::find(tasks.id.begin(), tasks.id.end(), report->chain.front().task);
  if (first == tasks.id.end()) return;
  const auto of_first = static_cast<size_t>(first - tasks.id.begin());
  size_t last = of_first, attempts = 0;
  for (size_t row = 0; row < tasks.Size(); ++row) {
    const bool is_same = tasks.stage[row] == tasks.stage[of_first] && tasks.index[row] == tasks.index[of_first];
    if (!is_same || tasks.outcome[row] != TaskOutcome::kFailed) continue;
    ++attempts;
    if (tasks.finish_ns[row] >= tasks.finish_ns[last]) last = row;
  }
  if (attempts < 2) return;
  report->chain.push_back(
      EventOf(application, "task-failed-repeatedly", tasks.finish_ns[last], tasks.executor[last], tasks.id[last]));
  report->chain.back().text = fmt::format("The task failed in {} attempts.", attempts);
}

// " with exit code 1", from the last lines of a driver's log; empty if unknown or 0.
std::string ExitCodeText(const LogRecords& logs) {
  constexpr size_t kLast = 100;
  static const re2::RE2 code("exitCode:? (-?[1-9][0-9]{0,9})");
  for (size_t back = 1; back <= std::min(logs.Size(), kLast); ++back) {
    const std::string_view text = logs.Text(logs.Size() - back);
    std::string number;
    if (re2::RE2::PartialMatch({text.data(), text.size()}, code, &number)) return " with exit code " + number;
  }
  return {};
}

bool IsDecommissioning(const RemedyStep& step) {
  return step.setting.starts_with("spark.decommission.") || step.setting.starts_with("spark.storage.decommission.");
}

// Spark decommissions executors since 3.1, but never the driver.
void ReplaceDecommissioning(bool is_of_driver, std::vector<RemedyStep>* steps) {
  const size_t before = steps->size();
  std::erase_if(*steps, IsDecommissioning);
  if (steps->size() == before) return;
  steps->push_back({{},
                    is_of_driver ? "Run the driver on a machine that is not taken away"
                                 : "Use machines that are not preempted, or the external shuffle service "
                                   "(spark.shuffle.service.enabled), which keeps the shuffle data of executors"});
}

}  // namespace

std::optional<FailureReport> ExplainFailure(const Application& application, std::string_view text, int32_t executor,
                                            const Stage* stage, FailureRank least) {
  const std::vector<std::string_view> around = TextsAround(application);
  const std::optional<FailureMatch> match = FindFailure(text, ManagerOfMaster(application.master), around);
  if (!match || match->failure->rank < least) return std::nullopt;
  const bool is_of_driver = IsOfDriver(application, text, *match->failure, executor);
  FailureReport report{match->failure, match->offset, {}, {}};
  const auto number_of = [&](std::string_view name) {
    return NumberOfApplication(application, is_of_driver, stage, name);
  };
  report.means = MeaningOf(*match, number_of);
  report.remedy = RemedyOf(*match, number_of);
  if (is_of_driver || !IsSparkAtLeast(application, 3, 1)) ReplaceDecommissioning(is_of_driver, &report.remedy);
  for (RemedyStep& step : report.remedy) {
    const bool has_counterpart =
        step.setting.starts_with("spark.executor.memory") || step.setting == "spark.executor.extraJavaOptions";
    if (is_of_driver && has_counterpart) step.setting.replace(0, kExecutorSettings.size(), "spark.driver.");
  }
  MarkSettings(around, &report.remedy);
  return report;
}

std::vector<std::string_view> TextsAround(const Application& application) {
  constexpr size_t kMaxRecords = 500;
  const LogRecords& logs = application.logs;
  std::vector<std::string_view> texts;
  for (size_t row = 0; logs.Size() <= kMaxRecords && row < logs.Size(); ++row) texts.push_back(logs.Text(row));
  return texts;
}

namespace {

// True if a step's value is this one, or words that begin with it: "-1, if the table is large".
bool IsValue(std::string_view step, std::string_view value) {
  const bool is_begin = step.size() == value.size() || (step.size() > value.size() && step[value.size()] == ',');
  return is_begin && ToLowerAscii(step.substr(0, value.size())) == ToLowerAscii(value);
}

}  // namespace

void MarkSettings(const std::vector<std::string_view>& texts, std::vector<RemedyStep>* steps) {
  std::vector<RemedyStep> set;
  for (RemedyStep& step : *steps) {
    if (step.setting.empty()) continue;
    std::string value;
    // A write or read may have it as an option: option("partitionOverwriteMode", "dynamic").
    const std::string option =
        fmt::format("\"{}\"", std::string_view(step.setting).substr(step.setting.rfind('.') + 1));
    for (size_t row = 0; value.empty() && row < texts.size(); ++row) {
      value = ValueIn(texts[row], step.setting);
      if (value.empty()) value = ValueIn(texts[row], option);
    }
    if (value.empty()) continue;
    if (IsValue(step.value, value)) {
      set.push_back({{}, fmt::format("{} is {} already, which was not enough", step.setting, value), true});
      step = {};
    } else if (step.value.find(' ') != std::string::npos) {
      step.value += fmt::format(" (it is {} here)", value);
    }
  }
  std::erase_if(*steps, [](const RemedyStep& step) { return step.setting.empty() && step.value.empty(); });
  steps->insert(steps->end(), set.begin(), set.end());
}

bool NamesDriver(std::string_view text) { return HasAny(text, kOfDriver) || NamesFirstContainer(text); }

bool NamesCancellation(const Application& application, std::string_view text) {
  // Streams run until their program stops them.
  const bool is_stream = !application.streaming_queries.empty();
  const bool by_name = text.find("ancelled") != text.npos || text.find("JOB_CANCELLED") != text.npos;
  return by_name && (is_stream || text.find("SparkContext was shut down") == text.npos);
}

bool NamesCause(const FailureReport& report) { return report.failure->rank > FailureRank::kWrapper; }

bool IsWrapper(std::string_view exception) {
  const std::optional<FailureMatch> match = FindFailure(exception);
  return match && match->failure->rank == FailureRank::kWrapper;
}

bool IsForMemory(const FailureReport& report) {
  const std::string_view holds = report.failure->holds;
  return NamesCause(report) && (holds == "heap" || holds == "container" || holds == "execution-memory");
}

std::string_view LineAt(std::string_view text, size_t at) {
  const size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view line = Trim(text.substr(begin, text.find('\n', at) - begin));
  // Py4J prints ": " before the exception of the JVM.
  return line.starts_with(": ") ? line.substr(2) : line;
}

std::string ExcerptAt(std::string_view text, size_t at, size_t most) {
  const std::string_view line = LineAt(text, at);
  const size_t begin = static_cast<size_t>(line.data() - text.data());
  const size_t place = at > begin ? std::min(at - begin, line.size()) : 0;
  std::string start = ShortenToClause(ToOneLine(line), most);
  if (start.size() > place) return start;
  const size_t sentence = line.rfind(". ", place);
  const size_t from = sentence == std::string_view::npos || place - sentence > most ? place : sentence + 2;
  return "… " + ShortenToClause(ToOneLine(line.substr(from)), most);
}

std::string ShortMeaning(const FailureReport& report, size_t most) {
  std::string text(MeaningOf(report));
  for (const std::string_view article : {"The ", "A ", "An ", "One ", "No "}) {
    if (text.starts_with(article)) text.front() = static_cast<char>(text.front() | ' ');
  }
  return ShortenToClause(text, most);
}

std::string_view MeaningOf(const FailureReport& report) {
  std::string_view means = report.means.empty() ? report.failure->means : std::string_view(report.means);
  if (means.ends_with('.')) means.remove_suffix(1);
  return means;
}

std::string AdviceOf(const FailureReport& report) {
  std::string_view check = report.failure->check;
  if (check.ends_with('.')) check.remove_suffix(1);
  return fmt::format("{}. Also check: {}", RemedyText(report.remedy), check);
}

std::string ConsequencesOf(const FailureReport& report) {
  std::vector<std::string> steps;
  for (size_t row = 1; row < report.chain.size(); ++row) {
    const FailureEvent& event = report.chain[row];
    std::string step = event.text;
    if (step.empty()) continue;
    if (step.ends_with('.')) step.pop_back();
    step.front() = static_cast<char>(step.front() | ' ');
    const int64_t first_ns = report.chain.front().at_ns;
    if (first_ns > 0 && event.at_ns > first_ns)
      step += fmt::format(" ({} later)", FormatDuration(event.at_ns - first_ns));
    steps.push_back(std::move(step));
  }
  return fmt::format("{}", fmt::join(steps, "; "));
}

FailureEvent EventOf(const Application& application, std::string_view what, int64_t at_ns, int32_t executor,
                     int64_t task) {
  return {what, at_ns, task, executor < 0 ? std::string() : application.executors[static_cast<size_t>(executor)].host,
          std::string(SentenceOf(what))};
}

void AddTaskIn(std::string_view text, FailureEvent* event) {
  // Before Spark 3: "(TID 7, h2, executor 5)".
  static const re2::RE2 lost(R"(Lost task \S+ in stage \S+ \(TID (\d{1,18})(?:\) \(|, )([^\s,()]+),? executor )");
  static const re2::RE2 raised(R"(Exception in task \S+ in stage \S+ \(TID (\d{1,18})\))");
  int64_t task = kNoTask;
  std::string host;
  if (re2::RE2::PartialMatch({text.data(), text.size()}, lost, &task, &host)) {
    event->host = host;
  } else if (!re2::RE2::PartialMatch({text.data(), text.size()}, raised, &task)) {
    return;
  }
  if (event->task == kNoTask) event->task = task;
}

void AddConsequences(const Application& application, FailureReport* report) {
  AddLastAttempt(application, report);
  const auto job = std::find_if(application.jobs.begin(), application.jobs.end(), [&](const Job& one) {
    return one.status == RunStatus::kFailed && !NamesCancellation(application, one.failure);
  });
  if (job == application.jobs.end()) return;
  const auto stage = std::find_if(application.stages.rbegin(), application.stages.rend(), [&](const Stage& one) {
    return one.job == job->id && one.status == RunStatus::kFailed;
  });
  if (stage != application.stages.rend())
    report->chain.push_back({.what = "stage-failed",
                             .at_ns = stage->end_ns,
                             .text = fmt::format("Stage {}{} failed.", stage->id, NamedText(stage->name))});
  report->chain.push_back({.what = "job-failed",
                           .at_ns = job->end_ns,
                           .text = fmt::format("Job {}{} failed.", job->id, NamedText(job->name))});
  if (!application.ended) return;
  report->chain.push_back({.what = "application-ended",
                           .at_ns = application.end_ns,
                           .text = fmt::format("The application ended{}.", ExitCodeText(application.logs))});
}

}  // namespace sparkprof
