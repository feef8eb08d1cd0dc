// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "render/report/info.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {
namespace {

// Characters, not bytes: what a terminal shows of UTF-8.
size_t Width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string CoverageTable(const Application& application) {
  if (application.coverage.empty()) return "  no samples\n";
  std::vector<std::vector<std::string>> rows{{"  samples", "count", "weight", "on task threads", "attributed", "lost"}};
  for (const Coverage& coverage : application.coverage) {
    rows.push_back({fmt::format("  {}", EventName(coverage.event)), std::to_string(coverage.count),
                    FormatWeight(coverage.event, coverage.weight), std::to_string(coverage.on_task_threads),
                    std::to_string(coverage.joined), std::to_string(coverage.lost)});
  }
  return RenderTable(rows);
}

}  // namespace

std::string RenderTable(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - Width(row[i]), ' ');
      text += i == 0 ? row[i] + padding : "  " + padding + row[i];
    }
    text.resize(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string RenderInfoText(const std::vector<const Application*>& applications,
                           const std::vector<std::vector<std::string>>& lines, const RecordingStatus& status) {
  std::string text;
  for (size_t i = 0; i < applications.size(); ++i) {
    const Application& application = *applications[i];
    if (i > 0) text += '\n';
    for (size_t line = 0; line < lines[i].size(); ++line) {
      text += fmt::format("{}{}\n", line == 0 ? "" : "  ", lines[i][line]);
    }
    text += CoverageTable(application);
    for (const ApplicationNotice& notice : application.notices) {
      if (notice.notice.level == NoticeLevel::kInformation) continue;
      text += fmt::format("  {}: {}\n", NoticeLevelName(notice.notice.level), notice.notice.text);
    }
    if (!application.complete) text += "  incomplete: at least one process did not write its last data\n";
  }
  for (const std::string& problem : RecordingProblems(status)) text += problem + "\n";
  return text;
}

}  // namespace sparkprof
