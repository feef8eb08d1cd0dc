// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

enum class FlameOrder : uint8_t { kByName, kByTotal };

struct FlameOptions {
  bool reverse = false;  // leaves at the root: who calls what is expensive
  bool lines = false;    // a function's lines apart
  FlameOrder order = FlameOrder::kByName;
};

// What a node stands for: a function, however it was compiled.
struct FlameFunction {
  StringId name = 0;
  StringId file = 0;                     // of Python and native frames; 0 where a name says it all
  uint32_t line = 0;                     // 0 unless FlameOptions::lines
  FrameKind kind = FrameKind::kUnknown;  // the kind that most of its weight has
};

struct FlameNode {
  uint32_t parent = 0;    // row; of the root: itself
  uint32_t depth = 0;     // 0 = root
  uint32_t function = 0;  // position in FlameTree::functions; of the root: 0, which is nameless
  uint32_t end = 0;       // first row after its subtree
  int64_t self = 0;
  int64_t total = 0;  // self and everything below
  int64_t count = 0;  // samples in total
};

// Selected samples merged by their callers. Rows in preorder, row 0 = root; the root's total is exactly the weight of
// the selected samples.
struct FlameTree {
  std::vector<FlameFunction> functions;
  std::vector<FlameNode> nodes;

  int64_t Total() const { return nodes.front().total; }
};

// `rows` are of one event, as SelectSamples gives them.
FlameTree BuildFlameTree(const Application& application, const std::vector<uint32_t>& rows,
                         const FlameOptions& options);

// A function's name for people and scripts: "org.example.Job.run", Python's "f (job.py)", with a line ":12" behind.
std::string FunctionLabel(const Application& application, const FlameFunction& function);

}  // namespace sparkprof
