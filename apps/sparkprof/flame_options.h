// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "base/result.h"
#include "profile_input.h"
#include "profile_output.h"

namespace sparkprof {

// The options of `sparkprof flame`, which are also the parameters of the server's flame graphs.
struct FlameOptions {
  ProfileInputOptions input;
  TransformOptions transform;
  ProfileOutputOptions output;
  bool counts = false;

  // All but the inputs.
  void AddTo(CLI::App& command);
  // Call after parsing; `inputs` as in ProfileOutputOptions::Finish.
  Result<void> Finish(const CLI::App& command, std::vector<std::string>* inputs);
  ProfileNeeds Needs() const;
};

// Transforms the selected samples and writes them to `memory`, or to the output that the options name if it is null.
// Sets `loaded->why_empty` and writes nothing when no stack is left.
Result<void> DrawFlame(const FlameOptions& options, LoadedProfile* loaded, OutputFile* memory);

}  // namespace sparkprof
