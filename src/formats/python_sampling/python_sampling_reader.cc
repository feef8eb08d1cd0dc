// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "base/saturate.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "base/time.h"
#include "formats/json/json_document.h"
#include "formats/read_input.h"
#include "formats/readers.h"
#include "model/samples/profile_builder.h"

namespace sparkprof {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

// The JSON Lines of Python's sampling profiler (python -m profiling.sampling run --jsonl, since Python 3.15): records
// "meta", "str_def", "frame_def", "agg" and "end", one a line. The aggregate has the samples in each function, without
// its callers, so every stack is one frame. The event is that of the mode, with the interval as the weight of a sample.
class PythonSamplingReader {
 public:
  explicit PythonSamplingReader(ProfileBuilder* builder) : builder_(builder) {}

  Result<void> AddLine(std::string_view line) {
    ++line_number_;
    if (Trim(line).empty()) return {};
    object record;
    if (parser_.Parse(line).get(record) != simdjson::SUCCESS) {
      return builder_->Damaged(
          fmt::format("line {}: expected a record of Python's sampling profiler in JSON, found '{}'", line_number_,
                      Shorten(line, 60)));
    }
    const std::string_view type = TextAt(record, "type");
    is_whole_ = type == "end";
    if (type == "meta") Begin(record);
    const bool is_good = type == "str_def"     ? DefineTexts(record)
                         : type == "frame_def" ? DefineFrames(record)
                         : type == "agg"       ? AddSamples(record)
                                               : !type.empty();
    if (is_good) return {};
    return builder_->Damaged(
        fmt::format("line {}: expected a record of Python's sampling profiler that refers to those "
                    "before it, found another of type '{}'",
                    line_number_, Shorten(type, 60)));
  }

  Result<void> Finish() {
    builder_->Note(
        "this format has the samples in each function without its callers; --pstats and --collapsed have them");
    if (is_whole_) return {};
    return builder_->Damaged(
        fmt::format("line {}: expected a record of type \"end\", found the end of the input", line_number_));
  }

 private:
  void Begin(const object& record) {
    const std::string_view mode = TextAt(record, "mode");
    const int64_t interval_us = IntegerAt(record, "sample_interval_usec", 0);
    const bool is_time = mode != "exception" && interval_us > 0;
    if (!is_time || __builtin_mul_overflow(interval_us, kNanosPerMicro, &sample_ns_)) sample_ns_ = 0;
    const std::string_view name = mode == "cpu" || mode == "gil" ? mode : mode == "exception" ? "exceptions" : "wall";
    event_ = builder_->AddEvent(name, sample_ns_ > 0 ? "ns" : "count");
  }

  bool DefineTexts(const object& record) {
    array definitions;
    if (!ArrayAt(record, "defs", &definitions)) return false;
    for (const element value : definitions) {
      object text;
      if (value.get(text) != simdjson::SUCCESS) return false;
      texts_[IntegerAt(text, "str_id", -1)] = builder_->profile().strings.Intern(TextAt(text, "value"));
    }
    return true;
  }

  bool DefineFrames(const object& record) {
    array definitions;
    if (!ArrayAt(record, "defs", &definitions)) return false;
    const StringTable& strings = builder_->profile().strings;
    for (const element value : definitions) {
      object fields;
      if (value.get(fields) != simdjson::SUCCESS) return false;
      const auto name = texts_.find(IntegerAt(fields, "func_str_id", -1));
      const auto file = texts_.find(IntegerAt(fields, "path_str_id", -1));
      if (name == texts_.end() || file == texts_.end()) return false;
      // Frames that are not Python have the file "~".
      const std::string_view path = strings.Get(file->second);
      frames_[IntegerAt(fields, "frame_id", -1)] =
          path == "~"
              ? builder_->AddFrame(strings.Get(name->second), FrameKind::kNative)
              : builder_->AddFrame(strings.Get(name->second), FrameKind::kPython, path, IntegerAt(fields, "line", 0));
    }
    return true;
  }

  bool AddSamples(const object& record) {
    if (TextAt(record, "kind") != "frame" || TextAt(record, "scope") != "final") return true;
    array entries;
    if (!event_ || !ArrayAt(record, "entries", &entries)) return false;
    for (const element value : entries) {
      object entry;
      if (value.get(entry) != simdjson::SUCCESS) return false;
      const auto frame = frames_.find(IntegerAt(entry, "frame_id", -1));
      const int64_t samples = IntegerAt(entry, "self", -1);
      if (frame == frames_.end() || samples < 0) return false;
      if (samples == 0) continue;
      Sample sample{.stack = builder_->profile().stacks.Push(0, frame->second), .event = *event_};
      sample.count = sample.weight = samples;
      if (sample_ns_ > 0) sample.weight = MultiplySaturated(samples, sample_ns_);
      builder_->Add(sample);
    }
    return true;
  }

  ProfileBuilder* builder_;
  JsonParser parser_;
  uint64_t line_number_ = 0;
  std::unordered_map<int64_t, StringId> texts_;  // by ID
  std::unordered_map<int64_t, FrameId> frames_;  // by ID
  std::optional<EventId> event_;                 // nothing before the first "meta"
  int64_t sample_ns_ = 0;                        // weight of a sample; 0 = it is counted
  bool is_whole_ = false;
};

}  // namespace

bool LooksLikePythonSampling(std::string_view head) {
  const std::string_view first = head.substr(0, head.find('\n'));
  const JsonOutline outline(first);
  return outline.IsObject() && outline.Has("type") && outline.Has("run_id") && outline.Has("sample_interval_usec");
}

Result<void> ReadPythonSampling(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  return ReadLines<PythonSamplingReader>(std::move(source), builder);
}

}  // namespace sparkprof
