// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/account/account_entry.h"
#include "base/time.h"
#include "render/report/report_tables.h"

namespace sparkprof {
namespace {

// The phase of a passage of a stage; the others have names of parts of the account.
constexpr std::string_view kStagePhase = "stage";
constexpr int32_t kNoStage = -1;  // also of a passage whose stage is not in the page

// Texts in order of their first use.
class Numbered {
 public:
  uint32_t Of(std::string_view text) {
    const auto [place, is_new] = numbers_.try_emplace(std::string(text), static_cast<uint32_t>(texts_.size()));
    if (is_new) texts_.emplace_back(text);
    return place->second;
  }

  void Write(std::string_view key, JsonWriter* json) const { json->Member(key, texts_); }

 private:
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<std::string> texts_;
};

// A passage of a stage, or driver time with one line of the program.
struct WallStretch {
  double begin_ms = 0;  // since the application's start
  uint8_t phase = 0;
  int32_t stage = kNoStage;
  uint32_t line = 0;
};

}  // namespace

void WriteWallTime(const Application& application, const Answers& answers, const ChosenRows& rows, ColumnArea* columns,
                   JsonWriter* json) {
  std::vector<int32_t> shown(application.stages.size(), kNoStage);
  for (size_t at = 0; at < rows.stages.size(); ++at) shown[rows.stages[at]] = static_cast<int32_t>(at);
  // A page of several applications, or without one, has no account.
  const std::vector<WallEntry> none;
  const std::vector<WallEntry>& wall = answers.accounted == nullptr ? none : answers.accounted->account.wall;
  Numbered phases, lines;
  phases.Of(kStagePhase);
  lines.Of("");
  std::vector<WallStretch> stretches;
  const WallEntry* before = nullptr;
  for (const WallEntry& entry : wall) {
    const bool is_of_stage = IsOfStage(entry);
    const bool is_same =
        before != nullptr && IsOfStage(*before) == is_of_stage &&
        (is_of_stage ? before->stage == entry.stage : before->part == entry.part && before->payer == entry.payer);
    before = &entry;
    if (is_same) continue;
    WallStretch& stretch = stretches.emplace_back();
    stretch.begin_ms = static_cast<double>(entry.begin_ns - wall.front().begin_ns) / kNanosPerMilli;
    stretch.phase = static_cast<uint8_t>(phases.Of(is_of_stage ? kStagePhase : NameOf(entry.part)));
    if (is_of_stage) stretch.stage = shown[static_cast<size_t>(entry.stage)];
    if (!is_of_stage) stretch.line = lines.Of(entry.payer);
  }
  json->Key("wall").BeginObject();
  columns->Add(
      "begin", stretches, [](const WallStretch& stretch) { return stretch.begin_ms; }, json);
  columns->Add(
      "phase", stretches, [](const WallStretch& stretch) { return stretch.phase; }, json);
  columns->Add(
      "stage", stretches, [](const WallStretch& stretch) { return stretch.stage; }, json);
  columns->Add(
      "line", stretches, [](const WallStretch& stretch) { return stretch.line; }, json);
  phases.Write("phases", json);
  lines.Write("lines", json);
  json->EndObject();
}

}  // namespace sparkprof
