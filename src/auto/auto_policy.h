// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// A setting that may change from run to run, with its limits.
struct AutoRule {
  enum class Unit : uint8_t { kBytes, kCount, kText };

  std::string key;  // "spark.executor.memory"
  Unit unit = Unit::kText;
  int64_t least = 0, most = 0;      // bytes or a count
  double step_share = 0;            // largest change per run relative to the present value; 0 = use `step`
  int64_t step = 0;                 // largest change per run in bytes or as a count
  std::vector<std::string> values;  // allowed values of a text

  // Parses a value as Spark does, as bytes or a count; nullopt if it is neither or exceeds 2^60.
  std::optional<int64_t> Number(std::string_view value) const;
  std::string Text(int64_t number) const;
  bool Allows(std::string_view value) const;
  // True if both values mean the same to Spark.
  bool AreEqual(std::string_view a, std::string_view b) const;
  // The value nearest to `wanted` that one step from `present` can reach. Returns `present` if the change is too small
  // or leaves the limits.
  int64_t Next(int64_t present, int64_t wanted) const;
};

// A policy, from a YAML file:
//   runs: 5       # good runs in a row before a change; default
//   history: 20   # last good runs that a size must suit; default
//   settings:     # in order of preference
//     spark.executor.memory: {min: 2g, max: 16g, step: 25%}
//     spark.executor.instances: {min: 2, max: 20, step: 2}
//     spark.sql.adaptive.enabled: {values: [true]}
struct AutoPolicy {
  size_t runs = 5;
  size_t history = 20;
  std::vector<AutoRule> rules;

  const AutoRule* Find(std::string_view key) const;
  // The number of runs that a decision reads: more than `history`, because failed and running ones do not count.
  size_t RunsToRead() const { return history + 20; }
};

// True if the value needs no consent: it changes neither results nor the program.
bool MayBeAutomatic(std::string_view key, std::string_view value);

// Errors name the file and the line. Rejects settings that may not change automatically.
Result<AutoPolicy> ParseAutoPolicy(const std::string& text, const std::string& name);
Result<AutoPolicy> ReadAutoPolicy(const std::string& path);

}  // namespace sparkprof
