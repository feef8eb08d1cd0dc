// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "analysis/profile_transform.h"
#include "base/result.h"
#include "profile_input.h"
#include "render/profile_writers.h"

namespace sparkprof {

// What verbs take that change a profile's stacks before they show them.
struct TransformOptions {
  ProfileTransform transform;
  bool lines = false;  // --lines; --no-lines
  bool no_lines = false;

  void AddTo(CLI::App& command);
  // For a format that tells lines apart by itself, or does not.
  ProfileTransform For(const ProfileWriter& writer) const;
};

// What verbs take that write profiles.
struct ProfileOutputOptions {
  std::string format;
  std::string output;
  bool json = false;
  SvgOptions svg;
  std::string palette, background;
  std::string name_attributes;  // a file
  std::string encoding;
  bool by_hash = false, random = false;
  bool consistent = false;  // --cp
  std::string min_width = "0.1";

  void AddTo(CLI::App& command);
  void AddSvgTo(CLI::App& command);
  // Looks at what the options say together: after parsing.
  Result<void> Finish();
  // By --format, else by the output's name, else collapsed.
  const ProfileWriter& Writer() const;
};

// Transforms what was loaded; with `one_event`, all but its event is left out.
Result<void> Show(const ProfileTransform& transform, bool one_event, LoadedProfile* loaded);

// Writes the application's profile in the format that is asked for; nothing is left where that fails. Titles are made
// where the options have none.
Result<void> WriteProfile(const Application& application, const ProfileOutputOptions& options,
                          const ProfileWriteOptions& write_options);

}  // namespace sparkprof
