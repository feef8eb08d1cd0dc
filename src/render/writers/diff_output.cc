// SPDX-License-Identifier: Apache-2.0
#include "render/writers/diff_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_writer.h"
#include "render/writers/profile_text.h"

namespace sparkprof {
namespace {

std::string SignedPercent(double share) { return fmt::format("{:+.2f}%", share * 100); }

}  // namespace

void WriteDiffText(const ProfileDiff& diff, std::string_view unit, size_t limit, OutputFile* output) {
  output->Append(fmt::format("before {} in {} samples, after {} in {} samples\n\n",
                             FormatAmount(unit, diff.before.weight), WithCommas(diff.before.count),
                             FormatAmount(unit, diff.after.weight), WithCommas(diff.after.count)));
  output->Append(fmt::format("{:>12} {:>12} {:>11} {:>11} {:>10}  {}\n", "before", "after", "with calls", "own",
                             "confidence", "frame"));
  size_t shown = 0;
  for (const FrameChange& change : diff.changes) {
    if (shown == limit) break;
    if (change.change == 0 && change.self_change == 0) continue;
    ++shown;
    output->Append(fmt::format("{:>12} {:>12} {:>11} {:>11} {:>8.1f}%  {}\n",
                               FormatAmount(unit, change.weight.base_total.weight),
                               FormatAmount(unit, change.weight.total.weight), SignedPercent(change.change),
                               SignedPercent(change.self_change), change.confidence * 100, change.label));
  }
  if (shown == 0) output->Append("no frames changed\n");
}

void WriteDiffJson(const ProfileDiff& diff, std::string_view unit, bool normalized, OutputFile* output) {
  JsonWriter json;
  json.BeginObject().Member("unit", unit).Member("normalized", normalized);
  for (const auto& [key, weight] : {std::pair("before", &diff.before), std::pair("after", &diff.after)}) {
    json.Key(key).BeginObject().Member("total", weight->weight).Member("count", weight->count).EndObject();
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
        .Member("confidence", change.confidence)
        .EndObject();
  }
  output->Append(json.EndArray().EndObject().Take());
  output->Append('\n');
}

}  // namespace sparkprof
