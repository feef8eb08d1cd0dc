// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace sparkprof {

// An entry of `jobs` in a suite file; docs/measure.md describes the keys.
struct SuiteJob {
  std::string name;
  std::vector<std::string> command;               // with placeholders
  std::map<std::string, std::string> parameters;  // values of placeholders
  std::vector<double> sizes;                      // values of {size}; empty = one run without a size
  std::map<std::string, std::string> environment;
  int64_t warm_up = 0;  // number of runs before the measured ones
  int64_t repeats = 3;
  bool profile = false;
  int64_t timeout_ns = 3600 * kNanosPerSecond;
};

struct Suite {
  std::string name;
  std::string version;  // version of what is measured; empty = not given
  int64_t interval_ns = 500 * kNanosPerMilli;
  std::vector<std::string> nodes;                  // hosts; values of {node}
  std::vector<std::vector<std::string>> monitors;  // commands that run beside the jobs, with placeholders
  std::vector<SuiteJob> jobs;
};

// Fails for unknown keys, values out of range and more than 1,000 runs, with file and line.
Result<Suite> ParseSuite(const std::string& text, const std::string& path);

// The job's command for one size. Replaces {size}, {suite} (folder of the suite file) and {NAME} of parameters; fails
// for other names in braces.
Result<std::vector<std::string>> CommandOf(const SuiteJob& job, std::optional<double> size, std::string_view folder);

// The commands of `monitors`, one per node for those with {node}. Replaces {node}, {suite}, {server} (URL of the
// collector), {run} (ID of the run) and {output}, as far as `values` has them; fails for other names.
Result<std::vector<std::vector<std::string>>> MonitorCommands(const Suite& suite,
                                                              const std::map<std::string, std::string>& values);

// Formats "100000", not "1e+05".
std::string SizeText(double size);

}  // namespace sparkprof
