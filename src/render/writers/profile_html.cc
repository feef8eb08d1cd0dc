// SPDX-License-Identifier: Apache-2.0
#include "render/writers/profile_html.h"

#include <fmt/format.h>

#include "analysis/selection/foreign_application.h"
#include "analysis/selection/known_parts.h"
#include "analysis/selection/stack_kinds.h"
#include "analysis/time/stage_summary.h"
#include "base/text/characters.h"
#include "render/report/report_data.h"

namespace sparkprof {
namespace {

// Data for the page of a profile without Spark.
Answers AnswersOfForeign(const Application& application) {
  Answers answers;
  answers.kinds = KindsOfStacks(application);
  answers.stages = SummarizeStages(application, answers.kinds);
  answers.verdict = NoFindingsText(RulesAppliedTo(application)) + ".";
  return answers;
}

Result<void> WritePage(const Application& application, const Answers& answers, const std::string& start_view,
                       const std::string& note, OutputFile* output) {
  const ReportOptions options{.start_tab = "flame",
                              .start_view = start_view,
                              .note = note,
                              .budget = application.is_foreign ? kProfileHtmlBudget : kReportBudget};
  const Result<std::string> page = RenderReport(application, answers, options);
  if (!page) return tl::unexpected(page.error());
  output->Append(*page);
  return {};
}

// Combines both sides of a comparison into one event, distinguished by thread names.
Profile SideBySide(const Profile& profile, EventId event, EventId base_event) {
  Profile sides = profile;
  const std::string& unit = profile.events[event].unit;
  sides.events = {{.name = unit == "ns" ? "time" : unit == "bytes" ? "bytes" : "samples", .unit = unit}};
  sides.default_event = 0;
  sides.threads = {{}, {.name = "before"}, {.name = "after"}};
  std::erase_if(sides.samples,
                [&](const Sample& sample) { return sample.event != event && sample.event != base_event; });
  for (Sample& sample : sides.samples) {
    sample.thread = sample.event == base_event ? 1 : 2;
    sample.event = 0;
  }
  return sides;
}

}  // namespace

std::string SearchView(std::string_view expression) {
  std::string view = "tab=flame&search=";
  for (const char c : expression) {
    const bool is_plain = IsAlnum(c);
    view += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return view;
}

std::string RenderProfileData(const Application& application) {
  return RenderReportData(application, AnswersOfForeign(application),
                          {.start_tab = "flame", .budget = kProfileHtmlBudget});
}

Result<void> WriteProfileHtml(const Application& application, const Answers* answers, EventId event,
                              std::optional<EventId> base_event, const std::string& note, const std::string& highlight,
                              OutputFile* output) {
  const std::string view = highlight.empty() ? "" : SearchView(highlight);
  if (!base_event) {
    return WritePage(application, answers != nullptr ? *answers : AnswersOfForeign(application), view, note, output);
  }
  const std::string both = "thread=~after&versus=1&versus.thread=~before&absolute=1";
  const Application sides = ForeignApplication(SideBySide(application.profile, event, *base_event));
  return WritePage(sides, AnswersOfForeign(sides), (view.empty() ? "tab=flame" : view) + "&" + both, note, output);
}

}  // namespace sparkprof
