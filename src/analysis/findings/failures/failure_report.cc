// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/failures/failure_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/findings/advice.h"
#include "analysis/machines/executor_memory.h"
#include "analysis/selection/spark_settings.h"
#include "base/text/quantity.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kTitleLength = 60;
constexpr int64_t kMaxMebibytes = int64_t{1} << 40;
constexpr std::string_view kExecutorSettings = "spark.executor.";

// Words about the process that failed, whoever logs them: a driver's log reports how its executors end.
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

// Whether the first container that the text names is the first of its attempt on YARN, which is the application master:
// in cluster mode, the driver.
bool NamesFirstContainer(std::string_view text) {
  const size_t at = text.find("container_");
  if (at == std::string_view::npos) return false;
  const std::string_view name = text.substr(at, text.find_first_not_of("container_0123456789e", at) - at);
  return name.ends_with("_000001");
}

// Settings and numbers of remedies are those of the driver where it failed, and in local mode, where there is no other
// JVM. `executor` is the process of the text; what a cluster refuses to it is for executors.
bool IsOfDriver(const Application& application, std::string_view text, const Failure& failure, int32_t executor) {
  const auto has_any = [&](const auto& words) {
    return std::any_of(std::begin(words), std::end(words),
                       [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
  };
  if (IsLocal(application) || has_any(kOfDriver) || NamesFirstContainer(text)) return true;
  if (has_any(kOfExecutor) || failure.holds == "cluster" || executor < 0) return false;
  return application.executors[static_cast<size_t>(executor)].id == "driver";
}

std::optional<double> AsNumber(std::optional<int64_t> number) {
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

// Bytes of memory that executors request, by a log that lacks the settings.
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

std::optional<double> NumberOfApplication(const Application& application, bool is_of_driver, const Stage* stage,
                                          std::string_view name) {
  const auto heap_of = [&](std::string_view setting) -> std::optional<int64_t> {
    const std::optional<int64_t> heap = MemorySetting(application, setting);
    if (heap || !application.environment.empty()) return heap.value_or(kDefaultHeap);
    return setting == "spark.executor.memory" ? RequestOf(application, "executor.memory") : std::nullopt;
  };
  const std::optional<int64_t> heap = heap_of(is_of_driver ? "spark.driver.memory" : "spark.executor.memory");
  if (name == "heap") return AsNumber(heap);
  if (name == "driver") return AsNumber(heap_of("spark.driver.memory"));
  if (name == "tasks") return stage == nullptr ? std::nullopt : AsNumber(stage->task_count);
  if (name == "overhead") {
    const bool is_by_log = !is_of_driver && application.environment.empty();
    if (const auto requested = RequestOf(application, "executor.memoryOverhead"); is_by_log && requested)
      return AsNumber(requested);
    if (!is_of_driver) return heap ? AsNumber(OverheadOf(application, *heap)) : std::nullopt;
    const std::optional<int64_t> set = MemorySetting(application, "spark.driver.memoryOverhead");
    return set || !heap ? AsNumber(set) : AsNumber(std::max(kLeastOverhead, *heap / 10));
  }
  const std::optional<std::string_view> setting = SettingOf(application, name);
  const Result<int64_t> value = ParseBytes(setting.value_or(""));
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

bool IsDecommissioning(const RemedyStep& step) {
  return step.setting.starts_with("spark.decommission.") || step.setting.starts_with("spark.storage.decommission.");
}

// Spark decommissions executors from 3.1 on, and no driver.
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
                                            const Stage* stage) {
  const std::optional<FailureMatch> match = FindFailure(text, ManagerOfMaster(application.master));
  if (!match || match->failure->rank == FailureRank::kHarmless) return std::nullopt;
  const bool is_of_driver = IsOfDriver(application, text, *match->failure, executor);
  FailureReport report{match->failure, match->offset, {}, {}};
  report.remedy = RemedyOf(
      *match, [&](std::string_view name) { return NumberOfApplication(application, is_of_driver, stage, name); });
  if (is_of_driver || !IsSparkAtLeast(application, 3, 1)) ReplaceDecommissioning(is_of_driver, &report.remedy);
  for (RemedyStep& step : report.remedy) {
    const bool has_counterpart =
        step.setting.starts_with("spark.executor.memory") || step.setting == "spark.executor.extraJavaOptions";
    if (is_of_driver && has_counterpart) step.setting.replace(0, kExecutorSettings.size(), "spark.driver.");
  }
  return report;
}

bool NamesCause(const FailureReport& report) { return report.failure->rank > FailureRank::kWrapper; }

bool IsForMemory(const FailureReport& report) {
  const std::string_view holds = report.failure->holds;
  return NamesCause(report) && (holds == "heap" || holds == "container" || holds == "execution-memory");
}

std::string_view LineAt(std::string_view text, size_t at) {
  const size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return Trim(text.substr(begin, text.find('\n', at) - begin));
}

std::string ShortMeaning(const Failure& failure) {
  std::string text(failure.means.substr(0, failure.means.size() - 1));
  for (const std::string_view article : {"The ", "A ", "An ", "One ", "No "}) {
    if (text.starts_with(article)) text.front() = static_cast<char>(text.front() | ' ');
  }
  return ShortenToClause(text, kTitleLength);
}

std::string AdviceOf(const FailureReport& report) {
  std::string_view check = report.failure->check;
  if (check.ends_with('.')) check.remove_suffix(1);
  return fmt::format("{}. Also check: {}", RemedyText(report.remedy), check);
}

FailureEvent EventOf(const Application& application, std::string_view what, int64_t at_ns, int32_t executor,
                     int64_t task) {
  return {what, at_ns, task, executor < 0 ? std::string() : application.executors[static_cast<size_t>(executor)].host};
}

void AddFailedJob(const Application& application, FailureReport* report) {
  const auto job = std::find_if(application.jobs.begin(), application.jobs.end(),
                                [](const Job& one) { return one.status == RunStatus::kFailed; });
  if (job != application.jobs.end()) report->chain.push_back({"task-failed-repeatedly", job->end_ns, kNoTask, {}});
}

}  // namespace sparkprof
