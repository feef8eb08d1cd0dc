// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/samples/profile_builder.h"

namespace sparkprof {

// The call tree and the samples of one CPU profile of V8 (Profiler.Profile of its inspector protocol) in a trace of
// Chrome. A sample lasts until the next one and weighs that time. As in speedscope, "(garbage collector)" and
// "(program)" run on top of the stack before them, "(root)" is not a frame, and "(idle)" is not counted.
class V8Samples {
 public:
  explicit V8Samples(ProfileBuilder* builder) : builder_(builder) {}

  // Reads nodes, samples, timeDeltas (µs) and startTime of a part of the profile; parts may come in any order of their
  // times.
  void AddPart(int64_t time_ns, const simdjson::dom::object& part);

  // Adds the samples to the profile.
  Result<void> Finish(const ProfileThread& thread);

 private:
  struct Node {
    int64_t parent = -1;     // ID
    FrameId frame = 0;       // 0 = not a frame
    bool is_on_top = false;  // runs on top of the stack before it
    StackId stack = 0;
    bool has_stack = false;
  };

  // A stack with the frames that run on top of it.
  struct TopStack {
    StackId stack = 0;
    std::vector<std::pair<FrameId, StackId>> on_top;
  };

  // Where the samples of a part begin.
  struct Part {
    int64_t time_ns = 0;
    size_t sample = 0, delta = 0;
  };

  void AddNode(const simdjson::dom::object& node);
  FrameId FrameOf(const simdjson::dom::object& call_frame);
  void OrderParts();
  Node* FindNode(int64_t id);
  StackId StackOf(Node* node);
  StackId Continue(Node* node, TopStack* before);

  ProfileBuilder* builder_;
  std::vector<Node> nodes_;
  std::unordered_map<int64_t, uint32_t> row_of_node_;  // by ID
  std::vector<std::pair<int64_t, int64_t>> children_;  // IDs of parent and child
  std::vector<int64_t> samples_;                       // IDs of nodes
  std::vector<int64_t> deltas_;                        // µs since the sample before
  std::vector<Part> parts_;                            // as they came
  int64_t start_us_ = 0;
};

}  // namespace sparkprof
