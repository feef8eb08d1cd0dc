// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/saturate.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "base/time.h"
#include "formats/json/json_document.h"
#include "formats/readers.h"

namespace sparkprof {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

struct PlacedBar {
  int64_t begin = 0;
  int64_t end = 0;
  StackId stack = 0;
};

// Flame graphs of Pyroscope as JSON, as its /render answers and its page exports them: "flamebearer" has names and a
// list of numbers for each level, four for each frame: the distance to the end of the frame before it, its total, its
// own weight, the position of its name. The queries of version 1 answer "flamegraph" with numbers as text in "values".
// The frame of the first level is the total. Comparisons (format "double") are refused.
class PyroscopeReader {
 public:
  explicit PyroscopeReader(ProfileBuilder* builder) : builder_(builder) {}

  Result<void> Read(const object& document) {
    object flame, metadata;
    array names, levels;
    const bool has_flame = ObjectAt(document, "flamebearer", &flame) || ObjectAt(document, "flamegraph", &flame);
    if (!has_flame || !ArrayAt(flame, "names", &names) || !ArrayAt(flame, "levels", &levels)) {
      return builder_->Damaged("offset 0: expected a flame graph of Pyroscope with names and levels");
    }
    std::string_view units, format;
    bool is_cpu_time = false;
    if (ObjectAt(document, "metadata", &metadata)) {
      units = TextAt(metadata, "units");
      format = TextAt(metadata, "format");
      is_cpu_time = units == "samples" && HasCpuTime(metadata);
    }
    if (format.empty()) format = TextAt(flame, "format");
    element ticks_of_other;
    if (format == "double" || Find(flame, "leftTicks", &ticks_of_other)) {
      return Fail(
          fmt::format("{}: a comparison of Pyroscope; export each of the two flame graphs", builder_->options().name));
    }
    const bool is_bytes = units == "bytes",
               is_time = is_cpu_time || units == "lock_nanoseconds" || units == "nanoseconds";
    sample_.event = builder_->AddEvent(is_bytes                      ? "alloc"
                                       : is_cpu_time                 ? "cpu"
                                       : units == "lock_nanoseconds" ? "lock"
                                       : is_time                     ? "wall"
                                                                     : "samples",
                                       is_bytes  ? "bytes"
                                       : is_time ? "ns"
                                                 : "count");
    is_count_ = !is_bytes && !is_time;
    for (const element name : names) names_.push_back(builder_->AddFrame(TextOf(name)));
    for (const element level : levels) {
      array numbers;
      object fields;
      const bool is_object = level.get(fields) == simdjson::SUCCESS;
      if (is_object ? !ArrayAt(fields, "values", &numbers) : level.get(numbers) != simdjson::SUCCESS) {
        ++unreadable_;
        continue;
      }
      AddLevel(numbers);
    }
    if (unreadable_ == 0) return {};
    return builder_->Damaged(
        fmt::format("offset 0: expected frames of four numbers below another frame, found {} others", unreadable_));
  }

 private:
  // Whether "samples" are nanoseconds: version 1 names no client, and its rate of samples is that of nanoseconds or has
  // no meaning.
  static bool HasCpuTime(const object& metadata) {
    if (IntegerAt(metadata, "sampleRate", 0) >= kNanosPerSecond) return true;
    return TextAt(metadata, "name") == "cpu" && TextAt(metadata, "spyName").empty();
  }

  // Protobuf's JSON has integers as text.
  static int64_t NumberOf(const element& value) {
    return value.is_string() ? ParseInteger(TextOf(value)).value_or(-1) : IntegerOf(value, -1);
  }

  void AddLevel(const array& numbers) {
    std::vector<PlacedBar> level;
    int64_t values[4] = {};
    size_t filled = 0, caller = 0;
    int64_t end = 0;
    for (const element number : numbers) {
      values[filled++] = NumberOf(number);
      if (filled < 4) continue;
      filled = 0;
      PlacedBar frame{.begin = end};
      AddSaturated(values[0], &frame.begin);
      frame.end = frame.begin;
      AddSaturated(values[1], &frame.end);
      end = frame.end;
      while (caller < callers_.size() && callers_[caller].end <= frame.begin) ++caller;
      const bool has_caller = is_root_ || (caller < callers_.size() && callers_[caller].begin <= frame.begin);
      if (values[0] < 0 || values[1] < 0 || values[2] < 0 || values[3] < 0 || !has_caller ||
          static_cast<size_t>(values[3]) >= names_.size()) {
        ++unreadable_;
        continue;
      }
      if (!is_root_) {
        frame.stack = builder_->profile().stacks.Push(callers_[caller].stack, names_[static_cast<size_t>(values[3])]);
      }
      sample_.stack = frame.stack;
      sample_.weight = values[2];
      sample_.count = is_count_ ? values[2] : 0;
      if (values[2] > 0) builder_->Add(sample_);
      level.push_back(frame);
    }
    unreadable_ += filled == 0 ? 0 : 1;
    is_root_ = false;
    callers_ = std::move(level);
  }

  ProfileBuilder* builder_;
  std::vector<FrameId> names_;
  std::vector<PlacedBar> callers_;  // the level before, from left to right
  Sample sample_;
  bool is_count_ = true;
  bool is_root_ = true;
  uint64_t unreadable_ = 0;
};

}  // namespace

Result<void> ReadPyroscope(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  JsonDocument document;
  if (Result<void> read = document.Read(source.get(), {.format = "a flame graph of Pyroscope"}, builder); !read) {
    return read;
  }
  object root;
  if (document.Root().get(root) != simdjson::SUCCESS) {
    return builder->Damaged("offset 0: expected a flame graph of Pyroscope as an object");
  }
  return PyroscopeReader(builder).Read(root);
}

bool LooksLikePyroscope(std::string_view head) {
  const JsonOutline outline(head);
  return outline.IsObject() && (outline.Has("flamebearer") || outline.Has("flamegraph.levels"));
}

}  // namespace sparkprof
