// SPDX-License-Identifier: Apache-2.0
#include "analysis/account/account.h"

#include <utility>

#include "analysis/python/driver_lines.h"
#include "analysis/selection/known_parts.h"

namespace sparkprof {
namespace {

bool IsOfDriver(AccountPart part) {
  return part == AccountPart::kDriverProgram || part == AccountPart::kDriverQuery || part == AccountPart::kDriverJob ||
         part == AccountPart::kStartUp;
}

// Splits the driver's sampled times by the lines of its program.
std::vector<WallEntry> WithDriverLines(const Application& application, const std::vector<WallEntry>& wall) {
  std::vector<TimeRange> times;
  for (const WallEntry& entry : wall) {
    if (IsOfDriver(entry.part)) times.push_back({entry.begin_ns, entry.begin_ns + entry.ns});
  }
  const std::vector<LineTimes> lines = LinesOfTimes(application, times);
  std::vector<WallEntry> divided;
  size_t time = 0;
  for (WallEntry entry : wall) {
    if (!IsOfDriver(entry.part)) {
      divided.push_back(std::move(entry));
      continue;
    }
    for (const auto& [line, ns] : lines[time++]) {
      if (ns <= 0) continue;
      WallEntry& part = divided.emplace_back(entry);
      part.payer = line;
      part.ns = part.low_ns = part.high_ns = ns;
      entry.begin_ns += ns;
      entry.ns -= ns;
    }
    entry.low_ns = entry.high_ns = entry.ns;
    if (entry.ns > 0) divided.push_back(std::move(entry));
  }
  return divided;
}

Account AccountOf(const Application& application, const SlotTimes& times, const Schedule& schedule,
                  const TaskParts& parts) {
  if (application.is_foreign || application.is_node) return {};
  Account account;
  account.is_running = !application.ended && MissingFromLogs(application).empty();
  account.duration_ns = schedule.range.Duration();
  account.result_handling_ns = times.cut_ns;
  // An excerpt of logs neither shows what ran at a time nor what did not.
  if (!MissingFromLogs(application).empty()) {
    const int64_t ns = account.duration_ns;
    if (ns > 0) account.wall = {{{AccountPart::kUnknown, -1, ns, ns, ns, {}}, schedule.range.start_ns, ns}};
    return account;
  }
  account.wall = WithDriverLines(application, WallLedger(application, times, schedule, parts));
  return account;
}

}  // namespace

int64_t TimeOutsideStages(const Account& account) {
  int64_t sum_ns = 0;
  for (const WallEntry& entry : account.wall) {
    if (!IsOfStage(entry)) sum_ns += entry.ns;
  }
  return sum_ns;
}

AccountedRun::AccountedRun(const Application& application, const std::vector<StageSummary>& stages)
    : times(SlotTimesOf(application)),
      schedule(ScheduleOf(application, times, stages)),
      parts(application, times, stages),
      account(AccountOf(application, times, schedule, parts)),
      application_(application) {}

const std::optional<CoreLedger>& AccountedRun::Core() const {
  std::call_once(core_once_, [&] {
    const bool is_known = !application_.is_foreign && !application_.is_node && MissingFromLogs(application_).empty();
    if (is_known) core_ = CoreLedgerOf(application_, times, parts);
  });
  return core_;
}

}  // namespace sparkprof
