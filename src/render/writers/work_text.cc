// SPDX-License-Identifier: Apache-2.0
#include "render/writers/work_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/answers.h"
#include "base/text/text.h"
#include "base/time.h"
#include "render/writers/display_width.h"

namespace sparkprof {
namespace {

constexpr std::string_view kBold = "\033[1m", kRed = "\033[1;31m", kYellow = "\033[33m", kPlain = "\033[0m";
constexpr size_t kMaxFindings = 3;
constexpr size_t kMaxRows = 10;    // rows per table if the height is unlimited
constexpr size_t kFewestRows = 3;  // rows on short terminals
constexpr int kBarWidth = 10;

std::string Bar(int64_t done, int64_t planned) {
  if (planned <= 0) return {};
  const auto full = static_cast<int>(std::clamp<int64_t>(done * kBarWidth / planned, 0, kBarWidth));
  std::string bar;
  for (int i = 0; i < kBarWidth; ++i) bar += i < full ? "█" : "░";
  return bar;
}

std::vector<StageNow> InOrder(std::vector<StageNow> stages, StageOrder order) {
  std::stable_sort(stages.begin(), stages.end(), [&](const StageNow& a, const StageNow& b) {
    if (order == StageOrder::kElapsed) return a.elapsed_ns > b.elapsed_ns;
    if (order == StageOrder::kLatest) return std::pair(a.id, a.attempt) > std::pair(b.id, b.attempt);
    return false;  // keeps their order
  });
  return stages;
}

std::string StatusOf(const CurrentWork& work) {
  if (work.now_ns == 0) return "no times recorded";
  return fmt::format("{} {}", work.ended ? "ended after" : "running for", FormatDuration(work.elapsed_ns));
}

std::string Plural(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void AddStages(const CurrentWork& work, size_t most, const WorkTextStyle& style, std::vector<std::string>* lines) {
  std::vector<std::vector<std::string>> rows;
  for (const StageNow& stage : InOrder(work.stages, style.order)) {
    if (rows.size() == most) break;
    rows.push_back({fmt::format("{}.{}", stage.id, stage.attempt), std::string(RunStatusName(stage.status)),
                    Bar(stage.done, stage.planned),
                    stage.planned > 0 ? fmt::format("{}/{}", stage.done, stage.planned) : std::to_string(stage.done),
                    std::to_string(stage.running), std::to_string(stage.failed), FormatDuration(stage.elapsed_ns),
                    stage.running > 0 ? FormatDuration(stage.oldest_ns) : "-", stage.work});
  }
  if (rows.empty()) {
    lines->push_back("No stages yet.");
    return;
  }
  const std::vector<std::string> table = ColumnLines({{"STAGE"},
                                                      {"STATUS"},
                                                      {"DONE"},
                                                      {"TASKS", true},
                                                      {"RUNNING", true},
                                                      {"FAILED", true},
                                                      {"ELAPSED", true},
                                                      {"OLDEST", true},
                                                      {"WORK"}},
                                                     rows, style);
  lines->insert(lines->end(), table.begin(), table.end());
  if (work.stages.size() > rows.size())
    lines->push_back(fmt::format("… {} more", Plural(work.stages.size() - rows.size(), "stage")));
}

std::string Share(int64_t part, int64_t whole) {
  return whole <= 0 ? "-" : FormatShare(static_cast<double>(part) / static_cast<double>(whole));
}

void AddOwners(const CurrentWork& work, size_t most, const WorkTextStyle& style, std::vector<std::string>* lines) {
  int64_t all = 0;
  for (const CpuOwner& owner : work.owners.owners) all += owner.cpu_ns;
  const std::string when =
      work.window_ns > 0 ? fmt::format("the last {}", FormatDuration(work.window_ns)) : "the whole run";
  lines->push_back(TitleLine(fmt::format("CPU of {}: {}", when, all > 0 ? FormatDuration(all) : "not sampled"), style));
  std::vector<std::vector<std::string>> rows;
  for (const CpuOwner& owner : work.owners.owners) {
    if (rows.size() == most) break;
    rows.push_back(
        {Share(owner.cpu_ns, all), FormatDuration(owner.cpu_ns), std::string(OwnerKindName(owner.kind)), owner.name});
  }
  if (!rows.empty()) {
    const auto table = ColumnLines({{"SHARE", true}, {"CPU", true}, {"FOR"}, {"OWNER"}}, rows, style);
    lines->insert(lines->end(), table.begin(), table.end());
  }
  rows.clear();
  for (const LineNow& line : work.lines) {
    if (rows.size() == most) break;
    rows.push_back({Share(line.cpu_ns, all), FormatDuration(line.cpu_ns), line.is_python ? "python" : "jvm",
                    fmt::format("{}:{} {}", line.file, line.line, line.function)});
  }
  if (rows.empty()) return;
  lines->emplace_back();
  const auto table = ColumnLines({{"SHARE", true}, {"CPU", true}, {"IN"}, {"YOUR LINE"}}, rows, style);
  lines->insert(lines->end(), table.begin(), table.end());
}

void AddFindings(const CurrentWork& work, const WorkTextStyle& style, std::vector<std::string>* lines) {
  lines->push_back(TitleLine(
      work.findings.empty() ? "No findings so far" : fmt::format("{} so far", Plural(work.findings.size(), "finding")),
      style));
  size_t count = 0;
  for (const Finding& finding : work.findings) {
    if (++count > kMaxFindings) break;
    const std::string saving = SavingRange(finding);
    const std::string text = ToOneLine(saving.empty() ? finding.title : fmt::format("{} ({})", finding.title, saving));
    const std::string severity = fmt::format("{:<6}", SeverityName(finding.severity));
    const std::string line = ShortenToWidth(severity + "  " + text, style.width);
    const std::string_view code = finding.severity == Severity::kHigh     ? kRed
                                  : finding.severity == Severity::kMedium ? kYellow
                                                                          : std::string_view();
    lines->push_back(style.color && !code.empty() && line.size() > severity.size()
                         ? fmt::format("{}{}{}{}", code, severity, kPlain, line.substr(severity.size()))
                         : line);
  }
}

}  // namespace

std::string_view StageOrderName(StageOrder order) {
  constexpr std::string_view kNames[] = {"running tasks", "elapsed time", "latest"};
  return kNames[static_cast<size_t>(order)];
}

std::string TitleLine(std::string_view text, const WorkTextStyle& style) {
  const std::string line = ShortenToWidth(ToOneLine(text), style.width);
  return style.color ? fmt::format("{}{}{}", kBold, line, kPlain) : line;
}

std::vector<std::string> ColumnLines(const std::vector<PlainColumn>& columns,
                                     const std::vector<std::vector<std::string>>& rows, const WorkTextStyle& style) {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns.size(); ++i) {
    size_t width = DisplayWidth(columns[i].title);
    for (const std::vector<std::string>& row : rows) width = std::max(width, DisplayWidth(ToOneLine(row[i])));
    widths.push_back(width);
  }
  const auto line_of = [&](const auto& cell_of) {
    std::string line;
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string text = ToOneLine(cell_of(i));
      const size_t padding = widths[i] - std::min(widths[i], DisplayWidth(text));
      const bool is_last = i + 1 == columns.size();
      line += columns[i].is_number ? std::string(padding, ' ') + text : text + std::string(is_last ? 0 : padding, ' ');
      if (!is_last) line += "  ";
    }
    return ShortenToWidth(line, style.width);
  };
  std::vector<std::string> lines;
  lines.push_back(TitleLine(line_of([&](size_t i) { return columns[i].title; }), style));
  for (const std::vector<std::string>& row : rows) lines.push_back(line_of([&](size_t i) { return row[i]; }));
  return lines;
}

std::vector<std::string> WorkLines(const CurrentWork& work, const WorkTextStyle& style) {
  // Lines used in any case: two titles with blank lines, head and findings.
  constexpr size_t kFixed = 15;
  const size_t most =
      style.height == 0 ? kMaxRows : std::max(kFewestRows, (style.height - std::min(style.height, kFixed)) / 3);
  std::string head = fmt::format("{}  {}  {}", work.name, work.id, StatusOf(work));
  if (!work.spark_version.empty()) head += fmt::format("  Spark {}", work.spark_version);
  std::vector<std::string> lines{TitleLine(head, style)};
  lines.push_back(ShortenToWidth(
      fmt::format("{} running on {} of {}, {} done, {} failed; as of {}",
                  Plural(static_cast<size_t>(work.running), "task"), Plural(static_cast<size_t>(work.cores), "core"),
                  Plural(work.executors, "executor"), work.done, work.failed,
                  work.now_ns == 0 ? "an unknown time" : FormatTimestamp(work.now_ns)),
      style.width));
  lines.emplace_back();
  AddStages(work, most, style, &lines);
  lines.emplace_back();
  AddOwners(work, most, style, &lines);
  lines.emplace_back();
  AddFindings(work, style, &lines);
  if (style.height > 0 && lines.size() > style.height) lines.resize(style.height);
  return lines;
}

}  // namespace sparkprof
