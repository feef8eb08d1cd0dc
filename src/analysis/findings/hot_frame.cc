// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include "analysis/findings/rules.h"
#include "analysis/frame_origin.h"
#include "analysis/top_frames.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr double kHot = 0.3;          // of the stage's CPU samples
constexpr double kHotBuilding = 0.2;  // of them, in making one kind of object

// Building one of these for each record is a known mistake; a constructor in the user's code is the general case.
constexpr std::string_view kBuilders[] = {"java.util.regex.Pattern.compile", "java.text.SimpleDateFormat.<init>",
                                          "java.time.format.DateTimeFormatter.ofPattern", "java.security.MessageDigest.getInstance",
                                          "javax.xml.parsers.DocumentBuilderFactory.newInstance",
                                          "com.fasterxml.jackson.databind.ObjectMapper.<init>", "java.util.ResourceBundle.getBundle"};

bool IsBuilder(std::string_view name, FrameOrigin origin) {
  for (const std::string_view builder : kBuilders) {
    if (name == builder) return true;
  }
  return origin == FrameOrigin::kUser && (name.ends_with(".<init>") || name.ends_with("__init__"));
}

}  // namespace

void FindHotFrames(const FindingInput& input, std::vector<Finding>* findings) {
  const Application& application = input.application;
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const StageSummary& summary = input.stages[row];
    if (summary.cpu_samples_ns < kWorthwhileNs) continue;
    const Stage& stage = application.stages[row];
    const Selection selection = SelectStage(stage, Event::kCpu);
    const auto rows = SelectSamples(application, selection);
    if (!rows) continue;
    // The innermost of the user's functions that are hot: the outer ones only call it.
    const TopFrame* hot = nullptr;
    bool builds = false;
    const std::vector<TopFrame> functions = FunctionWeights(BuildFlameTree(application, *rows, {}));
    for (const TopFrame& frame : functions) {
      const std::string_view name = application.strings.Get(frame.function.name);
      const FrameOrigin origin = OriginOf(name, application.strings.Get(frame.function.file), frame.function.kind);
      const double share = Share(frame.total, summary.cpu_samples_ns);
      const bool builder = IsBuilder(name, origin) && share >= kHotBuilding;
      if (!builder && (origin != FrameOrigin::kUser || share < kHot)) continue;
      if (hot == nullptr || (builder && !builds) || (builder == builds && frame.total < hot->total)) {
        hot = &frame;
        builds = builder;
      }
    }
    if (hot == nullptr) continue;
    const std::string name = FunctionLabel(application, hot->function);
    Finding finding;
    finding.id = StageFindingId("hot", stage);
    finding.title = builds ? "An object is built over and over" : "One function is most of a stage's CPU";
    finding.confidence = builds ? 0.8 : 0.6;
    finding.what = fmt::format("{} takes {} of the CPU of {}", name, FormatShare(Share(hot->total, summary.cpu_samples_ns)), StageText(stage));
    finding.evidence = fmt::format("{} of {} in cpu samples, {} of it in the function itself", FormatDuration(hot->total),
                                   FormatDuration(summary.cpu_samples_ns), FormatDuration(hot->self));
    finding.selection = selection;
    finding.selection.search = RE2::QuoteMeta(std::string(application.strings.Get(hot->function.name)));
    finding.change = builds ? "Build it once per partition (mapPartitions) or once per executor (a lazy val of an object, a broadcast) "
                              "and use it for every record"
                            : "Look below it in the flame graph: what it does for each record, do once per partition or not at all";
    finding.gain_ns = WallTimeOf(input, summary, hot->total);
    finding.severity = std::min(builds ? Severity::kHigh : Severity::kMedium, SeverityOf(finding.gain_ns, input.duration_ns));
    findings->push_back(std::move(finding));
  }
}

}  // namespace sparkprof
