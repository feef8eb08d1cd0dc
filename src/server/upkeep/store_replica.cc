// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep/store_replica.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/text/json_parser.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "http/signing.h"
#include "server/folders/collector_files.h"
#include "storage/storages.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr size_t kNodeDigits = 16;
constexpr uint64_t kMaxSmallObject = uint64_t{1} << 20;
constexpr std::chrono::milliseconds kLocalInterval{300}, kRemoteInterval{1'000};
constexpr std::chrono::milliseconds kLocalObjects{200}, kRemoteObjects{1'000};
constexpr std::chrono::milliseconds kStopPoll{50};
// A node that wrote nothing for a minute announces itself before it writes again (block_objects.cc).
constexpr std::chrono::seconds kNewsAge{180};  // nodes with older news are asked less often
constexpr std::chrono::seconds kRarely{60};
constexpr std::chrono::seconds kSilentAge{3600};  // nodes with older news are not asked until they announce themselves
constexpr std::chrono::seconds kGarbageAge{3600};
constexpr std::chrono::seconds kReadyAge{15};  // maximum age of the last successful read
constexpr std::chrono::seconds kMergeEvery{600};
constexpr size_t kMergedObjects = 1'000;
constexpr size_t kMaxDamage = 20;
constexpr int kProbes = 8;

Result<std::string> NewNode() {
  Result<std::string> secret = NewUploadSecret();
  if (secret) secret->resize(kNodeDigits);
  return secret;
}

// True for files shared by all nodes.
bool IsSharedPath(std::string_view path) {
  return path.starts_with("groups/") && path.find("..") == std::string_view::npos &&
         path.find('\0') == std::string_view::npos;
}

std::optional<BlockObjectName> ParseName(std::string_view name, const std::string& root) {
  const std::string prefix = root + "/blocks/";
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  std::string_view digits = name.substr(slash + 1);
  while (digits.size() > 1 && digits.starts_with('0')) digits.remove_prefix(1);
  const std::optional<int64_t> number = ParseInteger(digits);
  if (!number || *number < 1) return std::nullopt;
  return BlockObjectName{std::string(name.substr(0, slash)), static_cast<uint64_t>(*number)};
}

std::string DescriptionOf(const Storage& storage) { return storage.Root() + "/store.json"; }

}  // namespace

Result<void> FindStore(const std::string& location) {
  const Result<std::unique_ptr<Storage>> storage = OpenStorage(location);
  if (!storage) return tl::unexpected(storage.error());
  const Result<std::optional<std::string>> found = (*storage)->ReadIfExists(DescriptionOf(**storage), kMaxSmallObject);
  if (!found) return tl::unexpected(found.error());
  if (!*found) return Fail(location + ": not a store of `sparkprof serve --store`: it has no store.json");
  return {};
}

StoreReplica::StoreReplica(std::unique_ptr<Storage> storage, std::string location, std::string scratch,
                           std::string node, Log log)
    : storage_(std::make_unique<CountedStorage>(std::move(storage))),
      location_(std::move(location)),
      scratch_(std::move(scratch)),
      node_(std::move(node)),
      log_(std::move(log)),
      changes_(storage_.get(), node_) {
  changes_.SetListener([this](uint64_t number, std::string_view lines) { OnLines(number, lines); });
}

StoreReplica::~StoreReplica() {
  Stop();
  // Ends first: its thread passes changes to the other members.
  writer_.reset();
}

void StoreReplica::Stop() {
  stop_ = true;
  if (nodes_) nodes_->Stop();
  for (std::thread* thread : {&reading_, &upkeep_}) {
    if (thread->joinable()) thread->join();
  }
}

Result<std::unique_ptr<StoreReplica>> StoreReplica::Open(const std::string& location, const std::string& scratch,
                                                         Log log, bool ack_locally) {
  Result<std::unique_ptr<Storage>> storage = OpenStorage(location);
  if (!storage) return tl::unexpected(storage.error());
  if (Result<void> made = MakeFoldersOfStore(storage->get()); !made) return tl::unexpected(made.error());
  Result<std::string> node = NewNode();
  if (!node) return tl::unexpected(node.error());
  std::unique_ptr<StoreReplica> replica(
      new StoreReplica(std::move(*storage), location, scratch, std::move(*node), std::move(log)));
  if (Result<void> probed = replica->Probe(); !probed) return tl::unexpected(probed.error());
  if (Result<void> identified = replica->Identify(); !identified) return tl::unexpected(identified.error());
  if (Result<void> opened = replica->OpenNodes(); !opened) return tl::unexpected(opened.error());
  if (Result<void> opened = replica->OpenWriter(ack_locally); !opened) return tl::unexpected(opened.error());
  return replica;
}

// Checks that exactly one of several threads creates an object, and that nobody can replace it.
Result<void> StoreReplica::Probe() {
  const std::string name = fmt::format("{}/probe/{}", storage_->Root(), node_);
  std::atomic<int> winners = 0;
  std::mutex mutex;
  Result<void> probed;
  std::vector<std::thread> threads;
  for (int number = 0; number < kProbes; ++number) {
    threads.emplace_back([&, number] {
      const Result<bool> created = storage_->Create(name, fmt::format("probe {}", number));
      if (created && *created) ++winners;
      const std::lock_guard lock(mutex);
      if (!created && probed) probed = tl::unexpected(created.error());
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (!probed) return probed;
  const Result<bool> again = storage_->Create(name, "probe again");
  if (!again) return tl::unexpected(again.error());
  if (Result<void> removed = storage_->Remove(name); !removed) return removed;
  if (winners == 1 && !*again) return {};
  return Fail(
      fmt::format("{}: the store lets {} of {} requests create the same object{}: it must create objects only if they "
                  "do not exist (of S3: If-None-Match: *)",
                  location_, winners.load(), kProbes, *again ? " and replaces it" : ""));
}

// Creates the ID of a new store, and notes the store in the scratch folder.
Result<void> StoreReplica::Identify() {
  const std::string name = DescriptionOf(*storage_);
  Result<std::optional<std::string>> known = storage_->ReadIfExists(name, kMaxSmallObject);
  if (known && !*known) {
    JsonWriter json;
    json.BeginObject().Member("version", 1).Member("id", node_).EndObject();
    if (Result<bool> created = storage_->Create(name, json.Take() + "\n"); !created) {
      return tl::unexpected(created.error());
    }
    known = storage_->ReadIfExists(name, kMaxSmallObject);
  }
  if (!known) return tl::unexpected(known.error());
  JsonParser parser;
  simdjson::dom::object object;
  if (!*known || parser.Parse(**known).get_object().get(object) != simdjson::SUCCESS) {
    return Fail(name + ": is not the description of a store");
  }
  if (IntegerAt(object, "version", 0) != 1) {
    return Fail(name + ": the store is of a later version of sparkprof; use that version");
  }
  const std::string id(TextAt(object, "id"));
  const std::string own = scratch_ + "/store";
  if (!fs::exists(own)) {
    if (fs::exists(scratch_ + "/access.jsonl")) {
      return Fail(
          fmt::format("{}: is the data folder of a collector without a store; choose another --scratch, and "
                      "bring its recordings over with `sparkprof collector move`",
                      scratch_));
    }
    return sparkprof::WriteFile(own, id + "\n");
  }
  const Result<std::string> copied = ReadFile(own);
  if (!copied) return tl::unexpected(copied.error());
  if (Trim(*copied) == id) return {};
  return Fail(fmt::format("{}: is the copy of another store; remove it, or choose another --scratch", scratch_));
}

Result<void> StoreReplica::OpenNodes() {
  const std::string name = storage_->Root() + "/nodes.key";
  Result<std::optional<std::string>> key = storage_->ReadIfExists(name, kMaxSmallObject);
  if (key && !*key) {
    const Result<std::string> made = NewUploadSecret();
    if (!made) return tl::unexpected(made.error());
    if (Result<bool> created = storage_->Create(name, *made); !created) return tl::unexpected(created.error());
    key = storage_->ReadIfExists(name, kMaxSmallObject);
  }
  if (!key) return tl::unexpected(key.error());
  if (!*key || (*key)->empty()) return Fail(name + ": is empty; remove it");
  nodes_ = std::make_unique<LiveNodes>(&changes_, node_, **key);
  return {};
}

Result<void> StoreReplica::OpenWriter(bool ack_locally) {
  const std::string folder = scratch_ + "/unwritten";
  if (Result<void> made = CreateFolders(folder + "/tmp"); !made) return made;
  unwritten_ = OpenLocalStorage(folder, {});
  writer_ = std::make_unique<BlockObjectWriter>(
      storage_.get(), &changes_,
      BlockObjectWriter::Options{.node = node_,
                                 .interval = storage_->IsRemote() ? kRemoteObjects : kLocalObjects,
                                 .local = ack_locally ? unwritten_.get() : nullptr},
      [this](const BlockObjectName& name, const std::vector<KeptBlocks>& parts, uint64_t bytes, bool is_recovered) {
        const std::lock_guard lock(mutex_);
        NoteParts(name, parts, bytes);
        // The server that received them may have ended before it added them to the folder.
        if (is_recovered) missing_.insert(name);
      });
  return {};
}

Result<void> StoreReplica::Attach(ApplicationEntries* entries, AuditLog* audit) {
  entries_ = entries;
  audit_ = audit;
  // The changes contain all lines again.
  std::error_code missing;
  fs::remove(scratch_ + "/audit.jsonl", missing);
  audit->SetShare([this](const std::string& line) { return changes_.Append(SharedAuditLine(line)); });
  return changes_.Read();
}

void StoreReplica::OnLines(uint64_t number, std::string_view lines) {
  for (const std::string_view line : Split(lines, '\n')) {
    if (!line.empty()) OnLine(number, line);
  }
  entries_->NoteApplied(number);
}

void StoreReplica::OnLine(uint64_t number, std::string_view line) {
  if (const std::string audited = AuditLineIn(line); !audited.empty()) {
    if (Result<void> added = audit_->AddShared(audited); !added) log_(added.error().message);
    return;
  }
  if (const std::optional<ApplicationEntries::Moved> moved = entries_->Apply(line)) {
    const std::lock_guard lock(mutex_);
    moving_.push_back(*moved);
    moved_[moved->from].push_back({*moved, number});
    return;
  }
  if (const std::string writer = BlockObjectWriter::AnnouncedIn(line); !writer.empty()) {
    if (writer == node_) return;
    const std::lock_guard lock(mutex_);
    heads_[writer].news = Clock::now();
    return;
  }
  if (nodes_->Apply(line)) return;
  JsonParser parser;
  simdjson::dom::object object;
  if (parser.Parse(line).get_object().get(object) != simdjson::SUCCESS) return;
  if (BooleanAt(object, "retention")) OnRemoved(line);
  const std::string path(TextAt(object, "file"));
  if (!IsSharedPath(path)) return;
  const std::string target = scratch_ + "/" + path;
  Result<void> written = CreateFolders(fs::path(target).parent_path());
  if (written) written = sparkprof::WriteFile(target, TextAt(object, "content"));
  if (!written) log_(written.error().message);
}

void StoreReplica::OnRemoved(std::string_view line) {
  JsonParser parser;
  simdjson::dom::object object, nodes;
  if (parser.Parse(line).get_object().get(object) != simdjson::SUCCESS || !ObjectAt(object, "held", &nodes)) return;
  const std::string entry(TextAt(object, "entry"));
  const std::lock_guard lock(mutex_);
  for (const auto& [node, number] : nodes) {
    uint64_t& last = removed_[entry][std::string(node)];
    last = std::max(last, static_cast<uint64_t>(IntegerOf(number, 0)));
  }
  removing_.push_back(entry);
  FindGarbage();
}

// Follows the moves since the entry had this name. Requires mutex_.
std::string StoreReplica::CurrentEntry(const Named& named) const {
  auto [entry, version] = named;
  for (auto moves = moved_.find(entry); moves != moved_.end(); moves = moved_.find(entry)) {
    const auto next = std::find_if(
        moves->second.begin(), moves->second.end(),
        [&, version = version](const Move& move) { return move.number > version && move.moved.process_hash.empty(); });
    if (next == moves->second.end()) break;
    entry = next->moved.to;
    version = next->number;
  }
  return entry;
}

// Requires mutex_.
bool StoreReplica::IsRemoved(const Named& named, const BlockObjectName& name) const {
  const auto removed = removed_.find(CurrentEntry(named));
  if (removed == removed_.end()) return false;
  const auto last = removed->second.find(name.node);
  return last != removed->second.end() && name.number <= last->second;
}

// Requires mutex_.
void StoreReplica::NoteParts(const BlockObjectName& name, const std::vector<KeptBlocks>& parts, uint64_t bytes,
                             const std::string& merged) {
  Known& known = objects_[name];
  known.bytes = bytes;
  if (known.merged.empty() && !merged.empty()) {
    known.merged = merged;
    ++in_merged_[merged];
  }
  for (const KeptBlocks& part : parts) known.entries.emplace(part.entry, part.version);
}

// Requires mutex_.
void StoreReplica::DeleteLater(std::string name) { garbage_.emplace_back(Clock::now() + kGarbageAge, std::move(name)); }

// Requires mutex_.
void StoreReplica::FindGarbage() {
  for (auto object = objects_.begin(); object != objects_.end();) {
    const auto& [name, known] = *object;
    const bool is_garbage = std::all_of(known.entries.begin(), known.entries.end(),
                                        [&](const Named& named) { return IsRemoved(named, object->first); });
    if (!is_garbage) {
      ++object;
      continue;
    }
    if (known.merged.empty()) {
      DeleteLater(name.In(storage_->Root()));
    } else if (--in_merged_[known.merged] == 0) {
      DeleteLater(known.merged);
    }
    object = objects_.erase(object);
  }
}

Result<std::optional<BlockObjectName>> StoreReplica::Keep(std::vector<KeptBlocks> blocks) {
  Result<std::optional<BlockObjectName>> name = writer_->Write(std::move(blocks));
  if (!name) return Fail(fmt::format("{}: {}", location_, name.error().message));
  return name;
}

void StoreReplica::NoteMissing(const BlockObjectName& name) {
  const std::lock_guard lock(mutex_);
  missing_.insert(name);
}

Result<void> StoreReplica::Remove(const std::string& entry) {
  JsonWriter json;
  json.BeginObject().Member("entry", entry).Member("state", "removed").Member("retention", true);
  json.Key("held").BeginObject();
  {
    const std::lock_guard lock(mutex_);
    Held all;
    for (const auto& [name, known] : objects_) {
      const bool has_it = std::any_of(known.entries.begin(), known.entries.end(),
                                      [&](const Named& named) { return CurrentEntry(named) == entry; });
      if (has_it) all[name.node] = std::max(all[name.node], name.number);
    }
    for (const auto& [node, number] : all) json.Member(node, number);
  }
  return changes_.Append(json.EndObject().EndObject().Take() + "\n");
}

Result<void> StoreReplica::WriteFile(const std::string& path, const std::string& content) {
  JsonWriter json;
  json.BeginObject().Member("file", path).Member("content", content).EndObject();
  return changes_.Append(json.Take() + "\n");
}

Result<bool> StoreReplica::Claim(const std::string& what) {
  return storage_->Create(fmt::format("{}/notified/{}", storage_->Root(), FileNameFor(what)), node_);
}

Result<bool> StoreReplica::ReadObject(const BlockObjectName& name) {
  const Result<std::optional<std::string>> content =
      storage_->ReadIfExists(name.In(storage_->Root()), kMaxBlockObjectBytes);
  if (!content) return tl::unexpected(content.error());
  if (*content) return AddObject(name, **content).map([] { return true; });
  std::string merged;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = objects_.find(name); known != objects_.end()) merged = known->second.merged;
  }
  if (merged.empty()) return false;
  const Result<NumberedObjects> objects = ReadMerged(merged);
  if (!objects) return tl::unexpected(objects.error());
  for (const auto& [number, object] : *objects) {
    if (number == name.number) return AddObject(name, object, merged).map([] { return true; });
  }
  return false;
}

Result<NumberedObjects> StoreReplica::ReadMerged(const std::string& name) {
  const Result<std::optional<std::string>> content = storage_->ReadIfExists(name, kMaxMerged + kMaxBlockObjectBytes);
  if (!content) return tl::unexpected(content.error());
  if (!*content) return NumberedObjects();  // just deleted
  Result<NumberedObjects> objects = DecodeMerged(**content);
  return objects ? objects : Fail(fmt::format("{}: {}", name, objects.error().message));
}

Result<void> StoreReplica::AddObject(const BlockObjectName& name, std::string_view content, const std::string& merged) {
  const std::string place = name.In(storage_->Root());
  ++read_objects;
  read_bytes += content.size();
  // The entries of these blocks were appended before.
  if (Result<void> read = changes_.Read(); !read) return read;
  if (Result<void> settled = Settle(); !settled) return settled;
  const auto damaged = [&](const std::string& problem) {
    const std::lock_guard lock(mutex_);
    if (damage_.size() < kMaxDamage) damage_.push_back(fmt::format("{}: {}", place, problem));
  };
  const Result<BlockObject> object = DecodeBlockObject(content);
  if (!object) {
    damaged(object.error().message);
    return {};
  }
  for (const KeptBlocks& part : object->parts) {
    KeptBlocks current = part;
    std::vector<Move> moves;  // moves of single processes
    {
      const std::lock_guard lock(mutex_);
      const Named named{part.entry, part.version};
      if (IsRemoved(named, name)) continue;
      current.entry = CurrentEntry(named);
      if (const auto left = moved_.find(current.entry); left != moved_.end()) moves = left->second;
    }
    const AcceptedBlocks replayed = store_->Replay(current, object->time_ns);
    if (replayed.status == AcceptStatus::kUnavailable) return Fail(replayed.problem);
    if (replayed.status != AcceptStatus::kStored) damaged(replayed.problem);
    for (const Move& move : moves) {
      if (move.moved.process_hash.empty() || move.number <= part.version) continue;
      if (Result<void> moved = store_->MoveRecordings(move.moved); !moved) return moved;
    }
  }
  const std::lock_guard lock(mutex_);
  NoteParts(name, object->parts, content.size(), merged);
  return {};
}

Result<std::vector<std::string>> StoreReplica::ListByTime(const std::string& folder) {
  const Result<std::unique_ptr<Storage>> storage = OpenStorage(storage_->Root() + "/" + folder);
  if (!storage) return tl::unexpected(storage.error());
  ++storage_->lists;
  Result<StorageListing> listing = (*storage)->List();
  if (!listing) return tl::unexpected(listing.error());
  if (!listing->not_listed.empty()) {
    return Fail(fmt::format("{}: {}", listing->not_listed.front().name, listing->not_listed.front().reason));
  }
  std::sort(listing->files.begin(), listing->files.end(), [](const StoredFile& a, const StoredFile& b) {
    return std::tie(a.modified_ns, a.name) < std::tie(b.modified_ns, b.name);
  });
  std::vector<std::string> names;
  for (StoredFile& file : listing->files) names.push_back(std::move(file.name));
  return names;
}

Result<void> StoreReplica::LoadMerged(const std::string& name) {
  const std::string node = fs::path(name).parent_path().filename();
  const Result<NumberedObjects> objects = ReadMerged(name);
  if (!objects) return tl::unexpected(objects.error());
  for (const auto& [number, object] : *objects) {
    const BlockObjectName inner{node, number};
    {
      const std::lock_guard lock(mutex_);
      if (objects_.contains(inner)) continue;
    }
    if (Result<void> added = AddObject(inner, object, name); !added) return added;
    const std::lock_guard lock(mutex_);
    if (node != node_) heads_[node].next = std::max(heads_[node].next, number + 1);
  }
  return {};
}

void StoreReplica::SetStore(RecordingStore* store) {
  store_ = store;
  store->SetKeeper(this);
}

Result<void> StoreReplica::Load(const std::atomic<bool>& stop) {
  if (Result<void> read = changes_.Read(); !read) return read;
  // Objects that are merged meanwhile are in the first list.
  const Result<std::vector<std::string>> objects = ListByTime("blocks");
  if (!objects) return tl::unexpected(objects.error());
  const Result<std::vector<std::string>> merged = ListByTime("merged");
  if (!merged) return tl::unexpected(merged.error());
  for (const std::string& name : *merged) {
    if (stop || stop_) return {};
    if (Result<void> loaded = LoadMerged(name); !loaded) return loaded;
  }
  for (const std::string& place : *objects) {
    if (stop || stop_) return {};
    const std::optional<BlockObjectName> name = ParseName(place, storage_->Root());
    if (!name) continue;
    bool is_known = false;
    {
      const std::lock_guard lock(mutex_);
      const auto known = objects_.find(*name);
      is_known = name->node == node_ || known != objects_.end();
      // The node that merged it ended before deleting it.
      if (known != objects_.end() && !known->second.merged.empty()) DeleteLater(place);
    }
    if (!is_known) {
      if (const Result<bool> read = ReadObject(*name); !read) return tl::unexpected(read.error());
    }
    if (name->node == node_) continue;
    const std::lock_guard lock(mutex_);
    Head& head = heads_[name->node];
    head.next = std::max(head.next, name->number + 1);
  }
  const std::lock_guard lock(mutex_);
  FindGarbage();
  is_loaded_ = true;
  last_poll_ = Clock::now();
  problem_.clear();
  return {};
}

void StoreReplica::Start() {
  if (reading_.joinable()) return;
  if (Result<void> recovered = writer_->Recover(unwritten_.get()); !recovered) log_(recovered.error().message);
  reading_ = std::thread([this] { Run(); });
  upkeep_ = std::thread([this] { RunUpkeep(); });
}

void StoreReplica::RunUpkeep() {
  upkeep_task_.NameThread();
  while (Pause(kMergeEvery)) {
    upkeep_task_.Attempt([this] {
      Result<void> done = Merge();
      if (done) done = RemoveGarbage();
      if (!done) throw std::runtime_error(done.error().message);  // becomes the task's problem
    });
  }
}

// Returns false if stopping.
bool StoreReplica::Pause(std::chrono::milliseconds time) {
  for (auto waited = std::chrono::milliseconds(0); waited < time && !stop_; waited += kStopPoll) {
    std::this_thread::sleep_for(kStopPoll);
  }
  return !stop_;
}

void StoreReplica::Run() {
  task_.NameThread();
  const auto interval = storage_->IsRemote() ? kRemoteInterval : kLocalInterval;
  do {
    Result<void> polled = Fail("reading from the store failed");
    task_.Attempt([&] { polled = Poll(); });
    {
      const std::lock_guard lock(mutex_);
      problem_ = polled ? std::string() : fmt::format("{}: {}", location_, polled.error().message);
      if (polled) last_poll_ = Clock::now();
    }
  } while (Pause(interval));
}

Result<void> StoreReplica::Poll() {
  bool is_outdated = false;
  {
    const std::lock_guard lock(mutex_);
    // Objects that this node has not read may have been removed, so a node's next number may never appear.
    is_outdated = Clock::now() - last_poll_ > kGarbageAge / 2;
  }
  if (is_outdated) return Load(stop_);
  if (Result<void> read = changes_.Read(); !read) return read;
  if (Result<void> settled = Settle(); !settled) return settled;
  return ReadHeads();
}

// Objects of one node to merge: many, or all of an ended node. Requires mutex_.
std::vector<BlockObjectName> StoreReplica::NextRun() const {
  std::vector<BlockObjectName> run;
  uint64_t bytes = 0;
  const auto is_worth_it = [&] {
    if (run.size() < 2) return false;
    const auto head = heads_.find(run.front().node);
    const bool has_ended = head != heads_.end() && Clock::now() - head->second.news > kSilentAge;
    return run.size() >= kMergedObjects || bytes >= kMaxMerged / 2 || has_ended;
  };
  for (const auto& [name, known] : objects_) {
    const bool is_next = !run.empty() && run.back().node == name.node;
    const bool is_own_or_silent = [&, node = name.node] {
      if (node == node_) return true;
      const auto head = heads_.find(node);
      return head != heads_.end() && Clock::now() - head->second.news > kSilentAge;
    }();
    if (!is_next || run.size() >= kMergedObjects || bytes + known.bytes > kMaxMerged) {
      if (is_worth_it()) return run;
      run.clear();
      bytes = 0;
    }
    if (!known.merged.empty() || !is_own_or_silent) continue;
    run.push_back(name);
    bytes += known.bytes;
  }
  return is_worth_it() ? run : std::vector<BlockObjectName>();
}

Result<void> StoreReplica::Merge() {
  while (!stop_) {
    std::vector<BlockObjectName> run;
    {
      const std::lock_guard lock(mutex_);
      run = NextRun();
    }
    if (run.empty()) return {};
    if (Result<void> merged = MergeRun(run); !merged) return merged;
  }
  return {};
}

Result<void> StoreReplica::MergeRun(const std::vector<BlockObjectName>& run) {
  const std::string& root = storage_->Root();
  const std::string merged = MergedName{run.front().node, run.front().number, run.back().number}.In(root);
  NumberedObjects objects;
  for (const BlockObjectName& name : run) {
    Result<std::optional<std::string>> content = storage_->ReadIfExists(name.In(root), kMaxBlockObjectBytes);
    if (!content) return tl::unexpected(content.error());
    // Another node has merged and deleted it.
    if (*content) objects.emplace_back(name.number, std::move(**content));
  }
  const Result<bool> created = storage_->Create(merged, EncodeMerged(objects));
  if (!created) return tl::unexpected(created.error());
  const std::lock_guard lock(mutex_);
  for (const BlockObjectName& name : run) {
    const auto known = objects_.find(name);
    if (known == objects_.end()) continue;
    known->second.merged = merged;
    ++in_merged_[merged];
  }
  // If two nodes merge the same objects, the first one deletes them.
  if (!*created) return {};
  for (const auto& [number, object] : objects) DeleteLater(BlockObjectName{run.front().node, number}.In(root));
  return {};
}

Result<void> StoreReplica::Settle() {
  const std::lock_guard settling(settling_);
  std::vector<ApplicationEntries::Moved> moving;
  std::vector<std::string> removing;
  {
    const std::lock_guard lock(mutex_);
    moving = std::exchange(moving_, {});
    removing = std::exchange(removing_, {});
  }
  Result<void> applied;
  for (const ApplicationEntries::Moved& moved : moving) {
    if (applied) applied = store_->MoveRecordings(moved);
    if (applied) continue;
    const std::lock_guard lock(mutex_);
    moving_.push_back(moved);
  }
  for (const std::string& entry : removing) {
    const bool is_there = fs::exists(store_->FolderOf(entry));
    if (applied && is_there) applied = store_->Remove(entry);
    const std::lock_guard lock(mutex_);
    if (!applied) removing_.push_back(entry);
    if (!applied || !is_there) continue;
    // Blocks after the removal belong to a new entry of the same name.
    for (const auto& [name, known] : objects_) {
      const bool has_more = std::any_of(
          known.entries.begin(), known.entries.end(),
          [&, &name = name](const Named& named) { return CurrentEntry(named) == entry && !IsRemoved(named, name); });
      if (has_more) missing_.insert(name);
    }
  }
  return applied;
}

Result<void> StoreReplica::ReadHeads() {
  std::vector<BlockObjectName> wanted;
  {
    const std::lock_guard lock(mutex_);
    const Clock::time_point now = Clock::now();
    wanted.assign(missing_.begin(), missing_.end());
    for (auto& [node, head] : heads_) {
      const auto age = now - head.news;
      if (age > kSilentAge || (age > kNewsAge && now - head.asked < kRarely)) continue;
      head.asked = now;
      wanted.push_back({node, head.next});
    }
  }
  Result<void> all;
  for (BlockObjectName name : wanted) {
    while (!stop_) {
      const Result<bool> read = ReadObject(name);
      const std::lock_guard lock(mutex_);
      if (!read) all = tl::unexpected(read.error());
      const bool is_missing = missing_.contains(name);
      if (read && is_missing) missing_.erase(name);
      if (is_missing) break;
      Head& head = heads_[name.node];
      // Time counts as silence only while the store responds.
      if (!read || *read) head.news = Clock::now();
      if (!read || !*read) break;
      head.next = ++name.number;
    }
  }
  return all;
}

Result<void> StoreReplica::RemoveGarbage() {
  while (!stop_) {
    std::string name;
    {
      const std::lock_guard lock(mutex_);
      if (garbage_.empty() || garbage_.front().first > Clock::now()) return {};
      name = garbage_.front().second;
    }
    if (Result<void> removed = storage_->Remove(name); !removed) return removed;
    const std::lock_guard lock(mutex_);
    garbage_.pop_front();
  }
  return {};
}

std::string StoreReplica::Problem() const {
  if (std::string problem = writer_->Problem(); !problem.empty()) return problem;
  const std::lock_guard lock(mutex_);
  if (!problem_.empty()) return problem_;
  if (is_loaded_ && Clock::now() - last_poll_ > kReadyAge) return location_ + ": the store does not answer";
  return {};
}

std::vector<std::string> StoreReplica::Damage() const {
  const std::lock_guard lock(mutex_);
  return damage_;
}

}  // namespace sparkprof
