// SPDX-License-Identifier: Apache-2.0
#include "catalogue/group_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/saturate.h"

namespace sparkprof {
namespace {

int RankOf(std::string_view severity) {
  return severity == "high" ? 3 : severity == "medium" ? 2 : severity == "low" ? 1 : 0;
}

}  // namespace

void GroupFindingSums::AddApplication(int64_t entry, ApplicationKey key, int64_t start_ns) {
  applications_.insert_or_assign(entry, Ran{std::move(key), start_ns});
}

void GroupFindingSums::AddFinding(int64_t entry, std::string_view rule, std::string_view severity,
                                  std::string_view title, int64_t gain_ns) {
  const auto found = applications_.find(entry);
  if (found == applications_.end()) return;  // stored after the applications were read
  const Ran& ran = found->second;
  auto place = rules_.find(rule);
  if (place == rules_.end()) {
    place = rules_.emplace(std::string(rule), Sum{}).first;
    place->second.finding.rule = rule;
    place->second.finding.last_ns = INT64_MIN;
  }
  Sum& sum = place->second;
  sum.applications.insert(entry);
  AddSaturated(gain_ns, &sum.finding.gain_ns);
  const int rank = RankOf(severity);
  if (rank >= sum.rank) {
    sum.rank = rank;
    sum.finding.severity = severity;
  }
  const auto place_of = [](int64_t start_ns, const ApplicationKey& key, int of_rank, int64_t of_gain_ns) {
    return std::tuple(start_ns, key, of_rank, of_gain_ns);
  };
  if (place_of(ran.start_ns, ran.key, rank, gain_ns) >
      place_of(sum.finding.last_ns, sum.finding.latest, sum.title_rank, sum.title_gain_ns)) {
    sum.finding.last_ns = ran.start_ns;
    sum.finding.latest = ran.key;
    sum.finding.title = title;
    sum.title_rank = rank;
    sum.title_gain_ns = gain_ns;
  }
}

std::vector<GroupFinding> GroupFindingSums::Take() {
  std::vector<std::pair<int, GroupFinding>> ranked;
  for (auto& [rule, sum] : rules_) {
    sum.finding.applications = static_cast<int64_t>(sum.applications.size());
    ranked.emplace_back(sum.rank, std::move(sum.finding));
  }
  rules_.clear();
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.first, a.second.applications) > std::tuple(b.first, b.second.applications);
  });
  std::vector<GroupFinding> findings;
  for (auto& [rank, finding] : ranked) findings.push_back(std::move(finding));
  return findings;
}

Profile GroupProfile(const GroupRange& range, const std::string& event, const std::vector<GroupEvent>& samples,
                     const StackDictionary& dictionary) {
  const auto fewer = [](const GroupEvent& a, const GroupEvent& b) { return a.stacks.Count() < b.stacks.Count(); };
  const auto most = std::max_element(samples.begin(), samples.end(), fewer);
  Profile profile;
  if (most == samples.end() || most->stacks.Count() == 0) {
    const std::optional<Event> own = ParseEvent(event);
    profile.events.push_back({.name = event, .unit = std::string(own ? EventUnit(*own) : "count")});
  } else {
    profile = most->stacks.ToProfile(dictionary, {.name = event, .unit = most->unit});
    for (const GroupEvent& other : samples) {
      if (&other == &*most || other.stacks.Count() == 0) continue;
      profile.notes.push_back(fmt::format("{}: {} samples of {} in {} not shown with those in {}", range.group,
                                          other.stacks.Count(), event, other.unit, most->unit));
    }
  }
  profile.name = range.group;
  return profile;
}

}  // namespace sparkprof
