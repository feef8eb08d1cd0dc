// SPDX-License-Identifier: Apache-2.0
#include "formats/stackprof/stackprof_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/json_value.h"
#include "base/saturate.h"
#include "base/time.h"
#include "formats/json/json_document.h"
#include "formats/json/json_outline.h"
#include "model/default_event.h"

namespace sparkprof {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::string_view kGarbageCollection = "(garbage collection)";

class StackprofReader {
 public:
  explicit StackprofReader(ProfileBuilder* builder) : builder_(builder) {}

  Result<void> Read(const object& profile) {
    object frames;
    array raw, deltas;
    if (!ObjectAt(profile, "frames", &frames))
      return builder_->Damaged("offset 0: expected stackprof's frames, found none");
    if (!ArrayAt(profile, "raw", &raw)) {
      return builder_->Damaged(
          "offset 0: expected stackprof's raw samples, found none; record them with StackProf.run(raw: true)");
    }
    for (const auto& [id, value] : frames) AddFrame(id, value);
    for (const element number : raw) raw_.push_back(IntegerOf(number, -1));
    if (ArrayAt(profile, "raw_timestamp_deltas", &deltas)) {
      for (const element delta : deltas) deltas_.push_back(IntegerOf(delta, 0));
    }
    mode_ = TextAt(profile, "mode");
    interval_us_ = std::max<int64_t>(IntegerAt(profile, "interval", 0), 0);
    const bool counts = mode_ == "object";
    sample_.event =
        counts ? builder_->AddEvent("objects", "count") : builder_->AddEvent(mode_ == "cpu" ? "cpu" : "wall", "ns");
    return ReadSamples();
  }

 private:
  void AddFrame(std::string_view id, const element& value) {
    object fields;
    int64_t number = 0;
    std::from_chars(id.data(), id.data() + id.size(), number);
    if (value.get(fields) != simdjson::SUCCESS) return;
    StringTable& strings = builder_->profile().strings;
    const std::string_view name = TextAt(fields, "name");
    Frame frame{.name = strings.Intern(name.empty() ? "(unknown)" : name),
                .file = strings.Intern(TextAt(fields, "file"))};
    const int64_t line = IntegerAt(fields, "line", 0);
    if (frame.file != 0 && line > 0 && line <= UINT32_MAX) frame.line = static_cast<uint32_t>(line);
    const FrameId added = builder_->profile().frames.Intern(frame);
    frames_.emplace(number, added);
    if (name == kGarbageCollection) garbage_collection_ = added;
  }

  Result<void> ReadSamples() {
    StackId before = 0;
    for (size_t at = 0; at < raw_.size();) {
      const size_t begin = at;
      const auto height = static_cast<uint64_t>(raw_[at++]);
      if (height >= raw_.size() - at) {
        return builder_->Damaged(
            fmt::format("raw[{}]: expected {} frames and a number of samples, found the end", begin, height));
      }
      const size_t end = at + height;
      // Garbage collection has a stack of its own.
      StackId stack = height == 1 && garbage_collection_ != 0 && FrameOf(raw_[at]) == garbage_collection_ ? before : 0;
      for (; at < end; ++at) {
        const FrameId frame = FrameOf(raw_[at]);
        if (frame != 0) {
          stack = builder_->profile().stacks.Push(stack, frame);
        } else if (Result<void> kept = builder_->Damaged(fmt::format("raw[{}]: expected the ID of a frame", at));
                   !kept) {
          return kept;
        }
      }
      Add(stack, raw_[at++]);
      before = stack;
    }
    return {};
  }

  FrameId FrameOf(int64_t id) const {
    const auto found = frames_.find(id);
    return found == frames_.end() ? 0 : found->second;
  }

  void Add(StackId stack, int64_t count) {
    if (count <= 0) return;
    int64_t micros = 0;
    if (mode_ == "object") {
      sample_.weight = count;
    } else {
      if (mode_ == "cpu" || deltas_.empty()) {
        if (__builtin_mul_overflow(count, interval_us_, &micros)) micros = INT64_MAX;
      } else {
        for (int64_t i = 0; i < count && next_delta_ < deltas_.size(); ++i)
          AddSaturated(deltas_[next_delta_++], &micros);
      }
      if (__builtin_mul_overflow(micros, kNanosPerMicro, &sample_.weight)) sample_.weight = INT64_MAX;
    }
    sample_.stack = stack;
    sample_.count = count;
    if (sample_.weight > 0) builder_->Add(sample_);
  }

  ProfileBuilder* builder_;
  std::unordered_map<int64_t, FrameId> frames_;  // by ID
  FrameId garbage_collection_ = 0;
  std::vector<int64_t> raw_;
  std::vector<int64_t> deltas_;  // µs
  size_t next_delta_ = 0;
  std::string_view mode_;
  int64_t interval_us_ = 0;
  Sample sample_;
};

}  // namespace

Result<void> ReadStackprof(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  JsonDocument document;
  if (Result<void> read = document.Read(source.get(), {.format = "stackprof's JSON"}, builder); !read) return read;
  object profile;
  if (document.Root().get(profile) != simdjson::SUCCESS) {
    return builder->Damaged("offset 0: expected stackprof's JSON as an object");
  }
  Result<void> read = StackprofReader(builder).Read(profile);
  builder->profile().default_event = DefaultEventOf(builder->profile());
  return read;
}

bool LooksLikeStackprof(std::string_view head) {
  const JsonOutline outline(head);
  return outline.IsObject() && outline.Has("mode") && outline.Has("interval") && outline.Has("samples") &&
         (outline.Has("gc_samples") || outline.Has("missed_samples") || outline.Has("raw"));
}

}  // namespace sparkprof
