// SPDX-License-Identifier: Apache-2.0
#include "render/profile_html.h"

#include <fmt/format.h>

#include "analysis/application_profile.h"
#include "analysis/stack_kinds.h"
#include "analysis/stage_summary.h"
#include "render/report_data.h"

namespace sparkprof {
namespace {

Result<void> WritePage(const Profile& profile, const std::string& start_view, const std::string& note,
                       OutputFile* output) {
  const Application application = ApplicationOf(profile);
  const ReportOptions options{.start_tab = "flame",
                              .start_view = start_view,
                              .note = note,
                              .budget = kProfileHtmlBudget,
                              .events = profile.events};
  Answers answers;
  answers.kinds = KindsOfStacks(application);
  answers.stages = SummarizeStages(application, answers.kinds);
  const Result<std::string> page = RenderReport(application, answers, options);
  if (!page) return tl::unexpected(page.error());
  output->Append(*page);
  return {};
}

// Both sides of a comparison as one event, told apart by threads that are called after them.
Profile SideBySide(const Profile& profile, uint32_t event, uint32_t base_event) {
  Profile sides = profile;
  const std::string& unit = profile.events[event].unit;
  sides.events = {{.name = unit == "ns" ? "time" : unit == "bytes" ? "bytes" : "samples", .unit = unit}};
  sides.default_event = 0;
  sides.threads = {{}, {.name = "before"}, {.name = "after"}};
  std::erase_if(sides.samples,
                [&](const ProfileSample& sample) { return sample.event != event && sample.event != base_event; });
  for (ProfileSample& sample : sides.samples) {
    sample.thread = sample.event == base_event ? 1 : 2;
    sample.event = 0;
  }
  return sides;
}

}  // namespace

std::string SearchView(std::string_view expression) {
  std::string view = "tab=flame&search=";
  for (const char c : expression) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    view += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return view;
}

Result<void> WriteProfileHtml(const Profile& profile, uint32_t event, std::optional<uint32_t> base_event,
                              const std::string& note, const std::string& highlight, OutputFile* output) {
  const std::string view = highlight.empty() ? "" : SearchView(highlight);
  if (!base_event) return WritePage(profile, view, note, output);
  const std::string both = "thread=~after&versus=1&versus.thread=~before&absolute=1";
  return WritePage(SideBySide(profile, event, *base_event), (view.empty() ? "tab=flame" : view) + "&" + both, note,
                   output);
}

}  // namespace sparkprof
