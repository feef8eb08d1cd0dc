// SPDX-License-Identifier: Apache-2.0
#include "server/access/access_lists.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/json_value.h"
#include "base/json_writer.h"
#include "base/private_file.h"
#include "base/text.h"
#include "event_log/event_reader.h"
#include "model/application.h"
#include "model/viewers.h"

namespace sparkprof {
namespace {

// Different lists that are refused of one application; more are not logged.
constexpr size_t kMaxRefused = 20;
constexpr size_t kMaxTextBytes = 2000;  // of a list in the audit log

bool HasName(std::string_view event, std::string_view name) {
  constexpr size_t kNameBytes = 80;
  return event.substr(0, kNameBytes).find(name) != std::string_view::npos;
}

bool IsStart(std::string_view event) { return HasName(event, "\"SparkListenerApplicationStart\""); }
bool IsEnvironment(std::string_view event) { return HasName(event, "\"SparkListenerEnvironmentUpdate\""); }

// "owner alice; viewers user:alice, group:etl"
std::string DescribeAccessList(const AccessLists::List& list) {
  std::string seen_by;
  for (const std::string_view name : Split(list.viewers, '\n')) {
    if (!name.empty()) seen_by += (seen_by.empty() ? "" : ", ") + std::string(name);
  }
  return Shorten(ToOneLine(fmt::format("owner {}; viewers {}", list.user.empty() ? "unknown" : list.user,
                                       seen_by.empty() ? "none" : seen_by)),
                 kMaxTextBytes);
}

// The viewers with a user among them.
std::string WithUser(const std::string& user, const std::string& others) {
  Application owned;
  owned.user = user;
  std::set<std::string_view> names;
  const std::string owner = ViewersOf(owned);
  for (const std::string_view viewers : {std::string_view(owner), std::string_view(others)}) {
    for (const std::string_view name : Split(viewers, '\n')) {
      if (!name.empty()) names.insert(name);
    }
  }
  // The order of ViewersOf: users first.
  std::string users, groups;
  for (const std::string_view name : names) (name.starts_with("user:") ? users : groups) += "\n" + std::string(name);
  const std::string text = users + groups;
  return text.empty() ? text : text + "\n";
}

}  // namespace

Result<std::unique_ptr<AccessLists>> AccessLists::Open(const std::string& folder, AuditLog* audit, bool is_enforced) {
  std::unique_ptr<AccessLists> lists(new AccessLists(folder, audit, is_enforced));
  if (Result<void> restored = lists->Restore(); !restored) return tl::unexpected(restored.error());
  return lists;
}

Result<void> AccessLists::Restore() {
  if (!std::filesystem::exists(path_)) return {};
  const Result<std::string> content = ReadFile(path_);
  if (!content) return tl::unexpected(content.error());
  simdjson::dom::parser parser;
  size_t lines = 0;
  for (const std::string_view line : Split(*content, '\n')) {
    simdjson::dom::object object;
    // The last line may be incomplete: nothing was acknowledged then.
    if (parser.parse(simdjson::padded_string(line)).get_object().get(object) != simdjson::SUCCESS) continue;
    ++lines;
    const std::string id(TextAt(object, "id"));
    const std::string_view state = TextAt(object, "state");
    if (state == "removed") {
      entries_.erase(id);
      continue;
    }
    entries_[id] = {std::string(TextAt(object, "source")),
                    {std::string(TextAt(object, "user")), std::string(TextAt(object, "viewers"))},
                    state != "environment",
                    state != "start",
                    {}};
  }
  const bool has_whole_lines = content->empty() || content->ends_with('\n');
  if (lines == entries_.size() && has_whole_lines) return {};
  std::string kept;
  for (const auto& [id, entry] : entries_) kept += LineOf(id, entry);
  return WriteFile(path_, kept);
}

std::string AccessLists::LineOf(const std::string& id, const Entry& entry) {
  const std::string_view state = entry.has_user && entry.has_environment ? "settled"
                                 : entry.has_user                        ? "start"
                                                                         : "environment";
  JsonWriter json;
  json.BeginObject().Member("id", id).Member("state", state).Member("source", entry.source);
  json.Member("user", entry.list.user).Member("viewers", entry.list.viewers).EndObject();
  return json.Take() + "\n";
}

bool AccessLists::IsRelevant(std::string_view event) { return IsStart(event) || IsEnvironment(event); }

// The first start and the first environment count: a driver repeats the environment when it adds a JAR.
AccessLists::Shown AccessLists::ReadEvents(const std::string& id, const std::vector<std::string>& events) {
  Shown shown;
  for (const std::string& event : events) {
    const bool is_start = !shown.has_user && IsStart(event);
    const bool is_environment = !shown.has_environment && IsEnvironment(event);
    if (!is_start && !is_environment) continue;
    Application read;
    EventReader(&read).Add(event);
    if (is_start && (read.id.empty() || read.id == id)) {
      shown.user = read.user;
      shown.has_user = true;
    }
    if (is_environment) {
      shown.others = ViewersOf(read);
      shown.has_environment = true;
    }
  }
  return shown;
}

bool AccessLists::Agrees(const Entry& entry, const Shown& shown) {
  if (shown.has_user && entry.has_user && shown.user != entry.list.user) return false;
  if (!shown.has_environment || !entry.has_environment) return true;
  return WithUser(entry.list.user, shown.others) == entry.list.viewers;
}

Result<void> AccessLists::Append(const std::string& lines, bool is_durable) {
  const auto append = [&]() -> Result<void> {
    const FileDescriptor file(
        open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, SharedFileMode()));
    if (!file.IsOpen()) return tl::unexpected(SystemError(path_, "cannot open"));
    const off_t size = lseek(file.Get(), 0, SEEK_END);
    Result<void> written = WriteAll(file.Get(), lines, path_);
    if (written && is_durable && fdatasync(file.Get()) != 0) {
      written = tl::unexpected(SystemError(path_, "cannot sync"));
    }
    // A part of a line would damage the next one.
    if (!written && size >= 0) {
      [[maybe_unused]] const int cut_back = ftruncate(file.Get(), size);
    }
    return written;
  };
  Result<void> appended = append();
  problem_ = appended ? "" : appended.error().message;
  return appended;
}

Result<void> AccessLists::Refuse(const std::string& id, Entry* entry, const std::string& source, const List& refused,
                                 const Sender& sender) {
  const std::string described = DescribeAccessList(refused);
  if (!is_enforced_ || entry->refused.size() >= kMaxRefused || !entry->refused.insert(described).second) return {};
  return audit_->Add(sender.peer, sender.role, "access refused", id, DescribeAccessList(entry->list),
                     described + "; from " + Shorten(ToOneLine(source), kMaxTextBytes));
}

Result<void> AccessLists::AddEvents(const std::string& id, const std::string& source,
                                    const std::vector<std::string>& events, const Sender& sender) {
  const Shown shown = ReadEvents(id, events);
  if (!shown.has_user && !shown.has_environment) return {};
  const std::lock_guard lock(mutex_);
  const auto known = entries_.find(id);
  Entry entry = known == entries_.end() ? Entry{source, {}, false, false, {}} : known->second;
  const bool adds = (shown.has_user && !entry.has_user) || (shown.has_environment && !entry.has_environment);
  const bool agrees = Agrees(entry, shown);
  if (agrees && !adds) return {};
  if (!agrees || source != entry.source) {
    return Refuse(id, &known->second, source, {shown.user, WithUser(shown.user, shown.others)}, sender);
  }
  const std::string before = known == entries_.end() ? "" : DescribeAccessList(entry.list);
  if (shown.has_user) entry.list.user = shown.user;
  entry.list.viewers = WithUser(entry.list.user, shown.has_environment ? shown.others : entry.list.viewers);
  entry.has_user = entry.has_user || shown.has_user;
  entry.has_environment = entry.has_environment || shown.has_environment;
  const Change store = [&] { return Append(LineOf(id, entry), /*is_durable=*/true); };
  const Result<void> stored =
      is_enforced_ ? audit_->Add(sender.peer, sender.role, "access", id, before, DescribeAccessList(entry.list), store)
                   : store();
  if (!stored) return stored;
  entries_[id] = std::move(entry);
  return {};
}

AccessLists::List AccessLists::Settle(const std::string& id, const std::string& source, List found) {
  const std::lock_guard lock(mutex_);
  if (const auto known = entries_.find(id); known != entries_.end()) {
    Entry& entry = known->second;
    const bool is_same = found.viewers == entry.list.viewers && found.user == entry.list.user;
    if (!is_same && !found.viewers.empty() && entry.has_user && entry.has_environment) {
      (void)Refuse(id, &entry, source, found, {});
    }
    return entry.list;
  }
  if (found.viewers.empty()) return found;
  const Entry entry{source, found, true, true, {}};
  // If it cannot be stored, the problem is reported, and the next start settles it anew.
  (void)Append(LineOf(id, entry), /*is_durable=*/false);
  entries_[id] = entry;
  return found;
}

void AccessLists::SettleAll(const std::vector<std::pair<std::string, List>>& found, const std::string& source) {
  const std::lock_guard lock(mutex_);
  std::string lines;
  for (const auto& [id, list] : found) {
    if (list.viewers.empty() || entries_.contains(id)) continue;
    const Entry& entry = entries_[id] = {source, list, true, true, {}};
    lines += LineOf(id, entry);
  }
  if (!lines.empty()) (void)Append(lines, /*is_durable=*/true);
}

void AccessLists::Forget(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (entries_.erase(id) == 0) return;
  JsonWriter json;
  json.BeginObject().Member("id", id).Member("state", "removed").EndObject();
  (void)Append(json.Take() + "\n", /*is_durable=*/false);
}

std::string AccessLists::Problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

}  // namespace sparkprof
