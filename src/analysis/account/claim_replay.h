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

// Predicts the savings of claims on a run's account by replaying its schedule without the claimed times.
class ClaimReplay {
 public:
  // Both arguments must outlive it.
  ClaimReplay(const Application& application, const AccountedRun& run);

  // Upper limit of a claim's saving: the smaller of the removed task time and the time in which their stages ran, and
  // the time that may go with it.
  int64_t MostOf(const Claim& claim) const;

  // Unknown if the replay of the unchanged run is too inaccurate.
  Saving SavingOf(const Claim& claim);

  // The low end of the saving of all these claims together.
  int64_t LeastOf(const std::vector<const Claim*>& claims);

  // An estimate without a replay: the claimed part of the critical chain of tasks.
  Saving EstimateOf(const Claim& claim) const;

  // The fraction of a claim's time that another one also claims; 0 if the claim has no time.
  double SharedPart(const Claim& claim, const Claim& other) const;

  // How much the claimed tasks of a stage can shrink before the run waits for others. nullopt for a claim on whole or
  // several stages, and for a stage off the critical chain.
  std::optional<int64_t> SlackOf(const Claim& claim) const;

  int64_t LikelyTimeOf(const Claim& claim) const;

 private:
  struct ClaimedTask {
    uint32_t task = 0;
    std::array<int64_t, 3> ns{};
  };

  // Sorts the ends and limits them to the claimed time: with shorter tasks, a schedule may end later.
  Saving RangeOf(std::array<int64_t, 3> ends_ns, const Claim& claim) const;
  int64_t ClaimedBy(const Claim& claim) const;
  const ScheduledStage* StageAt(int32_t row) const;
  std::vector<ClaimedTask> TasksOf(const Claim& claim) const;
  bool IsReliable();
  // The saving of a reliable replay without the tasks of these claims, at one end of their ranges.
  int64_t SavedAt(size_t end, const std::vector<const Claim*>& claims) const;
  void AddMoved(const std::vector<ClaimedTask>& tasks, size_t end, ScheduleChange* change) const;
  int64_t TimeOf(int32_t row) const;

  const Application& application_;
  const AccountedRun& run_;
  std::vector<int64_t> time_ns_;                   // total task time by stage row
  std::vector<int32_t> position_;                  // position in the schedule by stage row; -1 = the stage did not run
  std::unordered_map<int32_t, PartTimes> chain_;   // wall-clock time on the critical chain by stage row
  std::unordered_map<int32_t, int64_t> slack_ns_;  // slack by stage row
  std::unique_ptr<ScheduleReplay> replay_;         // created on first use
};

}  // namespace sparkprof
