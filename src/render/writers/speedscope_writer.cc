// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "base/text/json_writer.h"
#include "base/version.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {
namespace {

std::string_view SpeedscopeUnit(std::string_view unit) {
  if (unit == "ns") return "nanoseconds";
  return unit == "bytes" ? "bytes" : "none";
}

}  // namespace

void WriteSpeedscope(const Profile& profile, EventId active_event, OutputFile* output) {
  // Rows of samples by event and thread.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> groups;
  for (uint32_t row = 0; row < profile.samples.size(); ++row) {
    groups[{profile.samples[row].event, profile.samples[row].thread}].push_back(row);
  }
  size_t active = 0;
  while (active < groups.size() &&
         std::next(groups.begin(), static_cast<ptrdiff_t>(active))->first.first != active_event) {
    ++active;
  }

  JsonWriter json;
  json.BeginObject()
      .Member("$schema", "https://www.speedscope.app/file-format-schema.json")
      .Member("exporter", NamedVersion())
      .Member("name", profile.name)
      .Member("activeProfileIndex", active < groups.size() ? active : 0);
  json.Key("shared").BeginObject().Key("frames").BeginArray();
  for (FrameId id = 1; id < profile.frames.Size(); ++id) {
    const Frame& frame = profile.frames.Get(id);
    const std::string_view name = profile.strings.Get(frame.name);
    json.BeginObject().Member("name", name.empty() ? "[unknown]" : name);
    if (frame.file != 0) json.Member("file", profile.strings.Get(frame.file));
    if (frame.line != 0) json.Member("line", frame.line);
    json.EndObject();
  }
  json.EndArray().EndObject().Key("profiles").BeginArray();
  std::vector<FrameId> path;
  for (const auto& [key, rows] : groups) {
    const ProfileEvent& event = profile.events[key.first];
    const ProfileThread& thread = profile.threads[key.second];
    std::string name = event.name;
    if (!thread.name.empty()) name += ": " + thread.name;
    int64_t end = 0;
    for (const uint32_t row : rows) AddSaturated(std::max<int64_t>(profile.samples[row].weight, 0), &end);
    json.BeginObject()
        .Member("type", "sampled")
        .Member("name", name)
        .Member("unit", SpeedscopeUnit(event.unit))
        .Member("startValue", 0)
        .Member("endValue", end)
        .Key("samples")
        .BeginArray();
    for (const uint32_t row : rows) {
      profile.stacks.Unwind(profile.samples[row].stack, &path);
      json.BeginArray();
      for (const FrameId frame : path) json.Value(frame - 1);
      json.EndArray();
    }
    json.EndArray().Key("weights").BeginArray();
    for (const uint32_t row : rows) json.Value(std::max<int64_t>(profile.samples[row].weight, 0));
    json.EndArray().EndObject();
  }
  output->Append(json.EndArray().EndObject().Take());
  output->Append('\n');
}

}  // namespace sparkprof
