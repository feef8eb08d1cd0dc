// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace sparkprof {

// Labels that a profiler's client gives single samples, "region" = "eu". ProfileThread has them as one text: lines
// NAME=VALUE, in order of names. Control characters in names and values become blanks.
using SampleLabels = std::map<std::string, std::string, std::less<>>;

std::string FormatLabels(const SampleLabels& labels);

// Whether the text has this label, "region=eu".
bool HasLabel(std::string_view labels, std::string_view label);

}  // namespace sparkprof
