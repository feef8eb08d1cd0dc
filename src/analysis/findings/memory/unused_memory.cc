// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "analysis/owners/resources.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kWorthwhileHeap = int64_t{4} << 30;  // bytes; smaller heaps are not worth changing
constexpr double kLittleUsed = 0.4;                    // share of the heap

}  // namespace

std::optional<Finding> FindUnusedMemory(const FindingInput& input) {
  const Resources use = ResourcesOf(input.application);
  const int64_t wanted = SmallerHeap(use);
  const double share = Share(use.peak_heap_bytes, use.heap_bytes);
  if (use.is_local || wanted == 0 || use.heap_bytes < kWorthwhileHeap || share > kLittleUsed) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Executors use at most {} of their heap", FormatShare(share));
  finding.what = fmt::format("The fullest executor's heap held {} of {}", FormatBytes(use.peak_heap_bytes),
                             FormatBytes(use.heap_bytes));
  finding.evidence = "peaks of the executors' heaps";
  finding.condition = fmt::format(
      "Heaps of at least {} are never filled to more than {}, and no task spills or collects garbage for long",
      FormatBytes(kWorthwhileHeap), FormatShare(kLittleUsed));
  finding.selection.event = EventName(Event::kAlloc);
  // Databricks derives the heap from the node type.
  finding.change = IsOnDatabricks(input.application)
                       ? std::string("Use a node type with less memory per core. This saves memory, not time")
                       : fmt::format(
                             "Set spark.executor.memory={}, or use more cores per executor. This saves memory, "
                             "not time",
                             MemoryText(wanted));
  return finding;
}

}  // namespace sparkprof
