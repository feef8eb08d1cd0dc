// SPDX-License-Identifier: Apache-2.0
// Texts of failures: the sign and the values of its holes are inside the text, and each step of the remedy has a value.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "failures/failures.h"

namespace sparkprof {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void Check(std::string_view text, ClusterManager manager) {
  const std::optional<FailureMatch> match = FindFailure(text, manager);
  if (!match) return;
  Require(match->failure != nullptr && match->offset < text.size());
  for (const bool has_numbers : {false, true}) {
    const auto number_of = [&](std::string_view) { return has_numbers ? std::optional(1e9) : std::nullopt; };
    for (const RemedyStep& step : RemedyOf(*match, number_of)) Require(!step.value.empty());
  }
}

}  // namespace
}  // namespace sparkprof

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  sparkprof::Check(text, sparkprof::ClusterManager::kUnknown);
  sparkprof::Check(text, sparkprof::ClusterManager::kYarn);
  return 0;
}
