// SPDX-License-Identifier: Apache-2.0
#include "inputs/event_log_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/characters.h"
#include "base/text.h"

namespace sparkprof {
namespace {

bool StripSuffix(std::string_view suffix, std::string_view* name) {
  if (!name->ends_with(suffix) || name->size() == suffix.size()) return false;
  name->remove_suffix(suffix.size());
  return true;
}

// APPLICATION[_ATTEMPT]; YARN's application ids have underscores of their own.
void SplitAttempt(std::string_view text, EventLogFileName* name) {
  const std::vector<std::string_view> fields = Split(text, '_');
  const size_t own = fields[0] == "application" ? 3 : 1;
  if (fields.size() > own && IsDigits(fields.back())) {
    name->attempt = fields.back();
    text.remove_suffix(fields.back().size() + 1);
  }
  name->application_id = text;
}

struct Place {
  std::string_view folder;
  std::string_view file;
};

Place Divide(std::string_view path) {
  const size_t slash = path.find_last_of("/!");
  if (slash == std::string_view::npos) return {{}, path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

struct Member {
  EventLogFileName name;
  Input input;
};

bool Before(const Member& a, const Member& b) {
  return std::tie(a.name.index, a.name.order, a.input.path) < std::tie(b.name.index, b.name.order, b.input.path);
}

// Drops files replaced by a compacted file, and incomplete compacted files.
void DropReplaced(std::vector<Member>* members, std::vector<std::string>* notes) {
  std::optional<int64_t> compact;
  for (const Member& member : *members) {
    if (member.name.compact && !member.name.in_progress) compact = std::max(compact.value_or(0), member.name.index);
  }
  const auto is_replaced = [&](const Member& member) {
    if (member.name.compact && member.name.in_progress) {
      notes->push_back(member.input.path + ": incomplete compacted file; reading its original files instead");
      return true;
    }
    if (!compact || member.name.index > *compact || (member.name.index == *compact && member.name.compact))
      return false;
    notes->push_back(member.input.path + ": replaced by the compacted file " + std::to_string(*compact));
    return true;
  };
  members->erase(std::remove_if(members->begin(), members->end(), is_replaced), members->end());
}

// A folder of its own, or one of several logs in a folder.
std::string NameOfGroup(const std::string& folder, const Input& first) {
  const Place place = Divide(first.path);
  const EventLogFileName name = ParseEventLogFileName(place.file);
  const bool is_own = name.form != EventLogFileName::Form::kRolled || Divide(folder).file.starts_with("eventlog_v2_");
  if (is_own && !folder.empty()) return folder;
  const std::string pattern = "events_*_" + name.application_id + (name.attempt.empty() ? "" : "_" + name.attempt);
  return std::string(first.path.substr(0, first.path.size() - place.file.size())) + pattern;
}

}  // namespace

EventLogFileName ParseEventLogFileName(std::string_view file_name) {
  EventLogFileName name;
  name.in_progress = StripSuffix(".inprogress", &file_name);
  name.compact = StripSuffix(".compact", &file_name);
  for (const std::string_view codec : {".gz", ".zstd", ".zst", ".lz4", ".snappy", ".lzf"})
    StripSuffix(codec, &file_name);
  using Form = EventLogFileName::Form;
  if (file_name.starts_with("events_")) {
    const std::string_view rest = file_name.substr(7);
    const size_t end = rest.find('_');
    const std::optional<int64_t> index = ParseInteger(rest.substr(0, end));
    if (end != std::string_view::npos && index) {
      name.form = Form::kRolled;
      name.index = *index;
      SplitAttempt(rest.substr(end + 1), &name);
      return name;
    }
  }
  if (file_name.starts_with("appstatus_") || file_name.starts_with("SPARK_VERSION_") ||
      file_name.starts_with("COMPRESSION_CODEC_") || file_name == "APPLICATION_COMPLETE") {
    name.form = Form::kStatus;
  } else if (file_name == "eventlog" || file_name.starts_with("eventlog-")) {
    name.form = Form::kDatabricks;
    // The file without a date is the current one: it comes last.
    name.order = file_name == "eventlog" ? "~" : file_name;
  } else if (file_name.starts_with("EVENT_LOG_")) {
    name.form = Form::kOld;
    name.index = ParseInteger(file_name.substr(10)).value_or(0);
  } else {
    SplitAttempt(file_name, &name);
  }
  return name;
}

void GroupEventLogs(std::vector<Input>* inputs, std::vector<std::string>* notes) {
  using Key = std::tuple<std::string, std::string, std::string>;  // folder, application, attempt
  std::map<Key, std::vector<Member>> groups;
  std::vector<Input> others;
  for (Input& input : *inputs) {
    if (input.kind != InputKind::kEventLog) {
      others.push_back(std::move(input));
      continue;
    }
    const Place place = Divide(input.path);
    EventLogFileName name = ParseEventLogFileName(place.file);
    input.in_progress |= name.in_progress;
    if (name.form == EventLogFileName::Form::kSingle) {
      others.push_back(std::move(input));
      continue;
    }
    Key key(place.folder, name.application_id, name.attempt);
    groups[std::move(key)].push_back({std::move(name), std::move(input)});
  }
  for (auto& [key, members] : groups) {
    std::sort(members.begin(), members.end(), Before);
    DropReplaced(&members, notes);
    if (members.empty()) continue;
    Input whole = std::move(members.front().input);
    for (auto member = members.begin() + 1; member != members.end(); ++member) {
      whole.size += member->input.size;
      whole.in_progress |= member->input.in_progress;
      for (InputPart& part : member->input.parts) whole.parts.push_back(std::move(part));
    }
    if (members.size() > 1) whole.path = NameOfGroup(std::get<0>(key), whole);
    whole.application_id = std::get<1>(key);
    whole.attempt = std::get<2>(key);
    others.push_back(std::move(whole));
  }
  *inputs = std::move(others);
}

}  // namespace sparkprof
