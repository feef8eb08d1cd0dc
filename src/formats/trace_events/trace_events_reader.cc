// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text/json_parser.h"
#include "base/time.h"
#include "formats/json/json_document.h"
#include "formats/json/json_stream.h"
#include "formats/readers.h"
#include "formats/trace_events/trace_calls.h"
#include "model/samples/profile.h"

namespace sparkprof {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::string_view kFormat = "trace events in JSON", kNoPhase = "expected an object with ph";

// A time or duration in µs, possibly with decimals or as text; nullopt if it is neither.
std::optional<int64_t> NanosOf(const element& value) {
  int64_t micros = 0, nanos = 0;
  double real = 0;
  if (value.get(micros) != simdjson::SUCCESS && value.get(real) != simdjson::SUCCESS) {
    const std::string_view text = TextOf(value);
    const char* const end = text.data() + text.size();
    const auto whole = std::from_chars(text.data(), end, micros);
    if (whole.ec != std::errc() || whole.ptr != end) {
      micros = 0;
      if (std::from_chars(text.data(), end, real).ec != std::errc()) return std::nullopt;
    }
  }
  if (real == 0 && !__builtin_mul_overflow(micros, kNanosPerMicro, &nanos)) return nanos;
  real *= kNanosPerMicro;
  if (!(std::abs(real) < 9e18)) return std::nullopt;
  return std::llround(real);
}

// A key of stackFrames: text, or a number.
std::string KeyOf(const element& value) {
  const std::string_view text = TextOf(value);
  return text.empty() ? std::to_string(IntegerOf(value, -1)) : std::string(text);
}

// A process or thread of the input: a number, perhaps as text, or another text.
struct TraceId {
  int64_t number = 0;
  std::string text;  // unless it is a number

  auto operator<=>(const TraceId&) const = default;
};

TraceId TraceIdOf(const element& value) {
  const std::string_view text = TextOf(value);
  if (text.empty()) return {.number = IntegerOf(value, 0)};
  TraceId id;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, id.number).ptr != end) id = {.text = std::string(text)};
  return id;
}

// The members of an event that any kind of event uses.
struct TraceEvent {
  std::string_view phase, name, category;
  std::pair<TraceId, TraceId> place;  // process and thread
  std::optional<int64_t> time_ns, duration_ns, thread_duration_ns;
  object arguments;
  std::optional<element> stack_frame;  // "sf"
  bool has_arguments = false;

  explicit TraceEvent(const object& members) {
    for (const auto& [key, value] : members) {
      if (key == "ph") {
        phase = TextOf(value);
      } else if (key == "name") {
        name = TextOf(value);
      } else if (key == "cat") {
        category = TextOf(value);
      } else if (key == "pid") {
        place.first = TraceIdOf(value);
      } else if (key == "tid") {
        place.second = TraceIdOf(value);
      } else if (key == "ts") {
        time_ns = NanosOf(value);
      } else if (key == "dur") {
        duration_ns = NanosOf(value);
      } else if (key == "tdur") {
        thread_duration_ns = NanosOf(value);
      } else if (key == "sf") {
        stack_frame = value;
      } else if (key == "args") {
        has_arguments = value.get(arguments) == simdjson::SUCCESS;
      }
    }
  }
};

// Chrome's trace events ("Trace Event Format", JSON): an array of events whose "]" may be missing, or an object with
// traceEvents, read event by event. By what the file has, the first of
// - samples with stackFrames, of the object or as events P: a sample weighs the time until the next one of its thread;
// - calls, events B with E, and X (py-spy, VizTracer, Perfetto): see TraceCalls.
// becomes the samples of the event "wall". Other kinds of events are counted in a note.
class TraceEventsReader {
 public:
  explicit TraceEventsReader(ProfileBuilder* builder) : builder_(builder) {}

  Result<void> Read(ByteSource* source) {
    JsonStream stream(source, {.format = kFormat, .arrays = {"traceEvents", "samples"}, .values = {"stackFrames"}},
                      builder_);
    const auto read = stream.Read(
        [&](std::string_view key, std::string_view text, uint64_t offset) { return AddValue(key, text, offset); });
    if (!read) return read;
    if (!stream.HasArray("") && !stream.HasArray("traceEvents"))
      return builder_->Damaged("offset 0: expected traceEvents, found none");
    if (!samples_.empty()) return FinishSamples();
    FinishCalls();
    return {};
  }

 private:
  using Place = std::pair<TraceId, TraceId>;

  struct StackSample {
    int64_t time_ns;
    uint32_t stack_frame;  // row
  };
  struct StackFrame {
    FrameId frame = 0;  // 0 = not defined
    std::optional<uint32_t> parent;
    StackId stack = 0;  // 0 = not known yet
  };

  Result<void> AddValue(std::string_view key, std::string_view text, uint64_t offset) {
    const uint64_t index = key == "samples" ? 0 : events_++;
    element value;
    if (const simdjson::error_code error = parser_.Parse(text).get(value); error != simdjson::SUCCESS) {
      const size_t damage = FindJsonDamage(text);
      return builder_->Damaged(fmt::format("offset {}: expected {}, found {}",
                                           offset + (damage == std::string_view::npos ? 0 : damage), kFormat,
                                           simdjson::error_message(error)));
    }
    object members;
    const bool is_object = value.get(members) == simdjson::SUCCESS;
    if (key == "stackFrames") {
      if (is_object) AddStackFrames(members);
      return {};
    }
    if (!is_object) {
      return key == "samples" ? Result<void>() : builder_->Damaged(fmt::format("event {}: {}", index, kNoPhase));
    }
    const TraceEvent event(members);
    if (key == "samples") {
      AddSample(event);
      return {};
    }
    return AddEvent(event, index, members.size() == 0);
  }

  Result<void> AddEvent(const TraceEvent& event, uint64_t index, bool is_empty) {
    // An empty object stands behind the last comma.
    if (is_empty) return {};
    if (event.phase.empty()) return builder_->Damaged(fmt::format("event {}: {}", index, kNoPhase));
    if (event.phase == "M") {
      if (event.name == "thread_name" && event.has_arguments)
        thread_names_[event.place] = TextAt(event.arguments, "name");
    } else if (event.name == "CpuProfile" || event.name == "Profile" || event.name == "ProfileChunk") {
      return builder_->Damaged(
          fmt::format("event {}: expected calls or samples, found a CPU profile of V8; open it in "
                      "speedscope and save it (Ctrl+S)",
                      index));
    } else if (event.phase == "B" || event.phase == "E" || event.phase == "X") {
      return AddCall(event, index);
    } else if (!AddSample(event)) {
      ++other_phases_[std::string(event.phase)];
    }
    return {};
  }

  ProfileThread ThreadOf(const Place& place) const {
    const auto& [process, thread] = place;
    const auto name = thread_names_.find(place);
    return {.process = process.number,
            .tid = thread.number,
            .name = name == thread_names_.end() ? thread.text : name->second};
  }

  // Adds a sample with the row "sf" of stackFrames; false if the event is not one.
  bool AddSample(const TraceEvent& event) {
    if (!event.time_ns || !event.stack_frame) return false;
    samples_[event.place].push_back({*event.time_ns, RowOf(KeyOf(*event.stack_frame))});
    return true;
  }

  // The row of an entry of stackFrames, which may follow.
  uint32_t RowOf(std::string key) {
    const auto [known, is_new] = row_of_key_.try_emplace(std::move(key), static_cast<uint32_t>(stack_frames_.size()));
    if (is_new) stack_frames_.emplace_back();
    return known->second;
  }

  void AddStackFrames(const object& frames) {
    for (const auto& [key, value] : frames) {
      object fields;
      element parent;
      if (value.get(fields) != simdjson::SUCCESS) continue;
      const uint32_t row = RowOf(std::string(key));
      if (stack_frames_[row].frame != 0) continue;
      const std::string_view name = TextAt(fields, "name");
      stack_frames_[row].frame = builder_->AddFrame(name.empty() ? "(unnamed)" : name);
      if (!Find(fields, "parent", &parent)) continue;
      const uint32_t parent_row = RowOf(KeyOf(parent));
      stack_frames_[row].parent = parent_row;
    }
  }

  // The stack whose leaf is an entry of stackFrames.
  StackId StackOfFrame(uint32_t leaf) {
    std::vector<StackFrame*> path;  // callees first
    StackId stack = 0;
    // In a damaged file, callers may form a cycle.
    for (std::optional<uint32_t> row = leaf; row && path.size() <= stack_frames_.size();) {
      StackFrame& frame = stack_frames_[*row];
      if (frame.frame == 0) break;
      if (frame.stack != 0) {
        stack = frame.stack;
        break;
      }
      path.push_back(&frame);
      row = frame.parent;
    }
    for (size_t i = path.size(); i > 0; --i) {
      if (path[i - 1]->stack == 0) path[i - 1]->stack = builder_->profile().stacks.Push(stack, path[i - 1]->frame);
      stack = path[i - 1]->stack;
    }
    return stack;
  }

  Result<void> FinishSamples() {
    Sample sample{.event = builder_->AddEvent("wall", "ns")};
    for (auto& [place, samples] : samples_) {
      sample.thread = builder_->AddThread(ThreadOf(place));
      std::stable_sort(samples.begin(), samples.end(),
                       [](const StackSample& a, const StackSample& b) { return a.time_ns < b.time_ns; });
      for (size_t i = 0; i + 1 < samples.size(); ++i) {
        sample.stack = StackOfFrame(samples[i].stack_frame);
        sample.time_ns = samples[i].time_ns;
        if (__builtin_sub_overflow(samples[i + 1].time_ns, samples[i].time_ns, &sample.weight)) continue;
        if (sample.weight > 0) builder_->Add(sample);
      }
    }
    return {};
  }

  Result<void> AddCall(const TraceEvent& event, uint64_t index) {
    if (!event.time_ns) return builder_->Damaged(fmt::format("event {}: expected ts, a time in µs", index));
    TraceCalls& calls = threads_[event.place];
    if (event.phase == "X") {
      const int64_t duration_ns = event.duration_ns.value_or(event.thread_duration_ns.value_or(0));
      calls.Call(*event.time_ns, std::max<int64_t>(duration_ns, 0), FrameOf(event));
    } else if (event.phase == "B") {
      calls.Begin(*event.time_ns, FrameOf(event));
    } else {
      calls.End(*event.time_ns, event.name.empty() ? 0 : FrameOf(event));
    }
    return {};
  }

  void FinishCalls() {
    Sample sample{.event = builder_->AddEvent("wall", "ns")};
    uint64_t unmatched = 0, open = 0;
    for (; !threads_.empty(); threads_.erase(threads_.begin())) {
      auto& [place, calls] = *threads_.begin();
      sample.thread = builder_->AddThread(ThreadOf(place));
      calls.Finish(sample, builder_);
      unmatched += calls.UnmatchedEnds();
      open += calls.OpenCalls();
    }
    if (unmatched > 0) builder_->Note(fmt::format("{} ends of calls without a begin skipped", unmatched));
    if (open > 0) builder_->Note(fmt::format("{} calls without an end, counted up to the last event", open));
    if (other_phases_.empty()) return;
    std::string kinds;
    uint64_t count = 0;
    for (const auto& [phase, number] : other_phases_) {
      kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", phase);
      count += number;
    }
    builder_->Note(fmt::format("{} events that are not calls not shown (ph {})", count, kinds));
  }

  // The function's place is in the arguments of py-spy (filename) and Hermes (url).
  FrameId FrameOf(const TraceEvent& event) {
    std::string_view file;
    int64_t line = 0;
    if (event.has_arguments) {
      file = TextAt(event.arguments, "filename");
      if (file.empty()) file = TextAt(event.arguments, "url");
      if (!file.empty()) line = IntegerAt(event.arguments, "line", 0);
    }
    return builder_->AddFrame(event.name.empty() ? "(unnamed)" : event.name,
                              event.category == "py-spy" ? FrameKind::kPython : FrameKind::kUnknown, file, line);
  }

  ProfileBuilder* builder_;
  JsonParser parser_;
  uint64_t events_ = 0;
  std::map<Place, std::string> thread_names_;
  std::map<std::string, uint64_t> other_phases_;
  std::map<Place, std::vector<StackSample>> samples_;
  std::map<Place, TraceCalls> threads_;
  std::unordered_map<std::string, uint32_t> row_of_key_;  // by key of stackFrames
  std::vector<StackFrame> stack_frames_;
};

}  // namespace

Result<void> ReadTraceEvents(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  Result<void> read = TraceEventsReader(builder).Read(source.get());
  builder->profile().default_event = DefaultEventOf(builder->profile());
  return read;
}

bool LooksLikeTraceEvents(std::string_view head) {
  const JsonOutline outline(head);
  if (outline.IsArray()) return outline.Has("ph");
  if (!outline.IsObject()) return false;
  // Members of no other format, which may be long and come first.
  for (const char* member : {"traceEvents", "stackFrames", "displayTimeUnit", "systemTraceEvents"}) {
    if (outline.Has(member)) return true;
  }
  return false;
}

}  // namespace sparkprof
