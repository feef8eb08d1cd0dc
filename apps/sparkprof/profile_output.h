// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "analysis/profile_transform.h"
#include "base/result.h"
#include "profile_input.h"
#include "render/profile_writers.h"

namespace sparkprof {

// Options of verbs that transform stacks.
struct TransformOptions {
  ProfileTransform transform;
  bool lines = false;  // --lines; --no-lines
  bool no_lines = false;

  void AddTo(CLI::App& command);
  // The transform for a format, which may or may not support lines.
  ProfileTransform For(const ProfileWriter& writer) const;
};

// Options of verbs that write profiles.
struct ProfileOutputOptions {
  std::string format;
  std::string output;
  bool json = false;
  bool named_after_input = false;
  SvgOptions svg;
  std::string palette, background;
  std::string name_attributes;  // a file
  std::string encoding;
  bool by_hash = false, random = false;
  bool consistent = false;  // --cp
  std::string min_width = "0.1";

  void AddTo(CLI::App& command);
  void AddSvgTo(CLI::App& command);
  // Decides which argument is the output (ResolveOutput) and checks combinations of options; call after parsing.
  Result<void> Finish(std::vector<std::string>* inputs, size_t least_inputs, bool last_is_output);
  // By --format, else by the output's name, else collapsed.
  const ProfileWriter& Writer() const;
};

// Transforms the profile; with `one_event`, drops all other events.
Result<void> Show(const ProfileTransform& transform, bool one_event, LoadedProfile* loaded);

// Writes the profile in the requested format; leaves no file on failure. Generates missing titles.
Result<void> WriteProfile(const Application& application, const ProfileOutputOptions& options,
                          const ProfileWriteOptions& write_options);

// The same to an output that is open, and left to commit here.
Result<void> WriteProfileTo(const Application& application, const ProfileOutputOptions& options,
                            const ProfileWriteOptions& write_options, OutputFile* file);

}  // namespace sparkprof
