// SPDX-License-Identifier: Apache-2.0
#include "inputs/listed_event_logs.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/text/text.h"

namespace sparkprof {
namespace {

std::string_view FolderOfFile(std::string_view name) { return name.substr(0, std::min(name.rfind('/'), name.size())); }

}  // namespace

bool IsBesideEventLogs(std::string_view root, std::string_view name) {
  name.remove_prefix(std::min(root.size(), name.size()));
  if (name.find("/.") != std::string_view::npos || name.find("/_") != std::string_view::npos) return true;
  return LongestEnding(name, ".sprof .sprof.tmp .parquet .crc -checksum") > 0;
}

std::vector<Input> EventLogsAmong(std::string_view root, const std::vector<ListedFile>& files,
                                  const FindStartOfFile& find) {
  std::set<std::string_view> in_progress;  // folders, according to their status files
  std::vector<Input> inputs;
  for (const ListedFile& file : files) {
    if (IsBesideEventLogs(root, file.name)) continue;
    const EventLogFileName name = ParseEventLogFileName(file.name.substr(file.name.rfind('/') + 1));
    if (name.form == EventLogFileName::Form::kStatus && file.size == 0) {
      if (name.in_progress) in_progress.insert(FolderOfFile(file.name));
      continue;
    }
    Input& input = inputs.emplace_back();
    input.path = file.name;
    input.kind = InputKind::kEventLog;
    input.parts.push_back({input.path, nullptr});
    if (!IsApplicationInContent(file.name)) continue;
    ApplicationStart start = find(file.name);
    if (start.state != ApplicationStart::State::kBegins) continue;
    input.begins_application = true;
    input.application_id = std::move(start.id);
    input.attempt = std::move(start.attempt);
  }
  std::vector<std::string> notes;  // not reported: replaced files need no notice
  GroupEventLogs(&inputs, &notes);
  for (Input& input : inputs) input.in_progress |= in_progress.contains(FolderOfFile(input.parts.front().path));
  return inputs;
}

}  // namespace sparkprof
