// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "failures/failures.h"

namespace sparkprof {

struct RemedyStep {
  std::string setting;  // empty = an action
  std::string value;    // of the setting, or the action
};

// A number of the application by its name in remedies ("heap"), or by the key of a setting.
using NumberOf = std::function<std::optional<double>(std::string_view name)>;

// The steps of a failure's remedy, with computed values where all of their numbers are known, and else in words.
std::vector<RemedyStep> RemedyOf(const FailureMatch& match, const NumberOf& number_of);

// "Set spark.executor.memory=6g. Use more partitions": the steps as sentences, without the last point.
std::string RemedyText(const std::vector<RemedyStep>& steps);

}  // namespace sparkprof
