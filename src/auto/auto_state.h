// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Values by setting of Spark.
using AutoValues = std::map<std::string, std::string>;

// Settings that replaced those of the job in some runs.
struct AutoVersion {
  int64_t number = 0;  // from 1; version 0 has the job's own settings
  int64_t before = 0;  // number of the version that it replaced
  int64_t time_ns = 0;
  AutoValues settings;  // empty = the job's own settings
  std::string key;      // the setting that it changed; empty for a rollback
  std::string why;
  std::vector<std::string> runs;  // applications that ran with it
};

// A value that made runs worse. It is not tried again until the data change.
struct RefusedValue {
  std::string key;
  std::string value;        // empty = any value, because the program sets its own
  bool is_smaller = false;  // lower than the value before; even lower values are refused, too
  int64_t input_bytes = 0;  // input of the run that got worse; 0 = unknown, so the refusal is permanent
  std::string why;
};

// Earlier decisions for a group.
struct AutoState {
  AutoValues own;  // the job's own values of replaced settings, from before the first change
  std::vector<AutoVersion> versions;
  std::vector<RefusedValue> refused;

  // Null for version 0 and discarded versions.
  const AutoVersion* Find(int64_t number) const;
};

// One line of JSON (docs/auto.md).
std::string AutoStateJson(std::string_view group, const AutoState& state);
// `name`: the file's name for errors.
Result<AutoState> ParseAutoState(std::string_view json, const std::string& name);

}  // namespace sparkprof
