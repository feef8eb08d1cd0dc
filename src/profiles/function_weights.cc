// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/saturate.h"
#include "profiles/frame_weights.h"

namespace sparkprof {

Functions::Functions(const Profile& profile) : of_frame_(profile.frames.Size()) {
  std::map<std::pair<StringId, StringId>, uint32_t> numbers;
  for (FrameId id = 1; id < of_frame_.size(); ++id) {
    Frame function = profile.frames.Get(id);
    if (function.kind != FrameKind::kPython && function.kind != FrameKind::kNative) function.file = 0;
    function.line = 0;
    const auto [entry, is_new] =
        numbers.emplace(std::pair(function.name, function.file), static_cast<uint32_t>(functions_.size()));
    if (is_new) functions_.push_back(function);
    of_frame_[id] = entry->second;
  }
}

std::vector<FunctionWeight> WeighFunctions(const Profile& profile, const Functions& functions,
                                           const std::vector<uint32_t>& rows) {
  std::unordered_map<StackId, int64_t> by_stack;
  for (const uint32_t row : rows) AddSaturated(profile.samples[row].weight, &by_stack[profile.samples[row].stack]);
  std::vector<FunctionWeight> weights(functions.Size());
  for (uint32_t function = 0; function < weights.size(); ++function) weights[function].function = function;
  std::vector<StackId> seen(functions.Size());  // last counted stack per function, so that recursion counts once
  for (const auto& [leaf, weight] : by_stack) {
    if (leaf != 0) AddSaturated(weight, &weights[functions.Of(profile.stacks.Get(leaf).frame)].self);
    for (StackId stack = leaf; stack != 0; stack = profile.stacks.Get(stack).parent) {
      const uint32_t function = functions.Of(profile.stacks.Get(stack).frame);
      if (std::exchange(seen[function], leaf) != leaf) AddSaturated(weight, &weights[function].total);
    }
  }
  return weights;
}

std::vector<FunctionWeight> TopFunctions(std::vector<FunctionWeight> weights, size_t limit) {
  std::erase_if(weights, [](const FunctionWeight& weight) { return weight.self == 0; });
  limit = std::min(limit, weights.size());
  std::partial_sort(weights.begin(), weights.begin() + static_cast<ptrdiff_t>(limit), weights.end(),
                    [](const FunctionWeight& a, const FunctionWeight& b) {
                      return std::pair(b.self, a.function) < std::pair(a.self, b.function);
                    });
  weights.resize(limit);
  return weights;
}

}  // namespace sparkprof
