// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "formats/jfr/jfr_reader.h"
#include "model/samples/stack_tables.h"

namespace sparkprof::testing {

// Stores the contents of a chunk with their tables.
struct EventRecorder : JfrHandler, StackTables {
  JfrReader reader{&strings, &frames, &stacks, this};

  std::vector<JfrSample> samples;
  std::vector<std::pair<std::string, JfrSample>> others;  // by name
  std::vector<std::string> spans;                         // "tid duration tag"
  std::vector<std::string> settings;                      // "event name=value"
  std::vector<JfrHeapSummary> heap_summaries;

  void OnSample(const JfrSample& sample) override { samples.push_back(sample); }
  void OnOther(const JfrEventName& event, const JfrSample& sample) override { others.emplace_back(event.name, sample); }
  void OnSpan(const JfrSpan& span) override {
    spans.push_back(std::to_string(span.tid) + " " + std::to_string(span.duration_ns) + " " + std::string(span.tag));
  }
  void OnSetting(const JfrSetting& setting) override {
    settings.push_back(std::string(setting.event) + " " + std::string(setting.name) + "=" + std::string(setting.value));
  }
  void OnHeapSummary(const JfrHeapSummary& summary) override { heap_summaries.push_back(summary); }

  Result<JfrChunkStatus> Read(std::string_view chunk) { return reader.ReadChunk(chunk, "test.jfr", 0); }

  // "root;…;leaf"
  std::string Stack(StackId id) const {
    std::vector<FrameId> path;
    stacks.Unwind(id, &path);
    std::string text;
    for (const FrameId frame : path) {
      if (!text.empty()) text += ';';
      text += strings.Get(frames.Get(frame).name);
    }
    return text;
  }

  std::vector<Frame> Frames(StackId id) const {
    std::vector<FrameId> path;
    stacks.Unwind(id, &path);
    std::vector<Frame> result;
    for (const FrameId frame : path) result.push_back(frames.Get(frame));
    return result;
  }

  const JfrSample* Find(Event event) const {
    for (const JfrSample& sample : samples) {
      if (sample.event == event) return &sample;
    }
    return nullptr;
  }
};

}  // namespace sparkprof::testing
