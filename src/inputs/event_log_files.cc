// SPDX-License-Identifier: Apache-2.0
#include "inputs/event_log_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/text/characters.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kPieceBytes = size_t{64} << 10;
constexpr size_t kMaxStartBytes = size_t{32} << 20;

bool StripSuffix(std::string_view suffix, std::string_view* name) {
  if (!name->ends_with(suffix) || name->size() == suffix.size()) return false;
  name->remove_suffix(suffix.size());
  return true;
}

// Splits APPLICATION[_ATTEMPT]. YARN's application IDs also contain underscores.
void SplitAttempt(std::string_view text, EventLogFileName* name) {
  const std::vector<std::string_view> fields = Split(text, '_');
  const size_t own = fields[0] == "application" ? 3 : 1;
  if (fields.size() > own && IsDigits(fields.back())) {
    name->attempt = fields.back();
    text.remove_suffix(fields.back().size() + 1);
  }
  name->application_id = text;
}

// "events_2_app-1 (1).gz" -> "events_2_app-1.gz"
std::string WithoutCopyNumber(std::string_view name) {
  const size_t open = name.rfind(" (");
  const size_t close = open == std::string_view::npos ? open : name.find(')', open);
  if (close == std::string_view::npos || open == 0 || !IsDigits(name.substr(open + 2, close - open - 2)))
    return std::string(name);
  return std::string(name.substr(0, open)).append(name.substr(close + 1));
}

// eventlog-2021-06-15--15-00
bool IsDatedLog(std::string_view name) {
  constexpr std::string_view kPattern = "eventlog-0000-00-00--00-00";
  if (name.size() != kPattern.size()) return false;
  for (size_t i = 0; i < name.size(); ++i) {
    if (kPattern[i] == '0' ? !IsDigits(name.substr(i, 1)) : name[i] != kPattern[i]) return false;
  }
  return true;
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

// Drops the smaller file of the same part.
void DropCopies(std::vector<Member>* members, std::vector<std::string>* notes) {
  for (size_t i = 1; i < members->size();) {
    Member &a = (*members)[i - 1], &b = (*members)[i];
    if (std::tie(a.name.index, a.name.order, a.name.compact) != std::tie(b.name.index, b.name.order, b.name.compact)) {
      ++i;
      continue;
    }
    if (a.input.size < b.input.size) std::swap(a, b);
    notes->push_back(fmt::format("{}: the same part as {}", b.input.path, a.input.path));
    members->erase(members->begin() + static_cast<ptrdiff_t>(i));
  }
}

// "parts 2, 4 to 6 are missing", by the numbers of the files; empty if none is.
std::string GapOf(const std::vector<Member>& members) {
  std::vector<std::string> gaps;
  const Member& first = members.front();
  int64_t missing = 0, next = first.name.form == EventLogFileName::Form::kRolled ? 1 : 0;
  if (first.name.compact || first.input.begins_application) next = std::max(first.name.index, first.input.rollover);
  for (const Member& member : members) {
    const bool is_rolled = member.name.form == EventLogFileName::Form::kRolled;
    const int64_t number = is_rolled ? member.name.index : member.input.rollover;
    if (number < 0) return {};
    if (number > next) {
      gaps.push_back(number == next + 1 ? std::to_string(next) : fmt::format("{} to {}", next, number - 1));
      missing += number - next;
    }
    next = std::max(next, number + 1);
  }
  return gaps.empty() ? ""
                      : fmt::format("part{} {} {} missing", missing > 1 ? "s" : "", fmt::join(gaps, ", "),
                                    missing > 1 ? "are" : "is");
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

using GroupKey = std::tuple<std::string, std::string, std::string>;  // folder, application, attempt

// Joins the parts of an application that are in several folders, unless these have the same parts.
void JoinFolders(std::map<GroupKey, std::vector<Member>>* groups) {
  std::map<std::pair<std::string, std::string>, std::vector<Member>*> first;
  for (auto group = groups->begin(); group != groups->end();) {
    const auto& [folder, application, attempt] = group->first;
    std::vector<Member>& members = group->second;
    const auto [whole, is_new] = first.try_emplace({application, attempt}, &members);
    const auto has_part = [&](const Member& member) {
      return std::any_of(whole->second->begin(), whole->second->end(), [&](const Member& other) {
        return other.name.index == member.name.index || other.name.form != EventLogFileName::Form::kRolled;
      });
    };
    if (is_new || application.empty() || std::any_of(members.begin(), members.end(), has_part)) {
      ++group;
      continue;
    }
    std::move(members.begin(), members.end(), std::back_inserter(*whole->second));
    group = groups->erase(group);
  }
}

// Divides files of one name pattern, in order, by the applications that they start. A file that starts none belongs to
// the one before it.
std::vector<std::vector<Member>> DivideByApplication(std::vector<Member> members) {
  std::vector<std::vector<Member>> logs(1);
  std::optional<std::pair<std::string, std::string>> last;
  for (Member& member : members) {
    if (member.input.begins_application) {
      std::pair<std::string, std::string> started(member.input.application_id, member.input.attempt);
      if (last && *last != started) logs.emplace_back();
      last = std::move(started);
    }
    logs.back().push_back(std::move(member));
  }
  return logs;
}

}  // namespace

EventLogFileName ParseEventLogFileName(std::string_view as_stored) {
  const std::string whole = WithoutCopyNumber(as_stored);
  std::string_view file_name = whole;
  EventLogFileName name;
  name.in_progress = StripSuffix(".inprogress", &file_name);
  name.compact = StripSuffix(".compact", &file_name);
  for (const std::string_view codec : {".gz", ".zstd", ".zst", ".lz4", ".snappy", ".lzf"})
    StripSuffix(codec, &file_name);
  using Form = EventLogFileName::Form;
  constexpr std::string_view kOldPrefix = "EVENT_LOG_";
  if (file_name.starts_with("events_")) {
    const std::string_view rest = file_name.substr(7);
    const size_t end = rest.find('_');
    const std::optional<int64_t> index = ParseInteger(rest.substr(0, end));
    if (end != std::string_view::npos && end + 1 < rest.size() && index) {
      name.form = Form::kRolled;
      name.index = *index;
      SplitAttempt(rest.substr(end + 1), &name);
      return name;
    }
  }
  if (file_name.starts_with("appstatus_") || file_name.starts_with("SPARK_VERSION_") ||
      file_name.starts_with("COMPRESSION_CODEC_") || file_name == "APPLICATION_COMPLETE") {
    name.form = Form::kStatus;
  } else if (file_name == "eventlog" || IsDatedLog(file_name)) {
    name.form = Form::kDatabricks;
    // The file without a date is the current one and comes last.
    name.order = file_name == "eventlog" ? "~" : file_name;
  } else if (file_name.starts_with(kOldPrefix) && ParseInteger(file_name.substr(kOldPrefix.size()))) {
    name.form = Form::kOld;
    name.index = ParseInteger(file_name.substr(kOldPrefix.size())).value_or(0);
  } else {
    SplitAttempt(file_name, &name);
  }
  return name;
}

std::string TextAfter(std::string_view json, std::string_view key) {
  const size_t found = json.find(key);
  if (found == std::string_view::npos) return {};
  std::string_view value = json.substr(found + key.size());
  const size_t begin = value.find('"');
  if (begin == std::string_view::npos || value.find_first_not_of(": ") != begin) return {};
  value.remove_prefix(begin + 1);
  return std::string(value.substr(0, std::min(value.find('"'), value.size())));
}

bool IsApplicationInContent(std::string_view path) {
  using Form = EventLogFileName::Form;
  const Place place = Divide(path);
  const EventLogFileName name = ParseEventLogFileName(place.file);
  if (name.form != Form::kRolled) return name.form == Form::kDatabricks || name.form == Form::kOld;
  const std::string attempt = name.attempt.empty() ? "" : "_" + name.attempt;
  return Divide(place.folder).file != "eventlog_v2_" + name.application_id + attempt;
}

std::optional<int64_t> NumberAfter(std::string_view json, std::string_view key) {
  const size_t found = json.find(key);
  if (found == std::string_view::npos) return std::nullopt;
  json = json.substr(std::min(json.find_first_not_of(": ", found + key.size()), json.size()));
  return ParseInteger(json.substr(0, json.find_first_not_of("0123456789")));
}

ApplicationStart FindApplicationStart(std::string_view lines) {
  constexpr size_t kNameBytes = 80;  // {"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"
  using State = ApplicationStart::State;
  while (!lines.empty()) {
    const bool is_complete = lines.find('\n') != std::string_view::npos;
    const std::string_view line = TakeLine(&lines);
    const std::string_view begin = line.substr(0, kNameBytes);
    const auto is = [begin](std::string_view event) { return begin.find(event) != std::string_view::npos; };
    if (is("\"SparkListenerApplicationStart\"")) {
      // The incomplete rest may contain the ID.
      if (!is_complete && !line.ends_with('}')) return {};
      return {State::kBegins, TextAfter(line, "\"App ID\""), TextAfter(line, "\"App Attempt ID\"")};
    }
    if (is("\"SparkListenerJob") || is("\"SparkListenerStage") || is("\"SparkListenerTask")) {
      return {State::kContinues, {}, {}};
    }
  }
  return {};
}

ApplicationStart ReadApplicationStart(ByteSource* log) {
  std::string lines;
  for (size_t read = 0; read < kMaxStartBytes;) {
    std::optional<Error> error;
    const std::string more = ReadUpTo(log, kPieceBytes, &error);
    read += more.size();
    lines += more;
    ApplicationStart start = FindApplicationStart(lines);
    if (start.state != ApplicationStart::State::kUnknown || error || more.size() < kPieceBytes) return start;
    lines.erase(0, lines.rfind('\n') + 1);
  }
  return {};
}

void GroupEventLogs(std::vector<Input>* inputs, std::vector<std::string>* notes) {
  std::map<GroupKey, std::vector<Member>> groups;
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
    GroupKey key(place.folder, name.application_id, name.attempt);
    groups[std::move(key)].push_back({std::move(name), std::move(input)});
  }
  JoinFolders(&groups);
  std::set<std::string> names;
  for (auto& [key, members] : groups) {
    std::sort(members.begin(), members.end(), Before);
    for (std::vector<Member>& log : DivideByApplication(std::move(members))) {
      DropCopies(&log, notes);
      DropReplaced(&log, notes);
      if (log.empty()) continue;
      std::string gap = GapOf(log);
      Input whole = std::move(log.front().input);
      whole.gap = std::move(gap);
      const auto start =
          std::find_if(log.begin(), log.end(), [](const Member& member) { return member.input.begins_application; });
      if (!whole.begins_application) {
        const bool is_started = start != log.end();
        whole.application_id = is_started ? start->input.application_id : std::get<1>(key);
        whole.attempt = is_started ? start->input.attempt : std::get<2>(key);
        whole.begins_application = is_started;
      }
      for (auto member = log.begin() + 1; member != log.end(); ++member) {
        whole.size += member->input.size;
        whole.in_progress |= member->input.in_progress;
        for (InputPart& part : member->input.parts) whole.parts.push_back(std::move(part));
      }
      if (log.size() > 1) {
        // The first log gets the folder's name.
        if (std::string name = NameOfGroup(std::get<0>(key), whole); names.insert(name).second) whole.path = name;
      }
      others.push_back(std::move(whole));
    }
  }
  *inputs = std::move(others);
}

}  // namespace sparkprof
