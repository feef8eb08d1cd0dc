// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "analysis/answers.h"
#include "auto/auto_policy.h"
#include "auto/auto_state.h"
#include "model/application.h"

namespace sparkprof {

// The setting (below "spark.sparkprof.") that marks a run with the version of its settings.
inline constexpr char kAutoVersionKey[] = "auto.version";

// The part of a run that decisions need.
struct PastRun {
  struct Proposal {
    std::string value, why;  // a sentence without final period
  };

  std::string id;
  int64_t end_ns = 0;
  int64_t version = 0;      // AutoVersion::number; 0 = the job's own settings
  bool is_running = false;  // no end in the recording yet
  bool has_failed = false;  // also if the end is missing
  int64_t wall_ns = 0;
  int64_t input_bytes = 0;  // 0 = unknown or none
  int64_t spilled_bytes = 0;
  double gc_share = 0;                        // relative to task time
  AutoValues values;                          // effective values of the policy's settings; missing = Spark's default
  std::map<std::string, Proposal> proposals;  // by `tune` from this run alone, for the policy's settings
};

// A run without an end counts as running if it sent data in the ten minutes before `now_ns`.
PastRun PastRunOf(const Application& application, const Answers& answers, const AutoPolicy& policy, int64_t now_ns);

}  // namespace sparkprof
