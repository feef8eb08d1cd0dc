// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/account/account.h"
#include "analysis/account/claim.h"
#include "analysis/account/schedule_replay.h"
#include "model/application.h"

namespace sparkprof {

// Predicts the savings of claims on the account of a run: its schedule is run again without the claimed times.
class ClaimReplay {
 public:
  // Both arguments must outlive it.
  ClaimReplay(const Application& application, const AccountedRun& run);

  // The most that a claim saves: a run is shorter by no more than the time of tasks that it lacks, nor than the time
  // in which their stages ran.
  int64_t MostOf(const Claim& claim) const;

  // Unknown if the replay of the run as it was is too far off to predict another.
  Saving SavingOf(const Claim& claim);

  // An estimate without a replay: the claimed part of the chain of tasks that the run waited for.
  Saving EstimateOf(const Claim& claim) const;

  // The part of a claim's time that another one claims as well; 0 if the claim has none.
  double SharedPart(const Claim& claim, const Claim& other) const;

  // By how much the claimed tasks of a stage can shrink before the run waits for others. Nothing for a claim on whole
  // stages or several ones, and for a stage that the run does not wait for.
  std::optional<int64_t> SlackOf(const Claim& claim) const;

  // The time that a claim most likely removes, in tasks and elsewhere.
  int64_t LikelyTimeOf(const Claim& claim) const;

 private:
  // The tasks of a claim, and for the low, the likely and the high end what they no longer take.
  struct ClaimedTask {
    uint32_t task = 0;
    std::array<int64_t, 3> ns{};
  };

  const ScheduledStage* StageAt(int32_t row) const;
  std::vector<ClaimedTask> TasksOf(const Claim& claim) const;
  void AddMoved(const std::vector<ClaimedTask>& tasks, size_t end, ScheduleChange* change) const;
  int64_t TimeOf(int32_t row) const;

  const Application& application_;
  const AccountedRun& run_;
  std::vector<int64_t> time_ns_;                   // of all tasks, by row of stages
  std::vector<int32_t> position_;                  // in the schedule, by row of stages; -1 = it did not run
  std::unordered_map<int32_t, PartTimes> chain_;   // of the wall-clock time, by row of stages
  std::unordered_map<int32_t, int64_t> slack_ns_;  // of the same stages
  std::unique_ptr<ScheduleReplay> replay_;         // once it is needed
};

}  // namespace sparkprof
