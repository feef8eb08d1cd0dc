// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/text/json_writer.h"
#include "render/writers/display_width.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {
namespace {

std::string TotalText(const StackWeight& total, std::string_view unit, bool counts_samples) {
  const std::string amount = FormatAmount(unit, total.weight);
  return counts_samples ? fmt::format("{} in {} samples", amount, WithCommas(total.count)) : amount;
}

std::string SignedPercent(double share) { return fmt::format("{:+.2f}%", share * 100); }

// A column to the left of the frame.
struct ChangeColumn {
  std::string_view name;
  size_t width;
  size_t narrowest;  // minimum terminal width for the column
  std::string (*text)(const FrameChange& change, std::string_view unit);
  bool needs_counts = false;
};

constexpr ChangeColumn kColumns[] = {
    {"before", 12, 100,
     [](const FrameChange& change, std::string_view unit) {
       return FormatAmount(unit, change.weight.base_total.weight);
     }},
    {"after", 12, 100,
     [](const FrameChange& change, std::string_view unit) { return FormatAmount(unit, change.weight.total.weight); }},
    {"with calls", 11, 0, [](const FrameChange& change, std::string_view) { return SignedPercent(change.change); }},
    {"own", 11, 60, [](const FrameChange& change, std::string_view) { return SignedPercent(change.self_change); }},
    {"confidence", 10, 70,
     [](const FrameChange& change, std::string_view) { return fmt::format("{:.1f}%", change.confidence * 100); }, true},
};

}  // namespace

void WriteDiffText(const ProfileDiff& diff, std::string_view unit, size_t limit, std::optional<size_t> width,
                   OutputFile* output) {
  const std::string totals = fmt::format("before {}, after {}{}", TotalText(diff.before, unit, diff.counts_samples),
                                         TotalText(diff.after, unit, diff.counts_samples),
                                         diff.counts_samples ? "" : "; confidence unknown: no counts of samples");
  output->Append(WrapText(totals, width.value_or(0), 0, 0) + "\n");
  std::vector<const ChangeColumn*> columns;
  std::string header;
  for (const ChangeColumn& column : kColumns) {
    if (width.value_or(SIZE_MAX) < column.narrowest) continue;
    columns.push_back(&column);
    header += fmt::format("{:>{}} ", column.name, column.width);
  }
  output->Append(header + " frame\n");
  const std::optional<size_t> frame_width = width ? std::optional(*width - header.size() - 1) : std::nullopt;
  size_t shown = 0;
  for (const FrameChange& change : diff.changes) {
    if (shown == limit) break;
    if (change.change == 0 && change.self_change == 0) continue;
    ++shown;
    std::string line;
    for (const ChangeColumn* column : columns)
      line +=
          fmt::format("{:>{}} ", column->needs_counts && !diff.counts_samples ? "unknown" : column->text(change, unit),
                      column->width);
    output->Append(line + " " + (frame_width ? ShortenStartToWidth(change.label, *frame_width) : change.label) + "\n");
  }
  if (shown == 0) output->Append("no frames changed\n");
}

void WriteDiffJson(const ProfileDiff& diff, std::string_view unit, bool normalized, OutputFile* output) {
  JsonWriter json;
  json.BeginObject().Member("unit", unit).Member("normalized", normalized);
  for (const auto& [key, weight] : {std::pair("before", &diff.before), std::pair("after", &diff.after)}) {
    json.Key(key).BeginObject().Member("total", weight->weight);
    json.MemberOrNull("count", diff.counts_samples, weight->count).EndObject();
  }
  json.Key("frames").BeginArray();
  for (const FrameChange& change : diff.changes) {
    json.BeginObject()
        .Member("name", change.label)
        .Member("before", change.weight.base_total.weight)
        .Member("after", change.weight.total.weight)
        .Member("selfBefore", change.weight.base_self.weight)
        .Member("selfAfter", change.weight.self.weight)
        .Member("changePercent", change.change * 100)
        .Member("selfChangePercent", change.self_change * 100)
        .MemberOrNull("confidence", diff.counts_samples, change.confidence)
        .EndObject();
  }
  output->Append(json.EndArray().EndObject().Take());
  output->Append('\n');
}

}  // namespace sparkprof
