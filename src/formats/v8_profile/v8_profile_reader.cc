// SPDX-License-Identifier: Apache-2.0
#include "formats/v8_profile/v8_profile_reader.h"

#include <vector>

#include "base/json_value.h"
#include "formats/json/json_document.h"
#include "formats/json/json_outline.h"
#include "formats/v8_profile/v8_samples.h"
#include "model/default_event.h"

namespace sparkprof {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr size_t kMaxV8Depth = 1 << 16;  // of JSON: two levels for each frame
constexpr double kMicrosPerSecond = 1e6;

// Calls visit(node, id, parent) for each node of a tree, callers first. IDs are those of the file, or positions if it
// has none.
template <typename Visit>
void VisitTree(const object& root, Visit&& visit) {
  struct Pending {
    object node;
    int64_t parent;
  };
  std::vector<Pending> pending{{root, -1}};
  int64_t position = 0;
  while (!pending.empty()) {
    const Pending next = pending.back();
    pending.pop_back();
    const int64_t id = IntegerAt(next.node, "id", position++);
    visit(next.node, id, next.parent);
    array children;
    if (!ArrayAt(next.node, "children", &children)) continue;
    for (const element value : children) {
      object child;
      if (value.get(child) == simdjson::SUCCESS) pending.push_back({child, id});
    }
  }
}

// The tree of old versions, with times of samples instead of deltas; startTime is in seconds.
Result<void> ReadTree(const object& profile, const object& head, ProfileBuilder* builder) {
  V8Samples result(builder);
  VisitTree(head, [&](const object& node, int64_t id, int64_t parent) { result.AddNode(node, id, parent); });
  array samples, times;
  if (ArrayAt(profile, "samples", &samples) && ArrayAt(profile, "timestamps", &times)) {
    auto time = times.begin();
    double start_s = 0;
    if (profile["startTime"].get(start_s) != simdjson::SUCCESS || !(start_s >= 0 && start_s < 9e12)) start_s = 0;
    auto before = static_cast<int64_t>(start_s * kMicrosPerSecond);
    for (const element sample : samples) {
      if (!(time != times.end())) {
        if (Result<void> kept = builder->Damaged("timestamps: expected one for each sample"); !kept) return kept;
        break;
      }
      const int64_t now = IntegerOf(*time, before);
      int64_t delta = 0;
      if (__builtin_sub_overflow(now, before, &delta)) delta = 0;
      result.AddSample(IntegerOf(sample, -1), delta);
      before = now;
      ++time;
    }
  }
  return result.Finish({});
}

// Bytes that are still in use, by the call that allocated them.
void ReadHeap(const object& head, ProfileBuilder* builder) {
  struct Pending {
    object node;
    StackId caller;
  };
  Sample sample{.event = builder->AddEvent(EventName(Event::kLive), EventUnit(Event::kLive))};
  std::vector<Pending> pending{{head, 0}};
  while (!pending.empty()) {
    const auto [node, caller] = pending.back();
    pending.pop_back();
    object call_frame;
    const FrameId frame = ObjectAt(node, "callFrame", &call_frame) ? V8Frame(call_frame, builder) : 0;
    sample.stack = frame == 0 ? caller : builder->profile().stacks.Push(caller, frame);
    sample.weight = IntegerAt(node, "selfSize", 0);
    if (sample.weight > 0) builder->Add(sample);
    array children;
    if (!ArrayAt(node, "children", &children)) continue;
    for (const element value : children) {
      object child;
      if (value.get(child) == simdjson::SUCCESS) pending.push_back({child, sample.stack});
    }
  }
}

Result<void> ReadAnyV8(const object& profile, ProfileBuilder* builder) {
  object head;
  if (ObjectAt(profile, "head", &head)) {
    simdjson::dom::element size;
    if (!Find(head, "selfSize", &size)) return ReadTree(profile, head, builder);
    ReadHeap(head, builder);
    return {};
  }
  array nodes;
  if (!ArrayAt(profile, "nodes", &nodes)) return builder->Damaged("offset 0: expected a V8 profile with nodes");
  V8Samples samples(builder);
  samples.Add(profile);
  return samples.Finish({});
}

}  // namespace

Result<void> ReadV8Profile(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  JsonDocument document;
  const JsonDocument::Options options{.format = "a V8 profile", .max_depth = kMaxV8Depth};
  if (Result<void> read = document.Read(source.get(), options, builder); !read) return read;
  object profile;
  if (document.Root().get(profile) != simdjson::SUCCESS) {
    return builder->Damaged("offset 0: expected a V8 profile as an object");
  }
  Result<void> read = ReadAnyV8(profile, builder);
  builder->profile().default_event = DefaultEventOf(builder->profile());
  return read;
}

bool LooksLikeV8Profile(std::string_view head) {
  const JsonOutline outline(head);
  return outline.IsObject() &&
         (outline.Has("nodes.callFrame") || outline.Has("head.callFrame") || outline.Has("head.functionName"));
}

}  // namespace sparkprof
