// SPDX-License-Identifier: Apache-2.0
#include "mcp/shown_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/memory_limit.h"
#include "base/text/text.h"
#include "mcp/job_text.h"
#include "profiles/frame_origin.h"
#include "profiles/frame_weights.h"
#include "profiles/profile_transform.h"

namespace sparkprof {
namespace {

// Memory limit for selecting and transforming, as for pictures.
constexpr size_t kMemory = size_t{256} << 20;

bool HasSamplesOf(const Application& application, std::string_view event) {
  const Result<EventId> row = application.profile.FindEvent(event);
  return row && std::any_of(application.profile.samples.begin(), application.profile.samples.end(),
                            [&](const Sample& sample) { return sample.event == *row; });
}

// By StackId: whether the stack contains user code.
std::vector<bool> StacksOfUser(const Profile& profile) {
  std::vector<bool> frames(profile.frames.Size()), stacks(profile.stacks.Size());
  for (FrameId id = 1; id < frames.size(); ++id) frames[id] = IsUserCode(profile, profile.frames.Get(id));
  // Parents precede children.
  for (StackId id = 1; id < stacks.size(); ++id) {
    const StackTable::Node& node = profile.stacks.Get(id);
    stacks[id] = frames[node.frame] || stacks[node.parent];
  }
  return stacks;
}

Result<ShownSamples> Show(const Application& merged, Selection selection, const std::string& through) {
  if (const Result<void> valid = CheckExpression(through); !valid) {
    return Fail("through: " + Marked(valid.error().message));
  }
  const Result<std::vector<uint32_t>> rows = RowsToShow(merged, &selection);
  if (!rows) return MarkedError(rows.error());
  const Profile sums = SumByStack(merged.profile, *rows);
  const Result<EventId> event = sums.FindEvent(selection.event);
  if (!event) return ShownSamples{.why_empty = ExplainNoSamples(merged, selection), .is_measured = false};
  const ProfileTransform transform{.lines = false, .python_lines = true, .include = through};
  Result<Profile> shown = Transform(merged.profile, sums, transform, *event);
  if (!shown) return MarkedError(shown.error());
  ShownSamples samples{.profile = std::move(*shown)};
  if (samples.profile.samples.empty()) {
    samples.why_empty = rows->empty() ? ExplainNoSamples(merged, selection)
                                      : fmt::format("no stack has a frame that matches '{}'", through);
    samples.is_measured = HasSamplesOf(merged, selection.event);
  }
  return samples;
}

}  // namespace

bool IsUserCode(const Profile& profile, const Frame& frame) {
  return frame.kind != FrameKind::kSynthetic &&
         OriginOf(profile.strings.Get(frame.name), profile.strings.Get(frame.file), frame.kind) == FrameOrigin::kUser;
}

Result<std::vector<uint32_t>> RowsToShow(const Application& merged, Selection* selection) {
  if (selection->event.empty() && !merged.is_foreign && HasSamplesOf(merged, EventName(Event::kWall))) {
    selection->event = EventName(Event::kWall);
  }
  selection->without_idle = !merged.is_foreign;
  Result<std::vector<uint32_t>> rows = SelectSamples(merged, *selection);
  if (!rows || merged.is_foreign || selection->event != EventName(Event::kWall)) return rows;
  const std::vector<bool> users = StacksOfUser(merged.profile);
  std::erase_if(*rows, [&](uint32_t row) {
    const Sample& sample = merged.profile.samples[row];
    return sample.task == 0 && !users[sample.stack];
  });
  return rows;
}

Result<ShownSamples> ShowSamples(const Application& merged, const Selection& selection, const std::string& through) {
  if (merged.profile.samples.empty()) {
    return ShownSamples{.why_empty = "no samples were recorded: run the job with the profiler (sparkprof run)",
                        .is_measured = false};
  }
  std::optional<Result<ShownSamples>> shown = WithinMemory(kMemory, [&] { return Show(merged, selection, through); });
  if (!shown) return Fail("too many samples: select less, such as a stage or a task");
  return std::move(*shown);
}

std::string ShownSamples::EmptyLine() const {
  return fmt::format("{}: {}", is_measured ? "0 samples" : "Not measured, so unknown", Marked(why_empty));
}

std::string WeightText(const ProfileEvent& event, int64_t weight) {
  if (event.unit == "ns") return FormatDuration(weight);
  if (event.unit == "bytes") return FormatBytes(weight);
  return fmt::format("{} samples", weight);
}

std::string PercentOf(int64_t part, int64_t whole) {
  return FormatShare(whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole));
}

std::string FrameName(const Profile& profile, FrameId frame) {
  return SimpleName(FrameLabel(profile.strings, profile.frames.Get(frame)));
}

void AddTopFunctions(const ShownSamples& shown, size_t most, ToolAnswer* answer) {
  const Profile& profile = shown.profile;
  const StackTree tree = BuildStackTree(profile, shown.event);
  std::vector<FrameWeight> weights = WeighFrames(profile, tree);
  const int64_t whole = tree.Root().weight;
  const auto add = [&](std::string_view title, auto weight_of) {
    std::stable_sort(weights.begin(), weights.end(),
                     [&](const FrameWeight& a, const FrameWeight& b) { return weight_of(a) > weight_of(b); });
    for (size_t i = 0; i < std::min(most, weights.size()) && weight_of(weights[i]) > 0; ++i) {
      if (i == 0) answer->Add(std::string(title));
      answer->Add(fmt::format("  {:>6}  {}", PercentOf(weight_of(weights[i]), whole),
                              Marked(FrameName(profile, weights[i].frame), 120)));
    }
  };
  add("Top functions by own time [samples]:", [](const FrameWeight& one) { return one.self.weight; });
  add("User code by time in it and below [samples]:", [&](const FrameWeight& one) {
    const Frame& frame = profile.frames.Get(one.frame);
    return IsUserCode(profile, frame) ? one.total.weight : 0;
  });
}

}  // namespace sparkprof
