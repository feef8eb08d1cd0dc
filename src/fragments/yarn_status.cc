// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analysis/findings/advice.h"
#include "base/text/characters.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "failures/failures.h"
#include "fragments/fragment_readers.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxReason = 400;
constexpr size_t kShownHolders = 5;
constexpr int64_t kMaxWaiting = 20;  // applications that get a finding each

bool IsFailed(const YarnApplication& application) {
  const auto is_failed = [](std::string_view state) { return state == "FAILED" || state == "KILLED"; };
  return is_failed(application.final_state) || is_failed(application.state);
}

// True if the application has no container yet, not even its application master.
bool IsWaiting(const YarnApplication& application) {
  const bool is_early = application.state == "ACCEPTED" || application.state == "SUBMITTED" ||
                        application.state == "NEW" || application.state == "NEW_SAVING";
  return is_early && application.containers <= 0;  // -1 = unknown
}

// "application_1_7 (etl, 8 containers, 22.0 GiB, 100.0% of the queue)".
std::string HolderText(const YarnApplication& application) {
  std::vector<std::string> parts;
  if (!application.name.empty()) parts.push_back(Shorten(ToOneLine(application.name), 60));
  if (application.containers > 0) parts.push_back(Counted(application.containers, "container"));
  if (application.memory_mebibytes > 0) parts.push_back(FormatBytes(application.memory_mebibytes << 20));
  if (application.queue_percent > 0) parts.push_back(fmt::format("{:.1f}% of the queue", application.queue_percent));
  return parts.empty() ? application.id : fmt::format("{} ({})", application.id, fmt::join(parts, ", "));
}

void AddWaiting(const YarnApplication& waiting, const std::vector<YarnApplication>& all, FragmentAnswer* answer) {
  std::vector<const YarnApplication*> holders;
  for (const YarnApplication& one : all) {
    if (one.state == "RUNNING" && one.queue == waiting.queue) holders.push_back(&one);
  }
  std::stable_sort(holders.begin(), holders.end(), [](const YarnApplication* a, const YarnApplication* b) {
    return a->memory_mebibytes > b->memory_mebibytes;
  });
  const std::string queue =
      waiting.queue.empty() ? std::string("its queue") : fmt::format("the queue {}", waiting.queue);
  Finding& finding = AddFinding("waiting-for-executors",
                                fmt::format("{} waits in {} for its application master", waiting.id, queue), answer);
  finding.what = "It has no container yet";
  finding.condition = "An application of YARN is accepted and has no container";
  std::vector<std::string> texts;
  for (const YarnApplication* const holder : holders) {
    if (texts.size() < kShownHolders) texts.push_back(HolderText(*holder));
  }
  if (!texts.empty())
    finding.evidence =
        fmt::format("In the same queue {} {}: {}", holders.size() == 1 ? "runs" : "run",
                    Counted(static_cast<int64_t>(holders.size()), "application"), fmt::join(texts, "; "));
  finding.change = fmt::format(
      "{}submit to another queue (spark.yarn.queue), or give {} more of the cluster; `yarn queue -status {}` shows its "
      "capacity and what is in use",
      holders.empty() ? std::string()
                      : "End an application that is idle, or let it release its executors "
                        "(spark.dynamicAllocation.enabled, with an executorIdleTimeout also for cached data); ",
      queue, waiting.queue.empty() ? "QUEUE" : waiting.queue);
  if (holders.empty()) finding.change[0] = 'S';
}

// True if a known failure explains the reason.
bool IsKnown(std::string_view reason) {
  const auto match = FindFailure(fmt::format("Reason: {}", reason));
  return match && match->failure->rank > FailureRank::kWrapper;
}

}  // namespace

void AddYarnApplications(const std::vector<YarnApplication>& applications, FragmentAnswer* answer) {
  int64_t waiting = 0;
  for (const YarnApplication& application : applications) {
    const std::string_view reason = application.reason == "N/A" ? std::string_view() : application.reason;
    if (application.start_ms > 0 && application.finish_ms > application.start_ms)
      answer->facts.push_back(fmt::format("Ran for {}", FormatDuration(NanosFromMillis(application.finish_ms) -
                                                                       NanosFromMillis(application.start_ms))));
    const bool is_waiting = IsWaiting(application);
    if (IsFailed(application) || (is_waiting && !reason.empty() && IsKnown(reason))) {
      AddFailure(
          fmt::format("Application {}", application.id), reason.empty() ? application.final_state : reason,
          fmt::format("`yarn {} {}`", is_waiting ? "application -status" : "logs -applicationId", application.id),
          answer, {.at_ns = NanosFromMillis(application.finish_ms)});
      continue;
    }
    if (!reason.empty()) answer->facts.push_back(Shorten(ToOneLine(reason), kMaxReason));
    if (is_waiting && ++waiting <= kMaxWaiting) AddWaiting(application, applications, answer);
  }
  if (waiting > kMaxWaiting) {
    answer->facts.push_back(fmt::format("not listed: {} that wait for their application masters",
                                        Counted(waiting - kMaxWaiting, "application")));
  }
}

std::string AnswerYarnStatus(std::string_view text, FragmentAnswer* answer) {
  constexpr size_t kMaxKey = 40;
  std::map<std::string, std::string> values;
  std::string* last = nullptr;
  while (!text.empty()) {
    const std::string_view line = WithoutCarriageReturn(TakeLine(&text));
    const size_t colon = line.find(" :");
    const std::string_view key = Trim(line.substr(0, colon));
    const bool is_key = colon != std::string_view::npos && !key.empty() && key.size() <= kMaxKey && IsUpper(key[0]) &&
                        key.find_first_of(".(:") == std::string_view::npos;
    if (is_key) {
      last = &values[std::string(key)];
      *last = Trim(line.substr(colon + 2));
    } else if (last != nullptr && !Trim(line).empty()) {
      last->append("\n").append(Trim(line));
    }
  }
  const std::string &state = values["State"], &final_state = values["Final-State"], &id = values["Application-Id"];
  AddYarnApplications({{.id = id,
                        .state = state,
                        .final_state = final_state,
                        .reason = values["Diagnostics"],
                        .queue = values["Queue"],
                        .start_ms = ParseInteger(values["Start-Time"]).value_or(0),
                        .finish_ms = ParseInteger(values["Finish-Time"]).value_or(0)}},
                      answer);
  if (const std::string& used = values["Aggregate Resource Allocation"]; !used.empty())
    answer->facts.push_back("Used " + used);
  return fmt::format("{} is {}, final state {}", id, state, final_state);
}

// Tab-separated columns: Application-Id, Application-Name, Application-Type, User, Queue, State, Final-State.
std::string AnswerYarnList(std::string_view text, FragmentAnswer* answer) {
  std::map<std::string, size_t, std::less<>> places;  // position by column name
  std::vector<YarnApplication> applications;
  Counts states;
  while (!text.empty()) {
    const std::string_view line = WithoutCarriageReturn(TakeLine(&text));
    std::vector<std::string> cells;
    for (const std::string_view cell : Split(line, '\t')) cells.emplace_back(Trim(cell));
    if (line.find("Application-Id") != std::string_view::npos) {
      for (size_t at = 0; at < cells.size(); ++at) places[cells[at]] = at;
      continue;
    }
    const auto cell = [&](std::string_view heading) {
      const auto place = places.find(heading);
      return place == places.end() || place->second >= cells.size() ? std::string() : cells[place->second];
    };
    YarnApplication application{.id = cell("Application-Id"),
                                .name = cell("Application-Name"),
                                .state = cell("State"),
                                .final_state = cell("Final-State"),
                                .queue = cell("Queue")};
    if (!application.id.starts_with("application_") || application.state.empty()) continue;
    ++states[application.state];
    applications.push_back(std::move(application));
  }
  AddYarnApplications(applications, answer);
  return CountsText(states);
}

}  // namespace sparkprof
