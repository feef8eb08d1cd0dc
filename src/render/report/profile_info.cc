// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <vector>

#include "base/saturate.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "render/report/info.h"

namespace sparkprof {
namespace {

std::vector<StackWeight> SumsOfEvents(const Profile& profile) {
  std::vector<StackWeight> sums(profile.events.size());
  for (const Sample& sample : profile.samples) {
    StackWeight& sum = sums[sample.event];
    AddSaturated(sample.count, &sum.count);
    AddSaturated(sample.weight, &sum.weight);
  }
  return sums;
}

std::string WeightText(int64_t weight, std::string_view unit) {
  if (unit == "ns") return FormatDuration(weight);
  return unit == "bytes" ? FormatBytes(weight) : fmt::format("{}", weight);
}

// The first row stands for samples without a thread.
size_t ThreadsOf(const Profile& profile) { return profile.threads.size() - 1; }

}  // namespace

std::string RenderProfileInfoText(std::string_view format, const Profile& profile) {
  const std::vector<StackWeight> sums = SumsOfEvents(profile);
  const ProfileTimes times = TimesOfSamples(profile);
  std::string text = fmt::format("{} · {}", profile.name, format);
  if (times.end_ns > times.start_ns) text += fmt::format(" · {}", FormatDuration(times.end_ns - times.start_ns));
  if (ThreadsOf(profile) > 0) {
    text += fmt::format(" · {} thread{}", ThreadsOf(profile), ThreadsOf(profile) == 1 ? "" : "s");
  }
  text += "\n";
  std::vector<std::vector<std::string>> rows{{"event", "unit", "samples", "weight"}};
  for (EventId event = 0; event < profile.EventCount(); ++event) {
    const ProfileEvent& row = profile.events[event];
    rows.push_back({event == profile.default_event && profile.events.size() > 1 ? row.name + " (default)" : row.name,
                    row.unit, fmt::format("{}", sums[event].count), WeightText(sums[event].weight, row.unit)});
  }
  text += RenderTable(rows);
  if (profile.damaged > 0) {
    text += fmt::format("skipped {} lines or records, the first: {}\n", profile.damaged, profile.first_damage);
  }
  return text;
}

std::string RenderProfileInfoJson(std::string_view format, const Profile& profile) {
  const std::vector<StackWeight> sums = SumsOfEvents(profile);
  const ProfileTimes times = TimesOfSamples(profile);
  JsonWriter json;
  json.BeginObject().Member("name", profile.name).Member("format", format).Key("events").BeginArray();
  for (EventId event = 0; event < profile.EventCount(); ++event) {
    json.BeginObject()
        .Member("name", profile.events[event].name)
        .Member("unit", profile.events[event].unit)
        .Member("count", sums[event].count)
        .Member("weight", sums[event].weight)
        .Member("default", event == profile.default_event)
        .EndObject();
  }
  json.EndArray().Member("threads", static_cast<int64_t>(ThreadsOf(profile)));
  if (times.start_ns != kNoTime) {
    json.Member("startTime", times.start_ns / kNanosPerMilli).Member("endTime", times.end_ns / kNanosPerMilli);
  }
  json.Member("skipped", profile.damaged).EndObject();
  return json.Take();
}

}  // namespace sparkprof
