// SPDX-License-Identifier: Apache-2.0
#include "analysis/account/claim_replay.h"

#include <algorithm>

#include "base/share.h"

namespace sparkprof {
namespace {

std::array<double, 3> EndsOf(const Removal& removal) { return {removal.low, removal.likely, removal.high}; }

int64_t Sum(const PartTimes& times) {
  int64_t sum_ns = 0;
  for (const int64_t ns : times) sum_ns += ns;
  return sum_ns;
}

// Adds the time that may go with `claimed_ns`: a change that removes work also saves compiling its code, collecting its
// garbage and moving its rows. Of 15 changes that were applied to jobs, 5 gained up to 1.24 times their claim.
int64_t WithAttached(int64_t claimed_ns, int64_t duration_ns) {
  constexpr int64_t kOfClaim = 4, kOfRest = 2;  // at most a quarter of the claim, and half of the rest of the run
  return claimed_ns + std::max<int64_t>(0, std::min(claimed_ns / kOfClaim, (duration_ns - claimed_ns) / kOfRest));
}

}  // namespace

ClaimReplay::ClaimReplay(const Application& application, const AccountedRun& run)
    : application_(application),
      run_(run),
      time_ns_(application.stages.size()),
      position_(application.stages.size(), -1) {
  for (size_t at = 0; at < run.schedule.stages.size(); ++at)
    position_[static_cast<size_t>(run.schedule.stages[at].row)] = static_cast<int32_t>(at);
  for (const ScheduledStage& stage : run.schedule.stages) {
    int64_t& time_ns = time_ns_[static_cast<size_t>(stage.row)];
    for (const uint32_t task : stage.by_launch) time_ns += run.times.end_ns[task] - run.times.begin_ns[task];
  }
  for (const WallEntry& entry : run.account.wall) {
    const bool is_of_tasks = entry.part <= AccountPart::kLostWork;
    if (!is_of_tasks || entry.stage < 0) continue;
    chain_[entry.stage][static_cast<size_t>(entry.part)] += entry.ns;
    slack_ns_[entry.stage] = entry.slack_ns;
  }
}

const ScheduledStage* ClaimReplay::StageAt(int32_t row) const {
  const int32_t at = row < 0 ? -1 : position_[static_cast<size_t>(row)];
  return at < 0 ? nullptr : &run_.schedule.stages[static_cast<size_t>(at)];
}

int64_t ClaimReplay::TimeOf(int32_t row) const { return row < 0 ? 0 : time_ns_[static_cast<size_t>(row)]; }

int64_t ClaimReplay::ClaimedBy(const Claim& claim) const {
  int64_t most_ns = Scaled(claim.wall_ns, claim.removal.high);
  for (const Claim::OfStage& one : claim.stages) {
    const ScheduledStage* const stage = StageAt(one.stage);
    if (stage == nullptr) continue;
    most_ns += std::min(Scaled(one.ns, claim.removal.high), stage->done_ns - stage->submit_ns);
  }
  for (const Claim::OfTask& one : claim.tasks) most_ns += Scaled(one.ns, claim.removal.high);
  return std::min(most_ns, run_.account.duration_ns);
}

int64_t ClaimReplay::MostOf(const Claim& claim) const {
  return WithAttached(ClaimedBy(claim), run_.account.duration_ns);
}

Saving ClaimReplay::RangeOf(std::array<int64_t, 3> ends_ns, const Claim& claim) const {
  const int64_t most_ns = ClaimedBy(claim);
  for (int64_t& end_ns : ends_ns) end_ns = std::clamp<int64_t>(end_ns, 0, most_ns);
  std::ranges::sort(ends_ns);
  return {ends_ns[0], ends_ns[1], WithAttached(ends_ns[2], run_.account.duration_ns)};
}

std::optional<int64_t> ClaimReplay::SlackOf(const Claim& claim) const {
  if (claim.tasks.empty() || !claim.stages.empty()) return std::nullopt;
  const int32_t stage = application_.tasks.stage[claim.tasks.front().task];
  const bool is_of_one = std::ranges::all_of(
      claim.tasks, [&](const Claim::OfTask& one) { return application_.tasks.stage[one.task] == stage; });
  const ScheduledStage* const scheduled = StageAt(stage);
  const bool is_of_all = scheduled == nullptr || claim.tasks.size() >= scheduled->by_launch.size();
  const auto slack = slack_ns_.find(stage);
  return !is_of_one || is_of_all || slack == slack_ns_.end() ? std::nullopt : std::optional(slack->second);
}

int64_t ClaimReplay::LikelyTimeOf(const Claim& claim) const {
  int64_t time_ns = claim.wall_ns;
  for (const Claim::OfStage& one : claim.stages) time_ns += one.ns;
  for (const Claim::OfTask& one : claim.tasks) time_ns += one.ns;
  return Scaled(time_ns, claim.removal.likely);
}

std::vector<ClaimReplay::ClaimedTask> ClaimReplay::TasksOf(const Claim& claim) const {
  std::vector<ClaimedTask> tasks;
  const std::array<double, 3> ends = EndsOf(claim.removal);
  for (const Claim::OfTask& one : claim.tasks)
    tasks.push_back({one.task, {Scaled(one.ns, ends[0]), Scaled(one.ns, ends[1]), Scaled(one.ns, ends[2])}});
  for (const Claim::OfStage& one : claim.stages) {
    const ScheduledStage* const stage = StageAt(one.stage);
    if (stage == nullptr) continue;
    const auto part = static_cast<size_t>(one.part.value_or(AccountPart::kRun));
    std::vector<int64_t> of_tasks;
    AttemptTime sum;
    if (one.part) {
      for (const uint32_t task : stage->by_launch) {
        const AttemptTime time = run_.parts.Of(task);
        of_tasks.push_back(time.ns[part]);
        sum.Add(time, 1);
      }
    }
    // If metrics and samples do not show the part, it is somewhere in the tasks' time.
    std::array<double, 3> factors = ends;
    if (sum.ns[part] == 0) {
      of_tasks.clear();
      for (const uint32_t task : stage->by_launch)
        of_tasks.push_back(run_.times.end_ns[task] - run_.times.begin_ns[task]);
      const double share = std::min(1.0, Share(one.ns, TimeOf(one.stage)));
      for (double& factor : factors) factor *= share;
    } else {
      const double share = std::min(1.0, Share(one.ns, sum.ns[part]));
      for (double& factor : factors) factor *= share;
      for (const AccountEntry& entry : run_.parts.EntriesOf(sum, one.stage)) {
        if (entry.part != *one.part) continue;
        factors[0] *= Share(entry.low_ns, entry.ns);
        factors[2] *= Share(entry.high_ns, entry.ns);
      }
    }
    for (size_t row = 0; row < of_tasks.size(); ++row) {
      const int64_t ns = of_tasks[row];
      if (ns > 0)
        tasks.push_back(
            {stage->by_launch[row], {Scaled(ns, factors[0]), Scaled(ns, factors[1]), Scaled(ns, factors[2])}});
    }
  }
  return tasks;
}

// Adds the moved time as tasks of the length of the longest remaining one.
void ClaimReplay::AddMoved(const std::vector<ClaimedTask>& tasks, size_t end, ScheduleChange* change) const {
  constexpr int64_t kMaxAdded = 10'000;
  std::unordered_map<int32_t, std::pair<int64_t, int64_t>> stages;  // moved time and longest remaining task
  for (const ClaimedTask& one : tasks) {
    auto& [moved_ns, longest_ns] = stages[application_.tasks.stage[one.task]];
    moved_ns += one.ns[end];
    longest_ns = std::max(longest_ns, run_.times.end_ns[one.task] - run_.times.begin_ns[one.task] - one.ns[end]);
  }
  for (const auto& [stage, times] : stages) {
    const auto& [moved_ns, longest_ns] = times;
    const int64_t each_ns = std::max({int64_t{1}, longest_ns, moved_ns / kMaxAdded});
    for (int64_t left_ns = moved_ns; left_ns > 0; left_ns -= each_ns)
      change->added_tasks.push_back({stage, std::min(left_ns, each_ns)});
  }
}

bool ClaimReplay::IsReliable() {
  if (replay_ == nullptr) replay_ = std::make_unique<ScheduleReplay>(application_, run_.times, run_.schedule);
  return replay_->IsReliable();
}

int64_t ClaimReplay::SavedAt(size_t end, const std::vector<const Claim*>& claims) const {
  ScheduleChange change;
  change.task_ns.resize(application_.tasks.Size());
  for (const Claim* const claim : claims) {
    const std::vector<ClaimedTask> tasks = TasksOf(*claim);
    for (const ClaimedTask& one : tasks) change.task_ns[one.task] -= one.ns[end];
    if (claim->is_moved) AddMoved(tasks, end, &change);
  }
  return replay_->UnchangedNs() - replay_->DurationWith(change);
}

int64_t ClaimReplay::LeastOf(const std::vector<const Claim*>& claims) {
  int64_t saved_ns = IsReliable() ? SavedAt(0, claims) : 0;
  for (const Claim* const claim : claims) saved_ns += Scaled(claim->wall_ns, claim->removal.low);
  return std::min(saved_ns, run_.account.duration_ns);
}

Saving ClaimReplay::SavingOf(const Claim& claim) {
  const bool is_of_tasks = !claim.stages.empty() || !claim.tasks.empty();
  if (is_of_tasks && !IsReliable()) return {};
  const std::array<double, 3> ends = EndsOf(claim.removal);
  std::array<int64_t, 3> saved_ns{};
  for (size_t end = 0; end < saved_ns.size(); ++end) {
    if (is_of_tasks && ends[end] > 0) saved_ns[end] = SavedAt(end, {&claim});
    saved_ns[end] += Scaled(claim.wall_ns, ends[end]);
  }
  return RangeOf(saved_ns, claim);
}

Saving ClaimReplay::EstimateOf(const Claim& claim) const {
  int64_t chain_ns = claim.wall_ns;
  for (const Claim::OfStage& one : claim.stages) {
    const auto chain = chain_.find(one.stage);
    const ScheduledStage* const stage = StageAt(one.stage);
    if (chain == chain_.end() || stage == nullptr) continue;
    const int64_t of_part_ns = one.part ? chain->second[static_cast<size_t>(*one.part)] : 0;
    chain_ns += of_part_ns > 0 ? std::min(of_part_ns, one.ns)
                               : Scaled(Sum(chain->second), std::min(1.0, Share(one.ns, TimeOf(one.stage))));
  }
  for (const Claim::OfTask& one : claim.tasks) {
    const ScheduledStage* const stage = StageAt(application_.tasks.stage[one.task]);
    if (stage != nullptr && static_cast<uint32_t>(stage->last_task) == one.task) chain_ns += one.ns;
  }
  const std::array<double, 3> ends = EndsOf(claim.removal);
  return RangeOf({Scaled(chain_ns, ends[0]), Scaled(chain_ns, ends[1]), Scaled(chain_ns, ends[2])}, claim);
}

double ClaimReplay::SharedPart(const Claim& claim, const Claim& other) const {
  std::unordered_multimap<int32_t, const Claim::OfStage*> stages;
  for (const Claim::OfStage& with : other.stages) stages.emplace(with.stage, &with);
  std::unordered_multimap<int32_t, const Claim::OfTask*> tasks;
  for (const Claim::OfTask& with : other.tasks) tasks.emplace(application_.tasks.stage[with.task], &with);
  const auto part_of = [&](uint32_t task, const std::optional<AccountPart>& part) {
    return part ? run_.parts.Of(task).ns[static_cast<size_t>(*part)]
                : run_.times.end_ns[task] - run_.times.begin_ns[task];
  };
  double all_ns = static_cast<double>(claim.wall_ns);
  double shared_ns = static_cast<double>(std::min(claim.wall_ns, other.wall_ns));
  for (const Claim::OfStage& one : claim.stages) {
    double share = 0;
    for (auto [at, end] = stages.equal_range(one.stage); at != end; ++at) {
      const Claim::OfStage& with = *at->second;
      if (with.part && one.part && *with.part != *one.part) continue;
      // A claim on all parts of the tasks contains the same share of each.
      share += Share(with.ns, one.part && !with.part ? TimeOf(one.stage) : one.ns);
    }
    const auto [first, last] = tasks.equal_range(one.stage);
    int64_t in_tasks_ns = 0, of_part_ns = 0;
    for (auto at = first; at != last; ++at) in_tasks_ns += part_of(at->second->task, one.part);
    if (const ScheduledStage* const stage = first == last ? nullptr : StageAt(one.stage)) {
      for (const uint32_t task : stage->by_launch) of_part_ns += part_of(task, one.part);
    }
    share += Share(in_tasks_ns, of_part_ns);
    all_ns += static_cast<double>(one.ns);
    shared_ns += static_cast<double>(one.ns) * std::min(1.0, share);
  }
  for (const Claim::OfTask& one : claim.tasks) {
    const int32_t stage = application_.tasks.stage[one.task];
    const auto [first, last] = tasks.equal_range(stage);
    const auto [begin, end] = stages.equal_range(stage);
    double share = std::any_of(first, last, [&](const auto& with) { return with.second->task == one.task; }) ? 1 : 0;
    for (auto at = begin; at != end; ++at) {
      if (!at->second->part) share += Share(at->second->ns, TimeOf(stage));
    }
    all_ns += static_cast<double>(one.ns);
    shared_ns += static_cast<double>(one.ns) * std::min(1.0, share);
  }
  return all_ns <= 0 ? 0 : shared_ns / all_ns;
}

}  // namespace sparkprof
