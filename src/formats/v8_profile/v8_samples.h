// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// The frame of a call as V8 describes it; 0 for what is not a frame: "(root)", "(idle)".
FrameId V8Frame(const simdjson::dom::object& call_frame, ProfileBuilder* builder);

// The call tree and the samples of one CPU profile of V8 (Profiler.Profile of its inspector protocol), complete or in
// the chunks of a trace. A sample lasts until the next one and weighs that time. As in speedscope, "(garbage
// collector)" and "(program)" run on top of the stack before them, "(root)" is not a frame, and "(idle)" is not
// counted.
class V8Samples {
 public:
  explicit V8Samples(ProfileBuilder* builder) : builder_(builder) {}

  // Reads nodes, samples, timeDeltas (µs) and startTime of `profile`.
  void Add(const simdjson::dom::object& profile);
  // The same for a part of a profile; parts may come in any order of their times.
  void AddPart(int64_t time_ns, const simdjson::dom::object& part);

  // A node whose children follow; `parent` is the ID of another node, -1 = none.
  void AddNode(const simdjson::dom::object& node, int64_t id, int64_t parent);
  // A sample, `delta_us` after the one before.
  void AddSample(int64_t node, int64_t delta_us);

  // Adds the samples to the profile; without any, the ticks counted in the nodes.
  Result<void> Finish(const ProfileThread& thread);

 private:
  struct Node {
    int64_t parent = -1;     // ID
    FrameId frame = 0;       // 0 = not a frame
    bool is_on_top = false;  // runs on top of the stack before it
    int64_t hits = 0;
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

  void OrderParts();
  Node* FindNode(int64_t id);
  StackId StackOf(Node* node);
  StackId Continue(Node* node, TopStack* before);
  void AddTicks(Sample sample);
  Result<void> AddSamples(Sample sample);

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
