// SPDX-License-Identifier: Apache-2.0
#include "formats/trace_events/v8_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "base/saturate.h"
#include "base/text/json_parser.h"
#include "base/time.h"

namespace sparkprof {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

}  // namespace

FrameId V8Samples::FrameOf(const object& call_frame) {
  const std::string_view name = TextAt(call_frame, "functionName"), url = TextAt(call_frame, "url");
  if (name == "(root)" || name == "(idle)" || url == "native dummy.js") return 0;
  // Lines are counted from 0; -1 is unknown.
  int64_t line = url.empty() ? -1 : IntegerAt(call_frame, "lineNumber", -1);
  AddSaturated(1, &line);
  return builder_->AddFrame(name.empty() ? "(anonymous)" : name, FrameKind::kUnknown, url, line);
}

void V8Samples::AddNode(const object& node) {
  const int64_t id = IntegerAt(node, "id", -1);
  array children;
  if (ArrayAt(node, "children", &children)) {
    for (const element child : children) children_.emplace_back(id, IntegerOf(child, -1));
  }
  object call_frame;
  const auto row = static_cast<uint32_t>(nodes_.size());
  if (!ObjectAt(node, "callFrame", &call_frame) || !row_of_node_.emplace(id, row).second) return;
  const std::string_view name = TextAt(call_frame, "functionName");
  nodes_.push_back({.parent = IntegerAt(node, "parent", -1),
                    .frame = FrameOf(call_frame),
                    .is_on_top = name == "(garbage collector)" || name == "(program)"});
}

void V8Samples::AddPart(int64_t time_ns, const object& part) {
  parts_.push_back({time_ns, samples_.size(), deltas_.size()});
  start_us_ = IntegerAt(part, "startTime", start_us_);
  array nodes, samples, deltas;
  if (ArrayAt(part, "nodes", &nodes)) {
    for (const element value : nodes) {
      object node;
      if (value.get(node) == simdjson::SUCCESS) AddNode(node);
    }
  }
  if (ArrayAt(part, "samples", &samples)) {
    for (const element sample : samples) samples_.push_back(IntegerOf(sample, -1));
  }
  if (ArrayAt(part, "timeDeltas", &deltas)) {
    for (const element delta : deltas) deltas_.push_back(IntegerOf(delta, 0));
  }
}

// Samples and deltas in the order of their parts' times.
void V8Samples::OrderParts() {
  std::vector<size_t> order(parts_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto before = [&](size_t a, size_t b) { return parts_[a].time_ns < parts_[b].time_ns; };
  if (std::is_sorted(order.begin(), order.end(), before)) return;
  std::stable_sort(order.begin(), order.end(), before);
  parts_.push_back({0, samples_.size(), deltas_.size()});
  std::vector<int64_t> samples, deltas;
  const auto append = [](const std::vector<int64_t>& from, size_t begin, size_t end, std::vector<int64_t>* to) {
    to->insert(to->end(), from.begin() + static_cast<ptrdiff_t>(begin), from.begin() + static_cast<ptrdiff_t>(end));
  };
  for (const size_t part : order) {
    append(samples_, parts_[part].sample, parts_[part + 1].sample, &samples);
    append(deltas_, parts_[part].delta, parts_[part + 1].delta, &deltas);
  }
  samples_ = std::move(samples);
  deltas_ = std::move(deltas);
}

V8Samples::Node* V8Samples::FindNode(int64_t id) {
  const auto found = row_of_node_.find(id);
  return found == row_of_node_.end() ? nullptr : &nodes_[found->second];
}

StackId V8Samples::StackOf(Node* node) {
  std::vector<Node*> path;  // callees first
  StackId stack = 0;
  // In a damaged file, callers may form a cycle.
  for (Node* at = node; at != nullptr && path.size() <= nodes_.size(); at = FindNode(at->parent)) {
    if (at->has_stack) {
      stack = at->stack;
      break;
    }
    path.push_back(at);
    if (at->frame == 0) break;
  }
  for (size_t i = path.size(); i > 0; --i) {
    Node* const at = path[i - 1];
    if (!at->has_stack && at->frame != 0) stack = builder_->profile().stacks.Push(stack, at->frame);
    at->stack = at->frame == 0 ? 0 : stack;
    at->has_stack = true;
  }
  return node->stack;
}

StackId V8Samples::Continue(Node* node, TopStack* before) {
  if (!node->is_on_top) {
    *before = {.stack = StackOf(node)};
    return before->stack;
  }
  const auto found = std::find_if(before->on_top.begin(), before->on_top.end(),
                                  [&](const auto& top) { return top.first == node->frame; });
  if (found != before->on_top.end()) {
    before->on_top.erase(found + 1, before->on_top.end());
    return before->on_top.back().second;
  }
  const StackId below = before->on_top.empty() ? before->stack : before->on_top.back().second;
  before->on_top.emplace_back(node->frame, builder_->profile().stacks.Push(below, node->frame));
  return before->on_top.back().second;
}

Result<void> V8Samples::Finish(const ProfileThread& thread) {
  OrderParts();
  for (const auto& [parent, child] : children_) {
    if (Node* const node = FindNode(child)) node->parent = parent;
  }
  Sample sample{.thread = builder_->AddThread(thread), .event = builder_->AddEvent("wall", "ns"), .count = 0};
  int64_t elapsed = deltas_.empty() ? 0 : deltas_.front();
  // Clocks may step back.
  int64_t begin = elapsed;
  TopStack before;
  uint64_t unknown = 0;
  const auto end_at = [&](int64_t time) {
    time = std::max(time, begin);
    sample.weight = MultiplySaturated(time - begin, kNanosPerMicro);
    int64_t begin_us = start_us_;
    AddSaturated(begin, &begin_us);
    sample.time_ns = MultiplySaturated(begin_us, kNanosPerMicro);
    if (sample.stack != 0 && sample.weight != 0) builder_->Add(sample);
    begin = time;
    sample.count = 0;
  };
  for (size_t i = 0; i < samples_.size(); ++i) {
    if (i == 0 || samples_[i] != samples_[i - 1]) {
      Node* const node = FindNode(samples_[i]);
      end_at(elapsed);
      sample.stack = node == nullptr ? 0 : Continue(node, &before);
      if (node == nullptr) before = {};
    }
    if (row_of_node_.count(samples_[i]) == 0) ++unknown;
    ++sample.count;
    if (i + 1 < samples_.size() && i + 1 < deltas_.size()) AddSaturated(deltas_[i + 1], &elapsed);
  }
  end_at(elapsed);
  // Chrome leaves out nodes that were made after its last chunk.
  if (unknown > 0)
    builder_->Note(fmt::format("{} of {} samples skipped: their calls are not in the file", unknown, samples_.size()));
  if (deltas_.size() >= samples_.size()) return {};
  return builder_->Damaged(
      fmt::format("timeDeltas[{}]: expected one for each of {} samples", deltas_.size(), samples_.size()));
}

}  // namespace sparkprof
