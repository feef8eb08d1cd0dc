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
  std::string was;  // value in the run: as set, or Spark's default
  std::string why;  // a sentence without final period
};

struct TuningRange {
  double low = 0, high = 0;
};

struct Tuning {
  std::vector<TunedSetting> settings;  // only those that change something
  Resources recorded;
  TuningRange duration_ns;
  TuningRange gb_hours;
  TuningRange core_hours;
};

struct TunedRun {
  const Application* application = nullptr;
  const Answers* answers = nullptr;
};

// Settings that make the next run faster (kTime), or cheaper without making it more than two percent slower (kCost).
// Memory sizes fit nearly all `runs`, at least one; the rest is based on the first. Excludes settings that its deploy
// mode ignores; a setting that the program sets in its code is marked as such.
Tuning Tune(const std::vector<TunedRun>& runs, TuningGoal goal);

}  // namespace sparkprof
