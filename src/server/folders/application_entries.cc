// SPDX-License-Identifier: Apache-2.0
#include "server/folders/application_entries.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/text/json_parser.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "event_log/event_reader.h"
#include "http/signing.h"
#include "http/url.h"
#include "model/application.h"
#include "model/segment/block.h"
#include "recording/recordings.h"
#include "recording/source_grouping.h"
#include "server/folders/collector_files.h"

namespace sparkprof {
namespace {

constexpr size_t kClaimDigits = 24;
constexpr size_t kSuffixDigits = 8;

// Maximum number of distinct rejected access lists logged per application.
constexpr size_t kMaxRefused = 20;
constexpr size_t kMaxTextBytes = 2000;  // maximum size of a list in the audit log, bytes
// Maximum number of secrets that prove an entry's sources. Each new one writes all of them.
constexpr size_t kMaxClaims = 256;

bool HasName(std::string_view event, std::string_view name) {
  constexpr size_t kNameBytes = 80;
  return event.substr(0, kNameBytes).find(name) != std::string_view::npos;
}

bool IsStart(std::string_view event) { return HasName(event, "\"SparkListenerApplicationStart\""); }
bool IsEnvironment(std::string_view event) { return HasName(event, "\"SparkListenerEnvironmentUpdate\""); }

// Formats "owner alice; viewers user:alice, group:etl".
std::string DescribeAccessList(const ApplicationEntries::List& list) {
  std::string seen_by;
  for (const std::string_view name : Split(list.viewers, '\n')) {
    if (!name.empty()) seen_by += (seen_by.empty() ? "" : ", ") + std::string(name);
  }
  return Shorten(ToOneLine(fmt::format("owner {}; viewers {}", list.user.empty() ? "unknown" : list.user,
                                       seen_by.empty() ? "none" : seen_by)),
                 kMaxTextBytes);
}

// A tenant without members.
constexpr char kLostTenant[] = "?";

// Adds `user` and the tenant to the viewers.
std::string WithUser(const std::string& tenant, const std::string& user, const std::string& viewers) {
  const std::string others = WithoutTenant(viewers);
  Application owned;
  owned.user = user;
  std::set<std::string_view> names;
  const std::string owner = ViewersOf(owned);
  for (const std::string_view list : {std::string_view(owner), std::string_view(others)}) {
    for (const std::string_view name : Split(list, '\n')) {
      if (!name.empty()) names.insert(name);
    }
  }
  // Same order as ViewersOf: users first.
  std::string users, groups;
  for (const std::string_view name : names) (name.starts_with("user:") ? users : groups) += "\n" + std::string(name);
  const std::string text = users + groups;
  return InTenant(text.empty() ? text : text + "\n", tenant);
}

// Key of name_of_claim_. An ID never contains a line end.
std::string ClaimKey(const std::string& id, const std::string& claim) { return id + "\n" + claim; }

// The claim is the upload secret, else the token with the process. Only the token is proof of the latter.
std::string ClaimBySecret(const std::string& secret) { return Sha256Hex("secret\n" + secret).substr(0, kClaimDigits); }
std::string ClaimByToken(const std::string& token, const std::string& process_hash) {
  return Sha256Hex("token\n" + token + "\n" + process_hash).substr(0, kClaimDigits);
}

// File names are "HOST-PID-HASH.sprof" (RecordingStore).
std::string ProcessHashIn(std::string_view file_name) {
  constexpr std::string_view kEnding = ".sprof";
  if (!file_name.ends_with(kEnding)) return {};
  file_name.remove_suffix(kEnding.size());
  return std::string(file_name.substr(file_name.rfind('-') + 1));
}

std::string RemovedLine(const std::string& name) {
  JsonWriter json;
  json.BeginObject().Member("entry", name).Member("state", "removed").EndObject();
  return WithChecksum(json.Take()) + "\n";
}

std::string MovedLine(const std::string& from, const std::string& to, const std::string& process_hash) {
  JsonWriter json;
  json.BeginObject().Member("moved", from).Member("to", to).Member("process", process_hash).EndObject();
  return json.Take() + "\n";
}

// The entry's name without the suffix that distinguishes entries of one application.
std::string WithoutSuffix(const std::string& name) {
  const size_t tilde = name.rfind('~');
  const bool has_suffix = tilde != std::string::npos && name.size() == tilde + 1 + kSuffixDigits &&
                          name.find_first_not_of("0123456789abcdef", tilde + 1) == std::string::npos;
  return has_suffix ? name.substr(0, tilde) : name;
}

}  // namespace

Result<std::unique_ptr<ApplicationEntries>> ApplicationEntries::Open(const std::string& folder, AuditLog* audit,
                                                                     bool is_enforced, bool has_tenants) {
  std::unique_ptr<ApplicationEntries> entries(new ApplicationEntries(folder, audit, is_enforced, has_tenants));
  if (Result<void> read = entries->ReadLines(); !read) return tl::unexpected(read.error());
  entries->FindRecordings();
  return entries;
}

Result<void> ApplicationEntries::ReadLines() {
  if (!std::filesystem::exists(path_)) return {};
  has_lines_ = true;
  const Result<std::string> content = ReadFile(path_);
  if (!content) return tl::unexpected(content.error());
  const CheckedLines checked = ReadCheckedLines(*content);
  damaged_lines_ = checked.damaged;
  has_all_lines_ = !checked.is_old;
  std::error_code error;
  const bool has_recordings = !std::filesystem::is_empty(folder_ + "/recordings", error) && !error;
  if (content->empty() && has_recordings) damaged_lines_ = 1;
  simdjson::dom::parser parser;
  for (const std::string& line : checked.lines) {
    const simdjson::dom::object object = parser.parse(line).get_object();
    ReadLine(object, checked.is_old);
  }
  // Keeps the damaged file as evidence and writes its valid lines to a new one.
  if (damaged_lines_ > 0) {
    if (Result<void> kept = WriteFile(path_ + std::string(kDamagedEnding), *content); !kept) return kept;
  }
  if (!checked.is_old && damaged_lines_ == 0 && checked.lines.size() == entries_.size()) return {};
  std::string lines;
  for (const auto& [name, entry] : entries_) lines += LineOf(name, entry);
  return WriteFile(path_, lines);
}

void ApplicationEntries::ReadLine(const simdjson::dom::object& object, bool is_old) {
  const std::string name(is_old ? TextAt(object, "id") : TextAt(object, "entry"));
  const auto known = entries_.find(name);
  const std::string_view state = TextAt(object, "state");
  if (state == "removed") {
    if (known != entries_.end()) Erase(known);
    return;
  }
  Entry entry;
  if (known != entries_.end()) entry.refused = std::move(known->second.refused);
  entry.application = TextAt(object, "id");
  entry.list = {std::string(TextAt(object, "user")), std::string(TextAt(object, "viewers"))};
  entry.has_user = state == "settled" || state == "start";
  entry.has_environment = state == "settled" || state == "environment";
  entry.token = TextAt(object, "token");
  entry.process = TextAt(object, is_old ? "source" : "process");
  for (const std::string_view claim : Split(TextAt(object, "claims"), ' ')) {
    if (!claim.empty()) entry.claims.emplace(claim);
  }
  Insert(name, std::move(entry));
}

std::unique_ptr<ApplicationEntries> ApplicationEntries::OfStore(SharedLog* log, AuditLog* audit, bool is_enforced,
                                                                bool has_tenants) {
  std::unique_ptr<ApplicationEntries> entries(new ApplicationEntries("", audit, is_enforced, has_tenants));
  entries->log_ = log;
  entries->has_lines_ = true;
  return entries;
}

std::optional<ApplicationEntries::Moved> ApplicationEntries::Apply(std::string_view line) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(simdjson::padded_string(line)).get_object().get(object) != simdjson::SUCCESS) return std::nullopt;
  if (const std::string_view from = TextAt(object, "moved"); !from.empty()) {
    return Moved{std::string(from), std::string(TextAt(object, "to")), std::string(TextAt(object, "process"))};
  }
  if (TextAt(object, "entry").empty()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  ReadLine(object, /*is_old=*/false);
  return std::nullopt;
}

void ApplicationEntries::NoteApplied(uint64_t number) {
  const std::lock_guard lock(mutex_);
  applied_ = number;
}

void ApplicationEntries::NoteSource(const std::string& id, const std::string& process, const Sender& sender,
                                    const std::string& entry) {
  if (!sender.secret.empty()) return;
  const std::lock_guard lock(mutex_);
  // Recordings may have been moved into an entry with secrets, so they do not prove a sender without one.
  const auto known = entries_.find(entry);
  if (known == entries_.end() || !known->second.claims.empty()) return;
  name_of_claim_.try_emplace(ClaimKey(id, ClaimByToken(sender.token, ProcessHash(process))), entry);
}

void ApplicationEntries::FindRecordings() {
  namespace fs = std::filesystem;
  std::error_code error;
  std::string lines;
  const std::map<std::string, std::string> old_folders = OldFolders();
  for (const fs::directory_entry& folder : fs::directory_iterator(folder_ + "/recordings", error)) {
    const std::string file_name = folder.path().filename();
    if (WithoutSuffix(file_name) == kUnidentified) continue;
    auto known = name_of_folder_.find(file_name);
    if (const auto old = old_folders.find(file_name); known == name_of_folder_.end() && old != old_folders.end()) {
      known = name_of_folder_.emplace(file_name, old->second).first;
    }
    if (known == name_of_folder_.end()) {
      // The entry's line was damaged, or the folder was copied here or comes from an earlier version, whose
      // applications have no owner.
      std::string name = PercentDecode(file_name).value_or(file_name);
      Entry entry;
      entry.application = WithoutSuffix(name);
      if (damaged_lines_ > 0 || has_all_lines_ || file_name.find('+') != std::string::npos) {
        entry.list = ListInRecordings(folder.path(), &entry.application);
        if (FileNameFor(name) != file_name) name = NewName(entry.application, "folder " + file_name);
        // The recordings do not name a tenant.
        if (has_tenants_ && damaged_lines_ > 0) entry.list.viewers = InTenant(entry.list.viewers, kLostTenant);
      }
      entry.has_user = entry.has_environment = !entry.list.user.empty();
      lines += LineOf(name, entry);
      Insert(name, std::move(entry));
      if (FileNameFor(name) != file_name) found_folders_[file_name] = name;
      known = name_of_folder_.insert_or_assign(file_name, name).first;
    }
    const Entry& entry = entries_.at(known->second);
    if (!entry.claims.empty()) continue;
    for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
      const std::string claim = ClaimByToken(entry.token, ProcessHashIn(file.path().filename().native()));
      name_of_claim_.try_emplace(ClaimKey(entry.application, claim), known->second);
    }
  }
  if (!lines.empty()) (void)Append(lines, /*is_durable=*/false);
}

// The list that all sources with an owner agree on; without an owner if they disagree.
ApplicationEntries::List ApplicationEntries::ListInRecordings(const std::string& folder, std::string* id) const {
  const Result<std::vector<std::string>> paths = RecordingsBelow(folder);
  List list;
  bool is_contradicted = false;
  std::map<std::string, std::vector<std::string>> events;  // by process
  if (!paths) return list;
  for (const std::string& path : *paths) {
    const Result<MappedFile> file = MappedFile::Open(path);
    if (!file) continue;
    (void)ReadBlocks(file->Bytes(), path, [&](Segment&& segment) {
      if (!segment.source.application_id.empty()) *id = segment.source.application_id;
      for (std::string& event : segment.spark_events) {
        if (IsRelevant(event)) events[ProcessOf(segment.source)].push_back(std::move(event));
      }
    });
  }
  for (const auto& [process, of_process] : events) {
    const List one = ListIn(*id, of_process);
    if (one.user.empty()) continue;
    is_contradicted = is_contradicted || (!list.user.empty() && (list.user != one.user || list.viewers != one.viewers));
    list = one;
  }
  return is_contradicted ? List() : list;
}

std::string ApplicationEntries::LineOf(const std::string& name, const Entry& entry) {
  const std::string_view state = entry.has_user && entry.has_environment ? "settled"
                                 : entry.has_user                        ? "start"
                                 : entry.has_environment                 ? "environment"
                                                                         : "unknown";
  std::string claims;
  for (const std::string& claim : entry.claims) claims += (claims.empty() ? "" : " ") + claim;
  JsonWriter json;
  json.BeginObject().Member("entry", name).Member("id", entry.application).Member("state", state);
  json.Member("user", entry.list.user).Member("viewers", entry.list.viewers).Member("claims", claims);
  json.Member("token", entry.token).Member("process", entry.process).EndObject();
  return WithChecksum(json.Take()) + "\n";
}

bool ApplicationEntries::IsRelevant(std::string_view event) { return IsStart(event) || IsEnvironment(event); }

// Uses only the first start and environment events: a driver repeats the environment when it adds a JAR.
ApplicationEntries::Shown ApplicationEntries::ReadEvents(const std::string& id,
                                                         const std::vector<std::string>& events) {
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

ApplicationEntries::List ApplicationEntries::ListIn(const std::string& id, const std::vector<std::string>& events) {
  const Shown shown = ReadEvents(id, events);
  return shown.has_user ? List{shown.user, WithUser("", shown.user, shown.others)} : List();
}

bool ApplicationEntries::Agrees(const Entry& entry, const Shown& shown) {
  if (shown.has_user && entry.has_user && shown.user != entry.list.user) return false;
  if (!shown.has_environment || !entry.has_environment) return true;
  return WithUser(TenantOf(entry.list.viewers), entry.list.user, shown.others) == entry.list.viewers;
}

Result<void> ApplicationEntries::Append(const std::string& lines, bool is_durable) {
  const auto append = [&]() -> Result<void> {
    const FileDescriptor file(
        open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, SharedFileMode()));
    if (!file.IsOpen()) return tl::unexpected(SystemError(path_, "cannot open"));
    const off_t size = lseek(file.Get(), 0, SEEK_END);
    Result<void> written = WriteAll(file.Get(), lines, path_);
    if (written && is_durable && fdatasync(file.Get()) != 0) {
      written = tl::unexpected(SystemError(path_, "cannot sync"));
    }
    // Removes the partial line: it would corrupt the next one.
    if (!written && size >= 0) {
      [[maybe_unused]] const int cut_back = ftruncate(file.Get(), size);
    }
    return written;
  };
  Result<void> appended = append();
  problem_ = appended ? "" : appended.error().message;
  return appended;
}

// The access list that a source claims without effect, unless the audit log already has it.
std::string ApplicationEntries::RefusedList(const Entry& entry, const Source& source) const {
  const std::string described =
      DescribeAccessList({source.shown.user, WithUser(source.sender->tenant, source.shown.user, source.shown.others)});
  const bool is_logged = is_enforced_ && entry.refused.size() < kMaxRefused && !entry.refused.contains(described);
  return is_logged ? described : std::string();
}

void ApplicationEntries::Insert(const std::string& name, Entry entry) {
  names_[entry.application].insert(name);
  for (const std::string& claim : entry.claims) name_of_claim_[ClaimKey(entry.application, claim)] = name;
  if (!entry.is_watched) name_of_folder_[FileNameFor(name)] = name;
  entries_[name] = std::move(entry);
}

void ApplicationEntries::Erase(Entries::iterator entry) {
  const std::string& name = entry->first;
  if (const auto names = names_.find(entry->second.application); names != names_.end()) {
    names->second.erase(name);
    if (names->second.empty()) names_.erase(names);
  }
  const std::string first = ClaimKey(entry->second.application, "");
  for (auto claim = name_of_claim_.lower_bound(first);
       claim != name_of_claim_.end() && claim->first.starts_with(first);) {
    claim = claim->second == name ? name_of_claim_.erase(claim) : std::next(claim);
  }
  name_of_folder_.erase(FileNameFor(name));
  entries_.erase(entry);
}

std::string ApplicationEntries::NewName(const std::string& id, const std::string& claim, const List* restored) const {
  // Entries of watched files exist on one node only, so they must not take the name that all nodes give to the first
  // entry.
  const bool may_be_first = log_ == nullptr || restored == nullptr;
  if (may_be_first && !entries_.contains(id) && id != kUnidentified) return id;
  std::string name;
  const auto is_taken = [&] {
    const auto known = entries_.find(name);
    const bool is_same = known != entries_.end() && restored != nullptr && known->second.is_watched &&
                         known->second.list.user == restored->user;
    return known != entries_.end() && !is_same;
  };
  for (std::string text = claim; name.empty() || is_taken(); text += "'") {
    name = id + "~" + Sha256Hex(text).substr(0, kSuffixDigits);
  }
  return name;
}

std::vector<ApplicationEntries::Entries::const_iterator> ApplicationEntries::EntriesOf(
    const std::string& id, const std::string* tenant) const {
  std::vector<Entries::const_iterator> found;
  const auto names = names_.find(id);
  if (names == names_.end()) return found;
  for (const std::string& name : names->second) {
    const auto entry = entries_.find(name);
    if (tenant == nullptr || TenantOf(entry->second.list.viewers) == *tenant) found.push_back(entry);
  }
  return found;
}

ApplicationEntries::Entries::iterator ApplicationEntries::FindByClaim(const Source& source) {
  const auto known = name_of_claim_.find(ClaimKey(source.id, source.claim));
  return known == name_of_claim_.end() ? entries_.end() : entries_.find(known->second);
}

ApplicationEntries::Entries::iterator ApplicationEntries::FindByOwner(const std::string& tenant, const std::string& id,
                                                                      const std::string& user) {
  for (const auto entry : EntriesOf(id, &tenant)) {
    const bool is_owned = entry->second.has_user && entry->second.list.user == user && !entry->second.is_separate;
    if (is_owned) return entries_.find(entry->first);
  }
  return entries_.end();
}

// Finds the entry of a source whose claim is new and whose owner has no entry either.
ApplicationEntries::Entries::iterator ApplicationEntries::FindUnproved(const Source& source) {
  const std::vector<Entries::const_iterator> of_application = EntriesOf(source.id, &source.sender->tenant);
  const Shown& shown = source.shown;
  for (const auto entry : of_application) {
    const bool is_known = !entry->second.process.empty() && entry->second.process == source.process;
    const bool may_own = !shown.has_user || !entry->second.has_user || entry->second.list.user == shown.user;
    if (is_known && may_own) return entries_.find(entry->first);
  }
  const auto is_of_token = [&](Entries::const_iterator entry) {
    return !entry->second.is_watched && entry->second.token == source.sender->token;
  };
  for (const auto entry : of_application) {
    const bool has_proof = !source.sender->secret.empty() || !entry->second.claims.empty();
    const bool may_join = is_enforced_ ? !has_proof && !shown.has_user : true;
    if (may_join && !entry->second.has_user && is_of_token(entry)) return entries_.find(entry->first);
  }
  const bool is_only = of_application.size() == 1 && is_of_token(of_application.front());
  return is_only && !is_enforced_ && !shown.has_user ? entries_.find(of_application.front()->first) : entries_.end();
}

Result<void> ApplicationEntries::CheckUser(const std::string& id, const std::vector<std::string>& events,
                                           const Sender& sender) {
  if (sender.user.empty() || events.empty()) return {};
  const Shown shown = ReadEvents(id, events);
  if (!shown.has_user || shown.user == sender.user) return {};
  return Fail(fmt::format("the token may only send applications of user {}, not one of user {}", sender.user,
                          Shorten(ToOneLine(shown.user), kMaxTextBytes)));
}

Result<void> ApplicationEntries::CheckNames(const std::string& id, const std::string& process,
                                            const std::vector<std::string>& events) {
  constexpr size_t kMaxName = size_t{8} << 10, kMaxViewers = size_t{64} << 10;  // bytes
  const Shown shown = ReadEvents(id, events);
  const auto check = [](std::string_view what, size_t bytes, size_t most) -> Result<void> {
    return bytes <= most ? Result<void>()
                         : Fail(fmt::format("{}: has {} bytes, at most {} are kept", what, bytes, most));
  };
  Result<void> checked = check("the application's ID", id.size(), kMaxName);
  if (checked) checked = check("host and boot ID", process.size(), kMaxName);
  if (checked) checked = check("the application's user", shown.user.size(), kMaxName);
  if (checked) checked = check("the application's access lists", shown.others.size(), kMaxViewers);
  return checked;
}

Result<ApplicationEntries::Assigned> ApplicationEntries::Assign(const std::string& id, const std::string& process,
                                                                const std::vector<std::string>& events,
                                                                const Sender& sender) {
  Source source{id, process, "", &sender, ReadEvents(id, events)};
  source.claim =
      sender.secret.empty() ? ClaimByToken(sender.token, ProcessHash(process)) : ClaimBySecret(sender.secret);
  if (!sender.user.empty() && !source.shown.has_user) {
    source.shown.user = sender.user;
    source.shown.has_user = true;
  }
  while (true) {
    Result<std::optional<Assigned>> assigned = TryAssign(source);
    if (!assigned) return tl::unexpected(assigned.error());
    if (*assigned) return std::move(**assigned);
  }
}

Result<std::optional<ApplicationEntries::Assigned>> ApplicationEntries::TryAssign(Source source) {
  const std::string& id = source.id;
  const Sender& sender = *source.sender;
  const Shown& shown = source.shown;
  const bool is_proved = !sender.secret.empty();
  const uint64_t position = log_ == nullptr ? 0 : log_->Position();
  std::unique_lock lock(mutex_);
  auto found = FindByClaim(source);
  const auto is_of_other = [&] {
    return found != entries_.end() && shown.has_user && found->second.has_user && found->second.list.user != shown.user;
  };
  // Without a secret, a sender may name the process of another user's source.
  if (!is_proved && is_of_other()) {
    source.claim = Sha256Hex(source.claim + "\n" + shown.user).substr(0, kClaimDigits);
    found = FindByClaim(source);
  }
  Assigned assigned;
  if (shown.has_user && (found == entries_.end() || !found->second.has_user)) {
    const auto owned = FindByOwner(sender.tenant, id, shown.user);
    // Without a secret, an entry without an owner may contain sources of other users.
    const bool is_shared = !is_proved && is_enforced_;
    if (found != entries_.end() && (owned != entries_.end() || is_shared)) {
      assigned.left = found->first;
      assigned.leaves_all = !is_shared;
      found = owned;
    } else if (owned != entries_.end()) {
      found = owned;
    }
  }
  if (found == entries_.end() && assigned.left.empty()) found = FindUnproved(source);
  const bool is_new = found == entries_.end();
  Entry entry;
  entry.application = id;
  entry.token = sender.token;
  entry.list.viewers = InTenant("", sender.tenant);
  if (!is_new) entry = found->second;
  assigned.entry = is_new ? NewName(id, source.claim) : found->first;
  assigned.version = applied_;
  std::string refused, lines;
  if (!is_new && !Agrees(entry, shown)) refused = RefusedList(entry, source);
  if (!refused.empty()) {
    const std::string after = refused + "; from " + Shorten(ToOneLine(source.process), kMaxTextBytes);
    const std::string kept = DescribeAccessList(entry.list);
    if (log_ != nullptr) {
      lines =
          SharedAuditLine(AuditLog::LineOf(sender.peer, sender.role, "access refused", assigned.entry, kept, after));
    } else if (Result<void> added =
                   audit_->Add(sender.peer, sender.role, "access refused", assigned.entry, kept, after);
               !added) {
      return tl::unexpected(added.error());
    } else {
      entry.refused.insert(refused);
      found->second.refused = entry.refused;
    }
  }
  const std::string before = is_new ? "" : DescribeAccessList(entry.list);
  const bool adds_list = Agrees(entry, shown) &&
                         ((shown.has_user && !entry.has_user) || (shown.has_environment && !entry.has_environment));
  if (adds_list) {
    if (shown.has_user) entry.list.user = shown.user;
    entry.list.viewers =
        WithUser(sender.tenant, entry.list.user, shown.has_environment ? shown.others : entry.list.viewers);
    entry.has_user = entry.has_user || shown.has_user;
    entry.has_environment = entry.has_environment || shown.has_environment;
  }
  const bool adds_claim = is_proved && entry.claims.size() < kMaxClaims && entry.claims.insert(source.claim).second;
  // The entry now contains sent recordings, too.
  const bool was_watched = std::exchange(entry.is_watched, false);
  const bool is_changed = is_new || adds_list || adds_claim || was_watched;
  if (is_changed) {
    lines += LineOf(assigned.entry, entry);
    if (assigned.leaves_all) lines += RemovedLine(assigned.left);
  }
  if (log_ != nullptr && (!lines.empty() || !assigned.left.empty())) {
    if (!assigned.left.empty()) {
      lines += MovedLine(assigned.left, assigned.entry, assigned.leaves_all ? "" : ProcessHash(source.process));
    }
    if (is_enforced_ && adds_list) {
      lines += SharedAuditLine(
          AuditLog::LineOf(sender.peer, sender.role, "access", assigned.entry, before, DescribeAccessList(entry.list)));
    }
    // Apply changes the entries, and needs the mutex.
    lock.unlock();
    const Result<bool> appended = log_->Append(lines, position);
    if (!appended) return tl::unexpected(appended.error());
    if (!*appended) return std::nullopt;
    lock.lock();
    assigned.version = position + 1;
    if (!refused.empty()) entries_[assigned.entry].refused.insert(refused);
  } else if (is_changed) {
    const Change store = [&] { return Append(lines, /*is_durable=*/adds_list || adds_claim); };
    const Result<void> stored = is_enforced_ && adds_list
                                    ? audit_->Add(sender.peer, sender.role, "access", assigned.entry, before,
                                                  DescribeAccessList(entry.list), store)
                                    : store();
    if (!stored) return tl::unexpected(stored.error());
    if (assigned.leaves_all) Erase(entries_.find(assigned.left));
    Insert(assigned.entry, std::move(entry));
  }
  name_of_claim_[ClaimKey(id, source.claim)] = assigned.entry;
  return assigned;
}

ApplicationEntries::List ApplicationEntries::OnlyFor(const std::string& user) { return {user, WithUser("", user, "")}; }

std::string ApplicationEntries::AssignWatched(const WatchedFile& file) {
  const Sender folder;
  const std::lock_guard lock(mutex_);
  const Source source{file.id, "", file.claim, &folder, {}};
  const bool has_user = !file.list.user.empty();
  auto found = entries_.end();
  if (has_user && !file.is_separate) found = FindByOwner("", file.id, file.list.user);
  if (found == entries_.end()) {
    found = FindByClaim(source);
    // A file of this folder may have lacked an owner before. Entries of other owners are not joined.
    const bool may_join = found != entries_.end() && (!has_user || !found->second.has_user || file.is_separate);
    if (!may_join) found = entries_.end();
  }
  if (found == entries_.end()) {
    const std::string name = NewName(file.id, file.claim + "\n" + file.list.user, &file.list);
    Entry entry;
    entry.application = file.id;
    entry.is_watched = true;
    Insert(name, std::move(entry));
    found = entries_.find(name);
  }
  Entry& entry = found->second;
  if (has_user && entry.is_watched) {
    entry.list = file.list;
    entry.has_user = entry.has_environment = true;
    entry.is_by_file = file.is_by_file;
    entry.is_separate = file.is_separate;
  }
  name_of_claim_.try_emplace(ClaimKey(file.id, file.claim), found->first);
  return found->first;
}

void ApplicationEntries::Restore(const std::string& name, const List& list) {
  const std::lock_guard lock(mutex_);
  if (entries_.contains(name)) return;
  Entry entry;
  entry.application = WithoutSuffix(name);
  entry.list = list;
  entry.has_user = entry.has_environment = !list.user.empty();
  entry.is_watched = true;
  Insert(name, std::move(entry));
}

std::string ApplicationEntries::Resolve(const std::string& name, const std::optional<Viewer>& viewer) const {
  const std::lock_guard lock(mutex_);
  const std::string* const tenant = viewer ? &viewer->tenant : nullptr;
  const std::vector<Entries::const_iterator> of_application = EntriesOf(name, tenant);
  if (viewer && !viewer->user.empty()) {
    for (const auto entry : of_application) {
      if (entry->second.list.user == viewer->user) return entry->first;
    }
  }
  const auto in_tenant = [&](const std::string& entry) {
    const auto known = entries_.find(entry);
    const bool is_others =
        known != entries_.end() && tenant != nullptr && TenantOf(known->second.list.viewers) != *tenant;
    return is_others ? entries_.end() : known;
  };
  const auto exact = in_tenant(name);
  const auto may_view = [&](Entries::const_iterator entry) {
    return !viewer || MayView(entry->second.list.viewers, *viewer);
  };
  if (exact != entries_.end() && may_view(exact)) return name;
  for (const auto entry : of_application) {
    if (may_view(entry)) return entry->first;
  }
  if (name.ends_with('~')) {
    // The first entry, if the bare ID resolves to another one.
    const auto first = in_tenant(name.substr(0, name.size() - 1));
    if (first != entries_.end()) return first->first;
  }
  // Names of other tenants' entries contain a line end, so they never match.
  if (exact == entries_.end() && of_application.empty() && entries_.contains(name)) return name + "\n";
  if (exact != entries_.end() || of_application.empty()) return name;
  return of_application.front()->first;
}

std::string ApplicationEntries::NameFor(const std::string& name, const std::optional<Viewer>& viewer) const {
  const std::string id = ApplicationOf(name);
  if (Resolve(id, viewer) == name) return id;
  return name == id ? id + "~" : name;
}

std::string ApplicationEntries::ApplicationOf(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(name);
  return entry == entries_.end() ? WithoutSuffix(name) : entry->second.application;
}

std::string ApplicationEntries::TenantOfEntry(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(name);
  return entry == entries_.end() ? std::string() : TenantOf(entry->second.list.viewers);
}

bool ApplicationEntries::IsOfUser(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(name);
  return entry != entries_.end() && !entry->second.is_watched && !entry->second.list.user.empty();
}

bool ApplicationEntries::HasApplication(const std::string& tenant, const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return !EntriesOf(id, &tenant).empty();
}

ApplicationEntries::List ApplicationEntries::ListOf(const std::string& name, const List& found) const {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(name);
  // Recordings of unknown applications may belong to any tenant.
  if (entry == entries_.end() && has_tenants_ && WithoutSuffix(name) == kUnidentified) {
    return {found.user, InTenant(found.viewers, kLostTenant)};
  }
  const bool is_settled = entry != entries_.end() && (!entry->second.is_watched || entry->second.is_by_file);
  return is_settled ? entry->second.list : found;
}

void ApplicationEntries::SettleAll(const std::vector<std::pair<std::string, List>>& found) {
  const std::lock_guard lock(mutex_);
  if (has_lines_) return;
  std::string lines;
  for (const auto& [name, list] : found) {
    const auto known = entries_.find(name);
    if (list.viewers.empty() || (known != entries_.end() && known->second.has_user)) continue;
    Entry entry;
    if (known != entries_.end()) entry = known->second;
    entry.application = WithoutSuffix(name);
    entry.list = list;
    entry.has_user = entry.has_environment = true;
    lines += LineOf(name, entry);
    Insert(name, std::move(entry));
  }
  if (!lines.empty()) (void)Append(lines, /*is_durable=*/true);
}

std::string ApplicationEntries::EntryOfFolder(const std::string& file_name) const {
  const std::lock_guard lock(mutex_);
  const auto known = name_of_folder_.find(file_name);
  return known == name_of_folder_.end() ? PercentDecode(file_name).value_or(file_name) : known->second;
}

std::map<std::string, std::string> ApplicationEntries::OldFolders() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::string> folders = found_folders_;
  for (const auto& [name, entry] : entries_) {
    std::string old = entry.is_watched ? std::string() : OldFileNameFor(name);
    if (!old.empty() && old != FileNameFor(name)) folders.try_emplace(std::move(old), name);
  }
  return folders;
}

void ApplicationEntries::Forget(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto known = entries_.find(name);
  if (known == entries_.end()) return;
  const bool is_stored = !known->second.is_watched;
  // Only lines of the log remove entries of a store: this node may not have received the recordings.
  if (is_stored && log_ != nullptr) return;
  Erase(known);
  if (is_stored) (void)Append(RemovedLine(name), /*is_durable=*/false);
}

std::string ApplicationEntries::Problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

std::string ApplicationEntries::Damage() const {
  const std::string copy = path_ + std::string(kDamagedEnding);
  if (damaged_lines_ == 0) {
    if (!std::filesystem::exists(copy)) return {};
    return fmt::format("{}: an earlier start found damaged lines; compare it with {}, then remove it", copy, path_);
  }
  return fmt::format(
      "{}: {} damaged or missing lines: owners were taken from the recordings; where these prove none, only "
      "administrators see the application. {} is the damaged file",
      path_, damaged_lines_, copy);
}

}  // namespace sparkprof
