// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr size_t kNameLength = 80;
constexpr size_t kMostNamedCaches = 3;

// Whether it was computed to its end and no other stage read it.
bool IsUnused(const FindingInput& input, const CachedRdd& rdd) {
  const std::set<int64_t> stages(rdd.stages.begin(), rdd.stages.end());
  if (stages.size() != 1) return false;
  return std::any_of(input.application.stages.begin(), input.application.stages.end(), [&](const Stage& stage) {
    return stage.id == *stages.begin() && stage.status == RunStatus::kSucceeded;
  });
}

std::string NameOf(const CachedRdd& rdd) {
  return rdd.name.empty() ? fmt::format("RDD {}", rdd.id) : Shorten(ToOneLine(rdd.name), kNameLength);
}

}  // namespace

std::optional<Finding> FindUnusedCaches(const FindingInput& input) {
  // A running application may read it later, and a person at a prompt may have wanted to.
  if (!input.application.ended || IsInteractive(input.application)) return std::nullopt;
  std::vector<const CachedRdd*> unused;
  for (const CachedRdd& rdd : input.application.cached_rdds) {
    if (IsUnused(input, rdd)) unused.push_back(&rdd);
  }
  if (unused.empty()) return std::nullopt;
  Finding finding;
  finding.title = unused.size() == 1 ? fmt::format("Cached data is never read: {}", NameOf(*unused.front()))
                                     : fmt::format("{} cached data sets are never read", unused.size());
  finding.confidence = 0.7;
  finding.what = "Only the stage that computed the data ran with it";
  for (size_t i = 0; i < std::min(unused.size(), kMostNamedCaches); ++i) {
    finding.evidence +=
        fmt::format("{}{} in stage {}", i == 0 ? "" : "; ", NameOf(*unused[i]), unused[i]->stages.front());
    finding.stages.push_back(unused[i]->stages.front());
  }
  finding.condition = "The application ended, and only one stage ran with an RDD or DataFrame that it had cached";
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.stage = unused.front()->stages.front();
  finding.change = "Remove the cache() or persist() call: storing the rows costs time and takes memory from execution";
  return finding;
}

}  // namespace sparkprof
