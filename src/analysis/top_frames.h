// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/flame_tree.h"
#include "model/application.h"

namespace sparkprof {

struct TopFrame {
  FlameFunction function;
  int64_t self = 0;
  int64_t total = 0;  // of samples with the function anywhere in the stack, each counted once
};

// The `limit` functions with the largest self weight in `rows` (of one event), largest first.
std::vector<TopFrame> TopFrames(const Application& application, const std::vector<uint32_t>& rows, size_t limit);

// Self and total of every function of a tree built in caller-first order, in the order of `tree.functions`.
std::vector<TopFrame> FunctionWeights(const FlameTree& tree);

}  // namespace sparkprof
