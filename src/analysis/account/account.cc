// SPDX-License-Identifier: Apache-2.0
#include "analysis/account/account.h"

#include <utility>

#include "analysis/account/schedule.h"
#include "analysis/account/slot_times.h"
#include "analysis/account/task_parts.h"
#include "analysis/account/wall_ledger.h"
#include "analysis/python/driver_lines.h"

namespace sparkprof {
namespace {

bool IsOfDriver(AccountPart part) {
  return part == AccountPart::kDriverProgram || part == AccountPart::kDriverQuery || part == AccountPart::kDriverJob ||
         part == AccountPart::kStartUp;
}

// Divides the driver's times, where it was sampled, by the lines of its program.
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

}  // namespace

Account AccountOf(const Application& application, const std::vector<StageSummary>& stages) {
  if (application.is_foreign || application.is_node) return {};
  const SlotTimes times = SlotTimesOf(application);
  const TaskParts parts(application, times, stages);
  const Schedule schedule = ScheduleOf(application, times, stages);
  Account account;
  account.is_running = !application.ended;
  account.duration_ns = schedule.range.Duration();
  account.result_handling_ns = times.cut_ns;
  account.core = CoreLedgerOf(application, times, parts);
  account.wall = WithDriverLines(application, WallLedger(application, times, schedule, parts));
  return account;
}

}  // namespace sparkprof
