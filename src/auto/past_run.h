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

// The setting that marks a run with the version of its settings, after "spark.sparkprof.".
inline constexpr char kAutoVersionKey[] = "auto.version";

// A run of a job as far as decisions about the next one need it.
struct PastRun {
  struct Proposal {
    std::string value, why;  // a sentence without final period
  };

  std::string id;
  int64_t end_ns = 0;
  int64_t version = 0;      // AutoVersion::number of its settings
  bool is_running = false;  // its recording has no end, but may go on
  bool has_failed = false;  // or has no end
  int64_t wall_ns = 0;
  int64_t input_bytes = 0;  // 0 = unknown, or none
  int64_t spilled_bytes = 0;
  double gc_share = 0;                        // of the tasks' time
  AutoValues values;                          // in effect, of the policy's settings; absent = Spark's default
  std::map<std::string, Proposal> proposals;  // of `tune` for this run alone, of the policy's settings
};

// `now_ns`: a run without an end that sent something less than ten minutes before is running.
PastRun PastRunOf(const Application& application, const Answers& answers, const AutoPolicy& policy, int64_t now_ns);

}  // namespace sparkprof
