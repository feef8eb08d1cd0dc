// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "inputs/input_options.h"

namespace sparkprof {

// Options of `sparkprof compare` for predicting a run under other conditions, instead of comparing a second run.
struct PredictionOptions {
  std::string application;
  int64_t executors = 0;
  int64_t cores = 0;  // per executor
  bool no_skew = false;
  std::vector<int64_t> stages;
  bool twice_as_fast = false;

  void AddTo(CLI::App& command);
  bool IsGiven() const { return executors > 0 || cores > 0 || no_skew || twice_as_fast || !stages.empty(); }
};

// Predicts the duration of the run at `path` under these conditions, and prints it beside the recorded one. Returns the
// exit code.
int ComparePrediction(const std::string& path, const PredictionOptions& options, const InputOptions& input, bool json,
                      const CLI::App& command);

}  // namespace sparkprof
