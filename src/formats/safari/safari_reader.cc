// SPDX-License-Identifier: Apache-2.0
#include "formats/safari/safari_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/json_value.h"
#include "base/time.h"
#include "formats/json/json_document.h"
#include "formats/json/json_outline.h"

namespace sparkprof {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

int64_t NanosOfSeconds(const element& value) {
  double seconds = 0;
  if (value.get(seconds) != simdjson::SUCCESS || !(seconds > 0 && seconds < 9e9)) return 0;
  return std::llround(seconds * static_cast<double>(kNanosPerSecond));
}

StackId StackOfTrace(const array& frames, ProfileBuilder* builder) {
  StringTable& strings = builder->profile().strings;
  std::vector<FrameId> leaf_first;
  for (const element value : frames) {
    object fields;
    if (value.get(fields) != simdjson::SUCCESS) continue;
    const std::string_view name = TextAt(fields, "name");
    Frame frame{.name = strings.Intern(name.empty() ? "(anonymous)" : name),
                .file = strings.Intern(TextAt(fields, "url"))};
    const int64_t line = IntegerAt(fields, "line", 0);
    if (frame.file != 0 && line > 0 && line <= UINT32_MAX) frame.line = static_cast<uint32_t>(line);
    leaf_first.push_back(builder->profile().frames.Intern(frame));
  }
  StackId stack = 0;
  for (size_t i = leaf_first.size(); i > 0; --i) stack = builder->profile().stacks.Push(stack, leaf_first[i - 1]);
  return stack;
}

}  // namespace

Result<void> ReadSafari(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  JsonDocument document;
  if (Result<void> read = document.Read(source.get(), {.format = "a recording of Safari"}, builder); !read) return read;
  object whole, recording;
  array traces, durations;
  if (document.Root().get(whole) != simdjson::SUCCESS || !ObjectAt(whole, "recording", &recording) ||
      !ArrayAt(recording, "sampleStackTraces", &traces) || !ArrayAt(recording, "sampleDurations", &durations)) {
    return builder->Damaged("offset 0: expected a Safari recording with sampleStackTraces and sampleDurations");
  }
  Sample sample{.event = builder->AddEvent("wall", "ns")};
  auto duration = durations.begin();
  size_t position = 0;
  for (const element value : traces) {
    const size_t index = position++;
    object trace;
    array frames;
    element time;
    if (value.get(trace) != simdjson::SUCCESS || !ArrayAt(trace, "stackFrames", &frames) ||
        !(duration != durations.end())) {
      const std::string what =
          fmt::format("sampleStackTraces[{}]: expected an object with stackFrames, and its duration", index);
      if (Result<void> kept = builder->Damaged(what); !kept) return kept;
      continue;
    }
    sample.stack = StackOfTrace(frames, builder);
    sample.weight = NanosOfSeconds(*duration);
    sample.time_ns = Find(trace, "timestamp", &time) ? NanosOfSeconds(time) : kNoTime;
    ++duration;
    if (sample.stack != 0 && sample.weight > 0) builder->Add(sample);
  }
  return {};
}

bool LooksLikeSafari(std::string_view head) {
  const JsonOutline outline(head);
  return outline.IsObject() && outline.Has("recording.displayName") &&
         (outline.Has("recording.instrumentTypes") || outline.Has("recording.records"));
}

}  // namespace sparkprof
