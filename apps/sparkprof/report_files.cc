// SPDX-License-Identifier: Apache-2.0
#include "apps/sparkprof/report_files.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "analysis/answers.h"
#include "analysis/flame_tree.h"
#include "apps/sparkprof/recording_options.h"
#include "base/file.h"
#include "render/flame_svg.h"
#include "render/info_json.h"
#include "render/report_data.h"

namespace sparkprof {
namespace {

// All samples of the first event that has any, cpu before the others.
std::string FlameOfWhole(const Application& application) {
  Selection selection;
  selection.without_idle = true;
  std::vector<uint32_t> rows;
  for (const Event event : kAllEvents) {
    selection.event = event;
    if (auto selected = SelectSamples(application, selection)) rows = std::move(*selected);
    if (!rows.empty()) break;
  }
  if (rows.empty()) selection.event = Event::kCpu;
  return RenderFlameSvg(application, BuildFlameTree(application, rows, {}),
                        {.title = fmt::format("{}: {}", application.name, EventLabel(*selection.event)),
                         .subtitle = rows.empty() ? "no samples were recorded" : "",
                         .event = *selection.event});
}

}  // namespace

Result<void> WriteReportFiles(const std::vector<std::string>& recordings, const std::string& output_dir,
                              std::string* summary_text) {
  const Result<LoadedRecording> loaded = Load({recordings, {}});
  if (!loaded) return tl::unexpected(loaded.error());
  const Application& application = loaded->Longest();
  const Answers answers = Answer(application);
  std::vector<uint32_t> rows(application.samples.size());
  std::iota(rows.begin(), rows.end(), 0);
  const Result<std::string> report =
      RenderReport(application, answers, rows, {.start_tab = {}, .note = loaded->OthersNote()});
  if (!report) return tl::unexpected(report.error());

  const std::string folder = output_dir.empty() ? std::string(".") : output_dir;
  const std::string svg = FlameOfWhole(application);
  const std::string info = RenderInfoJson(loaded->applications, &loaded->recording.status, {}) + "\n";
  const std::pair<const char*, const std::string*> files[] = {
      {"report.html", &*report}, {"flame.svg", &svg}, {"summary.json", &info}};
  for (const auto& [name, content] : files) {
    if (Result<void> written = WriteFile(fmt::format("{}/{}", folder, name), *content); !written) return written;
  }
  summary_text->clear();
  for (const std::string& line : answers.lines) *summary_text += line + "\n";
  if (!loaded->OthersNote().empty()) *summary_text += loaded->OthersNote() + "\n";
  return {};
}

}  // namespace sparkprof
