// SPDX-License-Identifier: Apache-2.0
#include "analysis/top_frames.h"

#include <algorithm>

namespace sparkprof {

std::vector<TopFrame> FunctionWeights(const FlameTree& tree) {
  std::vector<TopFrame> weights(tree.functions.size());
  for (size_t i = 0; i < weights.size(); ++i) weights[i].function = tree.functions[i];
  // A function that calls itself counts once: only where it is not open already further up.
  std::vector<uint32_t> open_until(tree.functions.size());
  for (uint32_t row = 1; row < tree.nodes.size(); ++row) {
    const FlameNode& node = tree.nodes[row];
    weights[node.function].self += node.self;
    if (row < open_until[node.function]) continue;
    open_until[node.function] = node.end;
    weights[node.function].total += node.total;
  }
  return weights;
}

std::vector<TopFrame> TopFrames(const Application& application, const std::vector<uint32_t>& rows, size_t limit) {
  std::vector<TopFrame> top = FunctionWeights(BuildFlameTree(application, rows, {}));
  limit = std::min(limit, top.size());
  std::partial_sort(top.begin(), top.begin() + static_cast<ptrdiff_t>(limit), top.end(),
                    [](const TopFrame& a, const TopFrame& b) { return a.self > b.self; });
  top.resize(limit);
  std::erase_if(top, [](const TopFrame& frame) { return frame.self == 0; });
  return top;
}

}  // namespace sparkprof
