// SPDX-License-Identifier: Apache-2.0
#include "catalogue/catalogue.h"

#include <algorithm>
#include <iterator>

namespace sparkprof {
namespace {

constexpr std::string_view kStatusNames[] = {"running", "finished", "failed", "incomplete"};

}  // namespace

std::string_view StatusName(ApplicationStatus status) { return kStatusNames[static_cast<size_t>(status)]; }

std::optional<ApplicationStatus> ParseStatus(std::string_view name) {
  const auto* const found = std::find(std::begin(kStatusNames), std::end(kStatusNames), name);
  if (found == std::end(kStatusNames)) return std::nullopt;
  return static_cast<ApplicationStatus>(found - std::begin(kStatusNames));
}

}  // namespace sparkprof
