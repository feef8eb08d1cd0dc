// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "render/report/embedded_file.h"
#include "render/writers/gzip.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {
namespace {

constexpr std::string_view kHeatmapElement = R"(<script id="sparkprof-heatmap" type="application/octet-stream">)";
constexpr std::string_view kScript = "{{SCRIPT}}";

struct HeatmapCell {
  int64_t bucket = 0;
  StackId stack = 0;
  int64_t weight = 0;
};

void WriteHeatmapSamples(std::vector<HeatmapCell> cells, JsonWriter* json) {
  std::sort(cells.begin(), cells.end(), [](const HeatmapCell& a, const HeatmapCell& b) {
    return std::tie(a.bucket, a.stack) < std::tie(b.bucket, b.stack);
  });
  json->BeginObject().Key("time").BeginArray();
  int64_t before = 0;
  for (const HeatmapCell& cell : cells) {
    json->Value(cell.bucket - before);  // relative to the previous one
    before = cell.bucket;
  }
  json->EndArray().Key("stack").BeginArray();
  for (const HeatmapCell& cell : cells) json->Value(cell.stack);
  json->EndArray().Key("weight").BeginArray();
  for (const HeatmapCell& cell : cells) json->Value(cell.weight);
  json->EndArray().EndObject();
}

}  // namespace

Result<void> WriteHeatmap(const Profile& profile, EventId default_event, OutputFile* output) {
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (const Sample& sample : profile.samples) {
    if (sample.time_ns == kNoTime) continue;
    first = std::min(first, sample.time_ns);
    last = std::max(last, sample.time_ns);
  }
  if (last == INT64_MIN)
    return Fail(
        fmt::format("{}: samples have no timestamps; a heat map needs a recording, jfr, perf, "
                    "records, HotSpot thread dumps, or speedscope or otlp with timestamps",
                    profile.name));
  // A column starts at a full second.
  first = first / kNanosPerSecond * kNanosPerSecond - (first < 0 ? kNanosPerSecond : 0);
  if (last / kNanosPerSecond - first / kNanosPerSecond > kMaxHeatmapSeconds) {
    return Fail(fmt::format("{}: samples span more than {} days; use --from and --to to select a time range",
                            profile.name, kMaxHeatmapSeconds / 86'400));
  }
  std::vector<std::vector<HeatmapCell>> cells(profile.events.size());
  for (const Sample& sample : profile.samples) {
    if (sample.time_ns == kNoTime) continue;
    cells[sample.event].push_back({(sample.time_ns - first) / kHeatmapBucketNs, sample.stack, sample.weight});
  }

  JsonWriter json;
  json.BeginObject()
      .Member("name", profile.name)
      .Member("bucketMs", kHeatmapBucketNs / kNanosPerMilli)
      .Member("lastBucket", (last - first) / kHeatmapBucketNs)
      .Member("defaultEvent", default_event)
      .Key("events")
      .BeginArray();
  for (const ProfileEvent& event : profile.events) {
    json.BeginObject().Member("name", event.name).Member("unit", event.unit).EndObject();
  }
  json.EndArray().Key("labels").BeginArray();
  for (FrameId id = 0; id < profile.frames.Size(); ++id)
    json.Value(FrameLabel(profile.strings, profile.frames.Get(id)));
  json.EndArray().Key("stacks").BeginObject().Key("parent").BeginArray();
  for (StackId id = 0; id < profile.stacks.Size(); ++id) json.Value(profile.stacks.Get(id).parent);
  json.EndArray().Key("frame").BeginArray();
  for (StackId id = 0; id < profile.stacks.Size(); ++id) json.Value(profile.stacks.Get(id).frame);
  json.EndArray().EndObject().Key("samples").BeginArray();
  for (std::vector<HeatmapCell>& of_event : cells) WriteHeatmapSamples(std::move(of_event), &json);
  const std::string data = json.EndArray().EndObject().Take();

  const std::string_view page = HeatmapPage();
  const size_t data_gap = page.find(kHeatmapElement) + kHeatmapElement.size(),
               script_gap = page.find(kScript, data_gap);
  output->Append(page.substr(0, data_gap));
  output->Append(Base64Encode(Gzip(data)));
  output->Append(page.substr(data_gap, script_gap - data_gap));
  output->Append(HeatmapScript());
  output->Append(page.substr(script_gap + kScript.size()));
  return {};
}

}  // namespace sparkprof
