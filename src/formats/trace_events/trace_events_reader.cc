// SPDX-License-Identifier: Apache-2.0
#include "formats/trace_events/trace_events_reader.h"

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

#include "base/json_value.h"
#include "base/saturate.h"
#include "base/time.h"
#include "formats/json/json_document.h"
#include "formats/json/json_outline.h"
#include "formats/trace_events/trace_calls.h"
#include "formats/v8_profile/v8_samples.h"
#include "model/default_event.h"

namespace sparkprof {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

// An integer that may be text, as in the events of Hermes.
int64_t IntegerOrTextAt(const object& from, std::string_view key) {
  element value;
  if (!Find(from, key, &value)) return 0;
  const std::string_view text = TextOf(value);
  int64_t number = 0;
  if (text.empty()) return IntegerOf(value, 0);
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// A time or duration in µs, with digits behind the point, that may be text; nullopt if there is none.
std::optional<int64_t> NanosOf(const object& from, std::string_view key) {
  element value;
  if (!Find(from, key, &value)) return std::nullopt;
  int64_t micros = 0, nanos = 0;
  if (value.get(micros) == simdjson::SUCCESS && !__builtin_mul_overflow(micros, kNanosPerMicro, &nanos)) return nanos;
  double real = 0;
  if (value.get(real) != simdjson::SUCCESS) {
    const std::string_view text = TextOf(value);
    if (std::from_chars(text.data(), text.data() + text.size(), real).ec != std::errc()) return std::nullopt;
  }
  real *= kNanosPerMicro;
  if (!(std::abs(real) < 9e18)) return std::nullopt;
  return std::llround(real);
}

class TraceEventsReader {
 public:
  explicit TraceEventsReader(ProfileBuilder* builder) : builder_(builder) {}

  Result<void> Read(const element& root) {
    array events;
    object whole;
    if (root.get(whole) == simdjson::SUCCESS) {
      if (!ArrayAt(whole, "traceEvents", &events))
        return builder_->Damaged("offset 0: expected traceEvents, found none");
      object frames;
      if (ObjectAt(whole, "stackFrames", &frames)) AddStackFrames(frames);
    } else if (root.get(events) != simdjson::SUCCESS) {
      return builder_->Damaged("offset 0: expected an array of trace events");
    }
    Scan(events);
    if (!profile_events_.empty()) return ReadProfiles();
    array samples;
    if (root.is_object() && ArrayAt(whole, "samples", &samples)) {
      for (const element sample : samples) AddSampleEvent(sample);
    }
    if (!samples_.empty()) return ReadSamples();
    return ReadCalls(events);
  }

 private:
  using Place = std::pair<int64_t, int64_t>;  // pid and tid

  struct StackSample {
    int64_t time_ns;
    StackId stack;
  };

  static Place PlaceOf(const object& event) { return {IntegerOrTextAt(event, "pid"), IntegerOrTextAt(event, "tid")}; }

  // Names of threads, which may follow their events, and events that contain profiles.
  void Scan(const array& events) {
    for (const element value : events) {
      object event, args;
      if (value.get(event) != simdjson::SUCCESS) continue;
      const std::string_view name = TextAt(event, "name"), phase = TextAt(event, "ph");
      if (phase == "M") {
        if (name == "thread_name" && ObjectAt(event, "args", &args))
          thread_names_[PlaceOf(event)] = TextAt(args, "name");
      } else if (name == "CpuProfile" || name == "Profile" || name == "ProfileChunk") {
        profile_events_.emplace_back(NanosOf(event, "ts").value_or(0), event);
      } else if (phase == "P" || phase == "p") {
        AddSampleEvent(value);
      }
    }
  }

  ProfileThread ThreadOf(const Place& place) const {
    const auto name = thread_names_.find(place);
    return {.process = place.first,
            .tid = place.second,
            .name = name == thread_names_.end() ? std::string() : std::string(name->second)};
  }

  // The profiles of Chrome's developer tools, each in chunks of its own ID.
  Result<void> ReadProfiles() {
    std::stable_sort(profile_events_.begin(), profile_events_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    struct ThreadProfile {
      Place place;
      V8Samples samples;
    };
    std::map<std::string, ThreadProfile, std::less<>> profiles;
    for (const auto& [time, event] : profile_events_) {
      object args, data, cpu_profile;
      if (!ObjectAt(event, "args", &args) || !ObjectAt(args, "data", &data)) continue;
      const Place place = PlaceOf(event);
      std::string id(TextAt(event, "id"));
      if (id.empty()) id = fmt::format("{}:{}", place.first, place.second);
      const auto [entry, is_new] = profiles.emplace(id, ThreadProfile{place, V8Samples(builder_)});
      entry->second.samples.Add(data);
      if (ObjectAt(data, "cpuProfile", &cpu_profile)) entry->second.samples.Add(cpu_profile);
    }
    for (auto& [id, profile] : profiles) {
      if (Result<void> finished = profile.samples.Finish(ThreadOf(profile.place)); !finished) return finished;
    }
    return {};
  }

  // A sample with the row "sf" of stackFrames, or with its frames in "stack", callees first.
  void AddSampleEvent(const element& value) {
    object sample;
    if (value.get(sample) != simdjson::SUCCESS) return;
    const std::optional<int64_t> time_ns = NanosOf(sample, "ts");
    element row;
    if (!time_ns || !Find(sample, "sf", &row)) return;
    samples_[PlaceOf(sample)].push_back({*time_ns, StackOfFrame(KeyOf(row))});
  }

  struct StackFrame {
    FrameId frame = 0;
    std::string parent;  // its key; empty = none
    StackId stack = 0;   // 0 = not known yet
  };

  // A key of stackFrames: text, or a number.
  static std::string KeyOf(const element& value) {
    const std::string_view text = TextOf(value);
    return text.empty() ? std::to_string(IntegerOf(value, -1)) : std::string(text);
  }

  void AddStackFrames(const object& frames) {
    for (const auto& [key, value] : frames) {
      object fields;
      element parent;
      if (value.get(fields) != simdjson::SUCCESS) continue;
      StackFrame frame{.frame = builder_->AddFrame(TextAt(fields, "name"))};
      if (Find(fields, "parent", &parent)) frame.parent = KeyOf(parent);
      stack_frames_.emplace(key, std::move(frame));
    }
  }

  // The stack whose leaf is an entry of stackFrames.
  StackId StackOfFrame(const std::string& leaf) {
    std::vector<StackFrame*> path;  // callees first
    StackId stack = 0;
    // In a damaged file, callers may go round in a circle.
    for (auto found = stack_frames_.find(leaf); found != stack_frames_.end() && path.size() <= stack_frames_.size();
         found = stack_frames_.find(found->second.parent)) {
      if (found->second.stack != 0) {
        stack = found->second.stack;
        break;
      }
      path.push_back(&found->second);
    }
    for (size_t i = path.size(); i > 0; --i) {
      if (path[i - 1]->stack == 0) path[i - 1]->stack = builder_->profile().stacks.Push(stack, path[i - 1]->frame);
      stack = path[i - 1]->stack;
    }
    return stack;
  }

  Result<void> ReadSamples() {
    Sample sample{.event = builder_->AddEvent("wall", "ns")};
    for (const auto& [place, samples] : samples_) {
      sample.thread = builder_->AddThread(ThreadOf(place));
      for (size_t i = 0; i + 1 < samples.size(); ++i) {
        sample.stack = samples[i].stack;
        sample.time_ns = samples[i].time_ns;
        if (__builtin_sub_overflow(samples[i + 1].time_ns, samples[i].time_ns, &sample.weight)) continue;
        if (sample.weight > 0) builder_->Add(sample);
      }
    }
    return {};
  }

  Result<void> ReadCalls(const array& events) {
    std::map<Place, TraceCalls> threads;
    uint64_t position = 0;
    std::map<std::string_view, uint64_t> others;
    for (const element value : events) {
      const uint64_t index = position++;
      object event;
      std::string_view phase;
      if (value.get(event) == simdjson::SUCCESS) phase = TextAt(event, "ph");
      if (phase.empty()) {
        if (Result<void> kept = builder_->Damaged(fmt::format("event {}: expected an object with ph", index)); !kept) {
          return kept;
        }
        continue;
      }
      if (phase == "M") continue;
      if (phase != "B" && phase != "E" && phase != "X") {
        ++others[phase];
        continue;
      }
      const std::optional<int64_t> time_ns = NanosOf(event, "ts");
      if (!time_ns) {
        if (Result<void> kept = builder_->Damaged(fmt::format("event {}: expected ts, a time in µs", index)); !kept) {
          return kept;
        }
        continue;
      }
      TraceCalls& calls = threads[PlaceOf(event)];
      const TraceCalls::Callee callee = CalleeOf(event);
      if (phase == "X") {
        std::optional<int64_t> duration_ns = NanosOf(event, "dur");
        if (!duration_ns) duration_ns = NanosOf(event, "tdur");
        calls.Call(*time_ns, std::max<int64_t>(duration_ns.value_or(0), 0), callee);
      } else if (phase == "B") {
        calls.Begin(*time_ns, callee);
      } else {
        calls.End(*time_ns, callee);
      }
    }
    FinishCalls(&threads);
    if (!others.empty()) {
      std::string kinds;
      uint64_t count = 0;
      for (const auto& [phase, number] : others) {
        kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", phase);
        count += number;
      }
      builder_->Note(fmt::format("{} events that are not calls not shown (ph {})", count, kinds));
    }
    return {};
  }

  void FinishCalls(std::map<Place, TraceCalls>* threads) {
    Sample sample{.event = builder_->AddEvent("wall", "ns")};
    uint64_t unmatched = 0, open = 0;
    for (auto& [place, calls] : *threads) {
      sample.thread = builder_->AddThread(ThreadOf(place));
      calls.Finish(sample, builder_);
      unmatched += calls.UnmatchedEnds();
      open += calls.OpenCalls();
    }
    if (unmatched > 0) builder_->Note(fmt::format("{} ends of calls without a begin skipped", unmatched));
    if (open > 0) builder_->Note(fmt::format("{} calls without an end, counted up to the last event", open));
  }

  // The function's place is in the arguments of py-spy (filename) and Hermes (url).
  TraceCalls::Callee CalleeOf(const object& event) {
    StringTable& strings = builder_->profile().strings;
    const std::string_view name = TextAt(event, "name");
    Frame frame{.name = strings.Intern(name.empty() ? "(unnamed)" : name)};
    if (TextAt(event, "cat") == "py-spy") frame.kind = FrameKind::kPython;
    object args;
    if (ObjectAt(event, "args", &args)) {
      const std::string_view filename = TextAt(args, "filename");
      const std::string_view file = filename.empty() ? TextAt(args, "url") : filename;
      const int64_t line = IntegerAt(args, "line", 0);
      frame.file = strings.Intern(file);
      if (!file.empty() && line > 0 && line <= UINT32_MAX) frame.line = static_cast<uint32_t>(line);
    }
    return {builder_->profile().frames.Intern(frame), frame.name};
  }

  ProfileBuilder* builder_;
  std::unordered_map<std::string, StackFrame> stack_frames_;  // by key
  std::map<Place, std::string_view> thread_names_;
  std::vector<std::pair<int64_t, object>> profile_events_;  // by time
  std::map<Place, std::vector<StackSample>> samples_;
};

}  // namespace

Result<void> ReadTraceEvents(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  JsonDocument document;
  const JsonDocument::Options options{.format = "trace events in JSON", .may_end_in_array = true};
  if (Result<void> read = document.Read(source.get(), options, builder); !read) return read;
  Result<void> read = TraceEventsReader(builder).Read(document.Root());
  builder->profile().default_event = DefaultEventOf(builder->profile());
  return read;
}

bool LooksLikeTraceEvents(std::string_view head) {
  const JsonOutline outline(head);
  if (outline.IsObject()) return outline.Has("traceEvents");
  return outline.IsArray() && outline.Has("ph");
}

}  // namespace sparkprof
