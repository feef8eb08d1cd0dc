// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/io/byte_source.h"
#include "formats/profile_formats.h"
#include "model/samples/profile_builder.h"

namespace sparkprof::testing {

// `text` read as `format`; its name is "input".
inline Result<Profile> ReadProfile(std::string_view format, std::string text, ProfileReadOptions options = {}) {
  options.name = "input";
  ProfileBuilder builder(options);
  Result<void> read = FindProfileFormat(format)->read(StringSource(std::move(text)), &builder);
  if (!read) return tl::unexpected(read.error());
  return builder.Take();
}

// Stacks as "a;b;c" with their own weight.
inline std::map<std::string, int64_t> StacksOf(const Profile& profile, EventId event) {
  std::map<std::string, int64_t> stacks;
  std::vector<FrameId> path;
  for (const Sample& sample : profile.samples) {
    if (sample.event != event) continue;
    profile.stacks.Unwind(sample.stack, &path);
    std::string text;
    for (const FrameId frame : path) {
      text += (text.empty() ? "" : ";") + FrameLabel(profile.strings, profile.frames.Get(frame));
    }
    stacks[text] += sample.weight;
  }
  return stacks;
}

using Stacks = std::map<std::string, int64_t>;

// Stacks of the default event.
inline Stacks StacksOfText(std::string_view format, std::string text, ProfileReadOptions options = {}) {
  const Result<Profile> profile = ReadProfile(format, std::move(text), options);
  EXPECT_TRUE(profile) << profile.error().message;
  return profile ? StacksOf(*profile, profile->default_event) : Stacks();
}

// The error of `text`, which must be readable with `lenient` and then count skipped input.
inline std::string DamageOf(std::string_view format, const std::string& text) {
  const Result<Profile> strict = ReadProfile(format, text);
  EXPECT_FALSE(strict) << text;
  const Result<Profile> lenient = ReadProfile(format, text, {.lenient = true});
  EXPECT_TRUE(lenient) << lenient.error().message;
  if (strict || !lenient) return {};
  EXPECT_GT(lenient->damaged, 0);
  EXPECT_EQ(lenient->first_damage, strict.error().message);
  return strict.error().message;
}

}  // namespace sparkprof::testing
