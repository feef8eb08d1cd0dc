// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text/text.h"
#include "loader/source_files.h"
#include "mcp/facts.h"
#include "mcp/job_text.h"
#include "mcp/shown_samples.h"
#include "mcp/tool.h"
#include "model/redaction/own_redaction.h"
#include "profiles/frame_origin.h"
#include "profiles/frame_weights.h"
#include "profiles/profile_transform.h"

namespace sparkprof {
namespace {

constexpr uint32_t kNeighbors = 8;   // lines before and after
constexpr size_t kMaxLines = 25;     // maximum number of expensive lines
constexpr size_t kMostOfLine = 160;  // maximum length of a line, bytes

struct LineCost {
  int64_t self = 0, total = 0;
  std::string function;
};

// Costs by file and line number. A line shared by several functions of a stack counts once per function.
using LineCosts = std::map<std::pair<std::string, uint32_t>, LineCost>;

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The file of a frame. For a JVM class without one, the compiler's name for it: "Job" for "org.example.Job$.run".
std::string FileOf(const Profile& profile, const Frame& frame) {
  const std::string_view file = profile.strings.Get(frame.file);
  if (frame.kind == FrameKind::kPython || !file.empty()) return std::string(file);
  std::string_view name = profile.strings.Get(frame.name);
  name = name.substr(0, name.rfind('.'));
  name = name.substr(name.rfind('.') + 1);
  return std::string(name.substr(0, name.find('$')));
}

bool IsFile(std::string_view file, std::string_view wanted) {
  const std::string_view name = BaseName(wanted);
  return BaseName(file) == name || BaseName(file) == name.substr(0, name.rfind('.'));
}

// The samples with lines: ShowSamples merges lines of JVM functions.
Result<Profile> WithLines(const Application& merged, Selection selection) {
  const Result<std::vector<uint32_t>> rows = RowsToShow(merged, &selection);
  if (!rows) return tl::unexpected(rows.error());
  const Profile sums = SumByStack(merged.profile, *rows);
  const Result<EventId> event = sums.FindEvent(selection.event);
  if (!event) return tl::unexpected(event.error());
  return Transform(merged.profile, sums, {}, *event);
}

LineCosts CostsOf(const Profile& profile, const StackTree& tree, const std::string& file) {
  LineCosts costs;
  for (const FrameWeight& one : WeighFrames(profile, tree)) {
    const Frame& frame = profile.frames.Get(one.frame);
    if (frame.line == 0) continue;
    const std::string own_file = FileOf(profile, frame);
    const bool is_wanted = file.empty()
                               ? OriginOf(profile.strings.Get(frame.name), own_file, frame.kind) == FrameOrigin::kUser
                               : IsFile(own_file, file);
    if (!is_wanted) continue;
    LineCost& cost = costs[{std::string(BaseName(own_file)), frame.line}];
    cost.self += one.self.weight;
    cost.total += one.total.weight;
    if (cost.function.empty()) cost.function = SimpleName(profile.strings.Get(frame.name));
  }
  return costs;
}

// The redacted lines of the source file; empty if `folder` does not contain it.
std::vector<std::string> TextOfFile(const AskedApplication& asked, const Profile& profile, const std::string& folder,
                                    std::string_view file) {
  if (folder.empty()) return {};
  OwnRedaction redaction;
  redaction.ReadStrings(*asked.recorded);
  const Result<SourceFiles> sources =
      FindSources(profile, folder, [&](std::string_view text) { return redaction.Text(text); });
  if (!sources) return {};
  for (const SourceFile& one : sources->files) {
    if (!IsFile(one.path, file)) continue;
    std::vector<std::string> lines;
    for (const std::string_view line : Split(one.text, '\n')) lines.emplace_back(line);
    return lines;
  }
  return {};
}

void AddExpensiveLines(const LineCosts& costs, int64_t whole, ToolAnswer* answer) {
  std::vector<LineCosts::const_iterator> order;
  for (auto cost = costs.begin(); cost != costs.end(); ++cost) order.push_back(cost);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a->second.total > b->second.total; });
  answer->Add("Most expensive lines, in and below / own [samples]:");
  for (size_t i = 0; i < std::min(order.size(), kMaxLines); ++i) {
    const auto& [place, cost] = *order[i];
    answer->Add(fmt::format("  {:>6} {:>6}  {}", PercentOf(cost.total, whole), PercentOf(cost.self, whole),
                            Marked(fmt::format("{}:{} {}", place.first, place.second, cost.function), 160)));
  }
}

void AddNeighbors(const LineCosts& costs, int64_t whole, uint32_t line, const std::vector<std::string>& text,
                  ToolAnswer* answer) {
  const uint32_t begin = line > kNeighbors ? line - kNeighbors : 1;
  answer->Add(fmt::format("Lines {} to {}, in and below / own; lines without samples{} [samples]:", begin,
                          line + kNeighbors, text.empty() ? " are left out" : " have no cost"));
  for (uint32_t number = begin; number <= line + kNeighbors; ++number) {
    LineCost cost;
    for (const auto& [place, one] : costs) {
      if (place.second != number) continue;
      cost.self += one.self;
      cost.total += one.total;
      cost.function = one.function;
    }
    const bool has_text = number <= text.size();
    if (cost.total == 0 && !has_text) continue;
    const std::string shares =
        cost.total == 0 ? fmt::format("{:>13}", "")
                        : fmt::format("{:>6} {:>6}", PercentOf(cost.total, whole), PercentOf(cost.self, whole));
    answer->Add(fmt::format("{}{:>5} {}  {}", number == line ? ">" : " ", number, shares,
                            Marked(has_text ? text[number - 1] : cost.function, kMostOfLine)));
  }
}

}  // namespace

Result<ToolAnswer> AnswerSource(ApplicationSource* source, const ToolArguments& arguments) {
  const Result<AskedApplication> asked = LoadAsked(source, arguments);
  if (!asked) return tl::unexpected(asked.error());
  std::string file = arguments.Text("file");
  std::optional<int64_t> line = arguments.Integer("line");
  if (const size_t colon = file.rfind(':'); colon != std::string::npos) {
    if (const std::optional<int64_t> number = ParseInteger(std::string_view(file).substr(colon + 1))) {
      if (!line) line = number;
      file.resize(colon);
    }
  }
  if (line && (*line < 1 || *line > INT32_MAX)) return Fail("line: must be a positive number");
  if (line && file.empty()) return Fail("line: needs the argument file");
  ToolAnswer answer;
  answer.Add(fmt::format("{} {}", Marked(asked->recorded->id, 80), kMarkNote));
  const Application& merged = *asked->merged;
  if (merged.profile.samples.empty()) {
    answer.Add("No samples were recorded, so the cost of lines is unknown. diagnose names lines by the event log.");
    return answer;
  }
  const Result<Profile> profile = WithLines(merged, {.event = arguments.Text("event")});
  if (!profile) return Fail(fmt::format("event: {}", Marked(profile.error().message)));
  const StackTree tree = BuildStackTree(*profile, 0);
  const LineCosts costs = CostsOf(*profile, tree, file);
  const int64_t whole = tree.Root().weight;
  answer.Add(fmt::format("{} [samples]", AmountOf({.profile = *profile})));
  if (costs.empty()) {
    answer.Add(file.empty() ? "No sample has a line of the user's code."
                            : fmt::format("No sample is in {}; without file, the most expensive lines are listed.",
                                          Marked(file, 100)));
    return answer;
  }
  if (line) {
    AddNeighbors(costs, whole, static_cast<uint32_t>(*line), TextOfFile(*asked, *profile, source->SourceFolder(), file),
                 &answer);
  } else {
    AddExpensiveLines(costs, whole, &answer);
  }
  return answer;
}

}  // namespace sparkprof
