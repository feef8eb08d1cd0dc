// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/samples/profile_builder.h"

namespace sparkprof {

// Functions and who called them how often and for how long, as Python's deterministic profilers count: times per
// function and per pair of caller and callee, no stacks.
struct CallerGraph {
  struct Cost {
    double calls = 0;
    double own_seconds = 0;    // without what it called
    double total_seconds = 0;  // with what it called
  };
  struct Function {
    FrameId frame = 0;
    Cost cost;
    double count = 0;  // calls, or samples that a profiler took in the function
  };
  struct Call {
    uint32_t caller = 0, callee = 0;  // rows of functions
    Cost cost;                        // the callee's cost when called from there
  };

  std::vector<Function> functions;
  std::vector<Call> calls;
};

// Adds the stacks that `graph` most likely stands for as samples of `event` in ns.
//
// Exact, but for rounding to a ns: the own time of each function over all stacks, hence the total; and its split among
// direct callers, unless it is recursive. Estimated: which of the callers' own callers a call belongs to. It is spread
// over them in proportion to the callers' total times, as if every call of a function cost the same (like gprof,
// flameprof and others). Recursive calls are attributed to the call from outside: a function is at most once in a
// stack. A function has at most kStacksPerFunction stacks; the share of rarer ones is spread over these.
inline constexpr size_t kStacksPerFunction = 100;
void AddStacksOfCallers(CallerGraph graph, EventId event, ProfileBuilder* builder);

}  // namespace sparkprof
