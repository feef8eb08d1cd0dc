// SPDX-License-Identifier: Apache-2.0
#include "model/log_records.h"

#include <algorithm>
#include <unordered_map>

#include "base/saturate.h"

namespace sparkprof {

std::string_view LogLevelName(LogLevel level) {
  constexpr std::array<std::string_view, kLogLevelCount> kNames = {"",     "TRACE", "DEBUG", "INFO",
                                                                   "WARN", "ERROR", "FATAL"};
  return kNames[static_cast<size_t>(level)];
}

namespace {

void AddTemplate(const LogTemplate& from, LogTemplate* to) {
  AddSaturated(from.count, &to->count);
  if (from.first_ns != 0 && (to->first_ns == 0 || from.first_ns < to->first_ns)) to->first_ns = from.first_ns;
  to->last_ns = std::max(to->last_ns, from.last_ns);
  for (size_t level = 0; level < kLogLevelCount; ++level) AddSaturated(from.levels[level], &to->levels[level]);
}

}  // namespace

void AppendLogs(const LogRecords& from, const std::vector<int32_t>& executors, LogRecords* to) {
  std::unordered_map<std::string, uint32_t> known;
  for (uint32_t row = 0; row < to->templates.size(); ++row) known.emplace(to->templates[row].text, row);
  std::vector<uint32_t> templates;  // rows in `to` by row in `from`
  for (const LogTemplate& added : from.templates) {
    const auto [place, is_new] = known.emplace(added.text, static_cast<uint32_t>(to->templates.size()));
    if (is_new) to->templates.emplace_back().text = added.text;
    AddTemplate(added, &to->templates[place->second]);
    templates.push_back(place->second);
  }
  std::vector<uint32_t> sources;
  for (const std::string& path : from.sources) {
    const auto found = std::find(to->sources.begin(), to->sources.end(), path);
    sources.push_back(static_cast<uint32_t>(found - to->sources.begin()));
    if (found == to->sources.end()) to->sources.push_back(path);
  }
  AddSaturated(from.dropped, &to->dropped);
  for (size_t row = 0; row < from.Size(); ++row) {
    const std::string_view text = from.Text(row);
    if (to->Size() >= LogRecords::kMaxRows || to->text.size() + text.size() > LogRecords::kMaxTextSize) {
      AddSaturated(1, &to->dropped);
      continue;
    }
    const int32_t executor = from.executor[row];
    to->time_ns.push_back(from.time_ns[row]);
    to->level.push_back(from.level[row]);
    to->executor.push_back(executor < 0 ? -1 : executors[static_cast<size_t>(executor)]);
    to->source.push_back(sources[from.source[row]]);
    to->line.push_back(from.line[row]);
    to->template_row.push_back(templates[from.template_row[row]]);
    to->text += text;
    to->text_end.push_back(to->text.size());
  }
}

}  // namespace sparkprof
