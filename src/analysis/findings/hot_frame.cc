// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "analysis/findings/rules.h"
#include "analysis/flame_tree.h"
#include "analysis/frame_origin.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr double kHot = 0.3;          // of the stage's CPU samples
constexpr double kHotBuilding = 0.2;  // of them, in making one kind of object

// Building one of these for each record is a known mistake; a constructor in the user's code is the general case.
constexpr std::string_view kBuilders[] = {"java.util.regex.Pattern.compile",
                                          "java.text.SimpleDateFormat.<init>",
                                          "java.time.format.DateTimeFormatter.ofPattern",
                                          "java.security.MessageDigest.getInstance",
                                          "javax.xml.parsers.DocumentBuilderFactory.newInstance",
                                          "com.fasterxml.jackson.databind.ObjectMapper.<init>",
                                          "java.util.ResourceBundle.getBundle"};

bool IsBuilder(std::string_view name, FrameOrigin origin) {
  for (const std::string_view builder : kBuilders) {
    if (name == builder) return true;
  }
  return origin == FrameOrigin::kUser && (name.ends_with(".<init>") || name.ends_with("__init__"));
}

// The functions of all stacks, numbered: Python's by name and file, others by name.
class FunctionsOfFrames {
 public:
  explicit FunctionsOfFrames(const Application& application) : of_frame_(application.frames.Size()) {
    std::map<std::pair<StringId, StringId>, uint32_t> numbers;
    for (FrameId id = 1; id < of_frame_.size(); ++id) {
      const Frame& frame = application.frames.Get(id);
      const StringId file = frame.kind == FrameKind::kPython ? frame.file : 0;
      const auto [entry, is_new] =
          numbers.emplace(std::pair(frame.name, file), static_cast<uint32_t>(functions_.size()));
      if (is_new) functions_.push_back({frame.name, frame.file, 0, frame.kind});
      of_frame_[id] = entry->second;
    }
  }

  uint32_t Of(FrameId frame) const { return of_frame_[frame]; }
  const FlameFunction& Get(uint32_t function) const { return functions_[function]; }
  size_t Size() const { return functions_.size(); }

 private:
  std::vector<uint32_t> of_frame_;
  std::vector<FlameFunction> functions_;
};

struct FunctionWeight {
  int64_t self = 0;
  int64_t total = 0;
  StackId seen = 0;  // the last stack that counted, so that recursion counts once
};

// CPU of one stage by function.
std::vector<FunctionWeight> WeighFunctions(const Application& application, const StageSummary& summary,
                                           const FunctionsOfFrames& functions) {
  std::unordered_map<StackId, int64_t> by_stack;
  for (const uint32_t row : summary.samples) {
    const Sample& sample = application.samples[row];
    if (sample.event == Event::kCpu) by_stack[sample.stack] += sample.weight;
  }
  std::vector<FunctionWeight> weights(functions.Size());
  for (const auto& [leaf, weight] : by_stack) {
    if (leaf != 0) weights[functions.Of(application.stacks.Get(leaf).frame)].self += weight;
    for (StackId stack = leaf; stack != 0; stack = application.stacks.Get(stack).parent) {
      FunctionWeight& of_function = weights[functions.Of(application.stacks.Get(stack).frame)];
      if (of_function.seen == leaf) continue;
      of_function.seen = leaf;
      of_function.total += weight;
    }
  }
  return weights;
}

struct HotFunction {
  const FlameFunction* function = nullptr;
  FunctionWeight weight;
  bool builds = false;
};

// The innermost of the user's functions that are hot, as the outer ones only call it; one that builds objects first.
HotFunction FindHot(const Application& application, const StageSummary& summary, const FunctionsOfFrames& functions) {
  HotFunction hot;
  const std::vector<FunctionWeight> weights = WeighFunctions(application, summary, functions);
  for (uint32_t i = 0; i < weights.size(); ++i) {
    const double share = Share(weights[i].total, summary.cpu_samples_ns);
    if (share < std::min(kHot, kHotBuilding)) continue;
    const FlameFunction& function = functions.Get(i);
    const std::string_view name = application.strings.Get(function.name);
    const FrameOrigin origin = OriginOf(name, application.strings.Get(function.file), function.kind);
    const bool builds = IsBuilder(name, origin) && share >= kHotBuilding;
    if (!builds && (origin != FrameOrigin::kUser || share < kHot)) continue;
    if (hot.function == nullptr || (builds && !hot.builds) ||
        (builds == hot.builds && weights[i].total < hot.weight.total)) {
      hot = {&function, weights[i], builds};
    }
  }
  return hot;
}

}  // namespace

void FindHotFrames(const FindingInput& input, std::vector<Finding>* findings) {
  const Application& application = input.application;
  const FunctionsOfFrames functions(application);
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const StageSummary& summary = input.stages[row];
    if (summary.cpu_samples_ns < kWorthwhileNs) continue;
    const Stage& stage = application.stages[row];
    const HotFunction hot = FindHot(application, summary, functions);
    if (hot.function == nullptr) continue;
    const std::string name = FunctionLabel(application, *hot.function);
    Finding finding;
    finding.id = StageFindingId("hot", stage);
    finding.title = hot.builds ? "An object is built over and over" : "One function is most of a stage's CPU";
    finding.confidence = hot.builds ? 0.8 : 0.6;
    finding.what = fmt::format("{} takes {} of the CPU of {}", name,
                               FormatShare(Share(hot.weight.total, summary.cpu_samples_ns)), StageText(stage));
    finding.evidence =
        fmt::format("{} of {} in cpu samples, {} of it in the function itself", FormatDuration(hot.weight.total),
                    FormatDuration(summary.cpu_samples_ns), FormatDuration(hot.weight.self));
    finding.rule = hot.builds
                       ? fmt::format("{} or more of a stage's CPU samples are below the making of one kind of object",
                                     FormatShare(kHotBuilding))
                       : fmt::format("{} or more of a stage's CPU samples are below one of the user's own functions",
                                     FormatShare(kHot));
    finding.selection = SelectStage(stage, Event::kCpu);
    finding.selection.search = RE2::QuoteMeta(std::string(application.strings.Get(hot.function->name)));
    finding.change =
        hot.builds
            ? "Build it once per partition (mapPartitions) or once per executor (a lazy val of an object, a broadcast) "
              "and use it for every record"
            : "Look below it in the flame graph: what it does for each record, do once per partition or not at all";
    finding.gain_ns = WallTimeOf(input, summary, hot.weight.total);
    finding.severity =
        std::min(hot.builds ? Severity::kHigh : Severity::kMedium, SeverityOf(finding.gain_ns, input.duration_ns));
    findings->push_back(std::move(finding));
  }
}

}  // namespace sparkprof
