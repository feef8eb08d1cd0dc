// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/answers.h"
#include "analysis/owners/resources.h"
#include "model/application.h"

namespace sparkprof {

enum class TuningGoal : uint8_t { kTime, kCost };
std::optional<TuningGoal> ParseTuningGoal(std::string_view name);  // "time", "cost"

struct TunedSetting {
  std::string key, value;
  std::string was;  // in force in the run: as it was set, or Spark's default
  std::string why;  // a sentence without its full stop
};

struct TuningRange {
  double low = 0, high = 0;
};

struct Tuning {
  std::vector<TunedSetting> settings;  // only what changes something
  Resources recorded;
  TuningRange duration_ns;
  TuningRange gb_hours;
  TuningRange core_hours;
};

// One run of a job.
struct TunedRun {
  const Application* application = nullptr;
  const Answers* answers = nullptr;
};

// Settings that make the next run faster (kTime), or cheaper without making it more than two percent slower (kCost).
// Sizes of memory hold for nearly all `runs`, of which there is at least one; the rest is of the first. Settings that
// its deploy mode ignores are not among them; one that the program sets in its code says so.
Tuning Tune(const std::vector<TunedRun>& runs, TuningGoal goal);

}  // namespace sparkprof
