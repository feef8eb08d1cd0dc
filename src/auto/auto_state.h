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

// Settings that runs of a job started with, in place of the job's own.
struct AutoVersion {
  int64_t number = 0;  // from 1; the job's own settings are version 0
  int64_t before = 0;  // the version that it replaced
  int64_t time_ns = 0;
  AutoValues settings;  // empty = the job's own
  std::string key;      // the setting that it changed; empty for a way back
  std::string why;
  std::vector<std::string> runs;  // applications that ran with it
};

// A value that made runs worse. It is not tried again until the data have changed.
struct RefusedValue {
  std::string key;
  std::string value;        // empty = every value, because the program sets its own
  bool is_smaller = false;  // than the value before, so that even smaller ones are refused
  int64_t input_bytes = 0;  // of the run that got worse; 0 = unknown, so the value stays refused
  std::string why;
};

// Earlier decisions for a group.
struct AutoState {
  AutoValues own;  // the job's own values of the settings that are replaced, when they were first replaced
  std::vector<AutoVersion> versions;
  std::vector<RefusedValue> refused;

  // Null for version 0 and versions that are not kept.
  const AutoVersion* Find(int64_t number) const;
};

// One line of JSON (docs/auto.md).
std::string AutoStateJson(std::string_view group, const AutoState& state);
// `name`: of the file, for errors.
Result<AutoState> ParseAutoState(std::string_view json, const std::string& name);

}  // namespace sparkprof
