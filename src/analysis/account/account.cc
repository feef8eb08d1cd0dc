// SPDX-License-Identifier: Apache-2.0
#include "analysis/account/account.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/account/payers.h"
#include "analysis/owners/sample_owners.h"
#include "analysis/python/driver_lines.h"
#include "analysis/selection/known_parts.h"
#include "base/saturate.h"

namespace sparkprof {
namespace {

bool IsOfDriver(AccountPart part) {
  return part == AccountPart::kDriverProgram || part == AccountPart::kDriverQuery || part == AccountPart::kDriverJob ||
         part == AccountPart::kStartUp;
}

// The line that spends most of the start-up or, without lines of the start-up, the line that creates Spark's session.
// Empty if no other line of the program follows, as in a script whose only line is the whole program.
std::string LineOfStart(const Application& application, const std::vector<AccountPart>& parts,
                        const std::vector<LineTimes>& lines) {
  std::string start;
  int64_t most_ns = 0;
  for (size_t row = 0; row < parts.size(); ++row) {
    if (parts[row] != AccountPart::kStartUp) continue;
    for (const auto& [line, ns] : lines[row]) {
      if (ns > most_ns) most_ns = ns, start = line;
    }
  }
  if (start.empty()) start = LineThatStartsSpark(application);
  for (size_t row = 0; row < parts.size(); ++row) {
    const bool is_later = parts[row] != AccountPart::kStartUp;
    if (is_later && std::ranges::any_of(lines[row], [&](const auto& one) { return one.first != start; })) return start;
  }
  return {};
}

// Splits the driver's sampled times by the lines of its program. What the line that starts Spark does next is start-up,
// too: a library registers its functions.
std::vector<WallEntry> WithDriverLines(const Application& application, const std::vector<WallEntry>& wall) {
  std::vector<TimeRange> times;
  std::vector<AccountPart> parts;
  for (const WallEntry& entry : wall) {
    if (!IsOfDriver(entry.part)) continue;
    times.push_back({entry.begin_ns, entry.begin_ns + entry.ns});
    parts.push_back(entry.part);
  }
  const std::vector<LineTimes> lines = LinesOfTimes(application, times);
  const std::string start = LineOfStart(application, parts, lines);
  bool is_start = !start.empty();
  std::vector<WallEntry> divided;
  size_t time = 0;
  for (WallEntry entry : wall) {
    if (!IsOfDriver(entry.part)) {
      divided.push_back(std::move(entry));
      continue;
    }
    bool has_other_line = false;
    for (const auto& [line, ns] : lines[time++]) {
      if (ns <= 0) continue;
      WallEntry& part = divided.emplace_back(entry);
      part.payer = line;
      part.ns = part.low_ns = part.high_ns = ns;
      if (is_start && line == start && part.part == AccountPart::kDriverProgram) part.part = AccountPart::kStartUp;
      has_other_line |= line != start && part.part != AccountPart::kStartUp;
      entry.begin_ns += ns;
      entry.ns -= ns;
    }
    is_start &= !has_other_line;
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
  // An excerpt of logs neither shows what ran at a time nor what did not.
  if (!MissingFromLogs(application).empty()) {
    const int64_t ns = account.duration_ns;
    if (ns > 0) account.wall = {{{AccountPart::kUnknown, -1, ns, ns, ns, {}}, schedule.range.start_ns, ns}};
    return account;
  }
  account.wall = WithDriverLines(application, WallLedger(application, times, schedule, parts));
  return account;
}

void AddEntry(const Application& application, const Payers& payers, const AccountEntry& entry, PartSums* sums) {
  std::string part(NameOf(entry.part));
  if (IsOfStage(entry)) {
    const Stage& stage = application.stages[static_cast<size_t>(entry.stage)];
    part = fmt::format("{}: {}", OwnerOfStage(stage.id, stage.attempt).second, part);
  }
  AddSaturated(entry.ns, &(*sums)[{std::move(part), payers.Of(entry), ReasonOf(entry.part)}]);
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

void AccountSums::Add(const AccountSums& other) {
  for (const auto& [key, ns] : other.core) AddSaturated(ns, &core[key]);
  for (const auto& [key, ns] : other.wall) AddSaturated(ns, &wall[key]);
  has_cores |= other.has_cores;
  is_running |= other.is_running;
}

AccountSums SumAccount(const Application& application, const std::vector<StageSummary>& stages,
                       const std::vector<UdfCost>& udfs, const AccountedRun& accounted) {
  AccountSums sums;
  const Payers payers(application, stages, udfs);
  for (const WallEntry& entry : accounted.account.wall) AddEntry(application, payers, entry, &sums.wall);
  sums.is_running = accounted.account.is_running;
  if (const std::optional<CoreLedger>& ledger = accounted.Core()) {
    sums.has_cores = true;
    for (const AccountEntry& entry : ledger->entries) AddEntry(application, payers, entry, &sums.core);
  }
  return sums;
}

}  // namespace sparkprof
