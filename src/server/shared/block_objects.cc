// SPDX-License-Identifier: Apache-2.0
#include "server/shared/block_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/json_parser.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr std::string_view kMagic = "sparkprof blocks 1\n";
constexpr std::chrono::seconds kLongestWait{15};  // maximum wait of a request for its object
constexpr std::chrono::milliseconds kRetryPause{500};
constexpr std::chrono::seconds kLastWrites{3};  // at the end, for what is only in the local storage
// A node that wrote nothing for this long announces itself before it writes again. Readers request its next object for
// three times as long (store_replica.cc).
constexpr std::chrono::seconds kAnnounceAfter{60};
constexpr uint64_t kMaxWaitingBytes = uint64_t{128} << 20;

}  // namespace

Result<void> MakeFoldersOfStore(Storage* storage) {
  std::vector<std::string> names;
  for (const char* const name : {"tmp", "probe", "changes", "bundles", "blocks", "merged", "notified"}) {
    names.push_back(storage->Root() + "/" + name);
  }
  return storage->MakeFolders(names);
}

std::string EncodeBlockObject(const BlockObject& object) {
  JsonWriter json;
  json.BeginObject().Member("timeNs", object.time_ns).Key("parts").BeginArray();
  for (const KeptBlocks& part : object.parts) {
    json.BeginObject().Member("entry", part.entry).Member("size", part.blocks.size());
    json.Member("version", part.version);
    json.Member("peer", part.sender.peer).Member("role", part.sender.role).Member("token", part.sender.token);
    json.Member("user", part.sender.user).Member("secret", part.sender.secret);
    json.Member("tenant", part.sender.tenant).EndObject();
  }
  std::string bytes = std::string(kMagic) + json.EndArray().EndObject().Take() + "\n";
  for (const KeptBlocks& part : object.parts) bytes += part.blocks;
  return bytes;
}

Result<BlockObject> DecodeBlockObject(std::string_view bytes) {
  const size_t end = bytes.find('\n', kMagic.size());
  if (!bytes.starts_with(kMagic) || end == std::string_view::npos) return Fail("is not an object of blocks");
  JsonParser parser;
  simdjson::dom::object index;
  simdjson::dom::array parts;
  const std::string_view text = bytes.substr(kMagic.size(), end - kMagic.size());
  if (parser.Parse(text).get_object().get(index) != simdjson::SUCCESS || !ArrayAt(index, "parts", &parts)) {
    return Fail("damaged index");
  }
  BlockObject object{.time_ns = IntegerAt(index, "timeNs", 0), .parts = {}};
  std::string_view rest = bytes.substr(end + 1);
  for (const simdjson::dom::element& element : parts) {
    simdjson::dom::object part;
    if (element.get_object().get(part) != simdjson::SUCCESS) return Fail("damaged index");
    const int64_t size = IntegerAt(part, "size", -1);
    if (size < 0 || static_cast<uint64_t>(size) > rest.size()) return Fail("truncated");
    const auto text_at = [&](std::string_view key) { return std::string(TextAt(part, key)); };
    object.parts.push_back({text_at("entry"),
                            {.peer = text_at("peer"),
                             .role = text_at("role"),
                             .token = text_at("token"),
                             .user = text_at("user"),
                             .secret = text_at("secret"),
                             .tenant = text_at("tenant")},
                            std::string(rest.substr(0, static_cast<size_t>(size))),
                            static_cast<uint64_t>(IntegerAt(part, "version", 0))});
    rest.remove_prefix(static_cast<size_t>(size));
  }
  return object;
}

std::string BlockObjectName::In(const std::string& root) const {
  return fmt::format("{}/blocks/{}/{:012}", root, node, number);
}

std::string MergedName::In(const std::string& root) const {
  return fmt::format("{}/merged/{}/{:012}-{:012}", root, node, first, last);
}

std::string EncodeMerged(const NumberedObjects& objects) {
  std::string bytes;
  for (const auto& [number, object] : objects) bytes += fmt::format("{} {}\n{}", number, object.size(), object);
  return bytes;
}

Result<NumberedObjects> DecodeMerged(std::string_view bytes) {
  NumberedObjects objects;
  while (!bytes.empty()) {
    const std::string_view head = bytes.substr(0, bytes.find('\n'));
    const std::optional<int64_t> number = ParseInteger(head.substr(0, head.find(' ')));
    const std::optional<int64_t> size = ParseInteger(head.substr(head.find(' ') + 1));
    if (!number || !size || *number < 1 || *size < 0 || head.size() >= bytes.size() ||
        static_cast<uint64_t>(*size) > bytes.size() - head.size() - 1) {
      return Fail("is not a merged object");
    }
    objects.emplace_back(*number, bytes.substr(head.size() + 1, static_cast<size_t>(*size)));
    bytes.remove_prefix(head.size() + 1 + static_cast<size_t>(*size));
  }
  return objects;
}

BlockObjectWriter::BlockObjectWriter(Storage* storage, SharedLog* log, Options options, OnWritten on_written)
    : storage_(storage), log_(log), options_(std::move(options)), on_written_(std::move(on_written)), thread_([this] {
        Run();
      }) {}

BlockObjectWriter::~BlockObjectWriter() {
  {
    std::unique_lock lock(mutex_);
    if (options_.local != nullptr) {
      changed_.wait_for(lock, kLastWrites, [this] { return waiting_.empty() && !is_writing_; });
    }
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Result<void> BlockObjectWriter::KeepLocally(Request* request) {
  request->storage = options_.local;
  {
    const std::lock_guard lock(mutex_);
    // Names of an earlier server begin with its own node.
    request->file = fmt::format("{}/{}-{:012}", options_.local->Root(), options_.node, ++local_files_);
  }
  const std::string content = EncodeBlockObject({.time_ns = EpochNanos(), .parts = request->parts});
  return options_.local->Create(request->file, content).map([](bool) {});
}

Result<void> BlockObjectWriter::Recover(Storage* local) {
  const Result<StorageListing> listing = local->List();
  if (!listing) return tl::unexpected(listing.error());
  Result<void> recovered;
  for (const StoredFile& file : listing->files) {
    if (file.name.starts_with(local->Root() + "/tmp/") || file.name.starts_with(local->Root() + "/" + options_.node)) {
      continue;
    }
    const Result<std::string> content = local->Read(file.name, 0, static_cast<size_t>(file.size));
    Result<BlockObject> object = content ? DecodeBlockObject(*content) : tl::unexpected(content.error());
    if (!object) {
      recovered = Fail(fmt::format("{}: {}", file.name, object.error().message));
      continue;
    }
    const auto request = std::make_shared<Request>(Request{.parts = std::move(object->parts),
                                                           .bytes = content->size(),
                                                           .storage = local,
                                                           .file = file.name,
                                                           .is_recovered = true});
    const std::lock_guard lock(mutex_);
    waiting_bytes_ += request->bytes;
    waiting_.push_back(request);
    changed_.notify_all();
  }
  return recovered;
}

Result<std::optional<BlockObjectName>> BlockObjectWriter::Write(std::vector<KeptBlocks> parts) {
  const auto request = std::make_shared<Request>();
  for (const KeptBlocks& part : parts) request->bytes += part.blocks.size();
  request->parts = std::move(parts);
  const auto has_room = [&] { return waiting_bytes_ + request->bytes <= kMaxWaitingBytes; };
  std::unique_lock lock(mutex_);
  if (has_room() && options_.local != nullptr) {
    lock.unlock();
    if (Result<void> kept = KeepLocally(request.get()); !kept) return tl::unexpected(kept.error());
    lock.lock();
  } else if (!has_room()) {
    return Fail(problem_.empty() ? "the store is too slow for what clients send" : problem_);
  }
  waiting_bytes_ += request->bytes;
  waiting_.push_back(request);
  changed_.notify_all();
  if (options_.local != nullptr) return std::nullopt;
  changed_.wait_for(lock, kLongestWait, [&] { return request->is_done || stop_; });
  if (request->is_done) return std::optional(request->name);
  return Fail(!problem_.empty() ? problem_ : stop_ ? "the server is stopping" : "the store does not answer in time");
}

bool BlockObjectWriter::Pause(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [&] { return stop_; });
}

uint64_t BlockObjectWriter::WaitingBytes() const {
  const std::lock_guard lock(mutex_);
  return waiting_bytes_;
}

std::string BlockObjectWriter::Problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

std::vector<std::shared_ptr<BlockObjectWriter::Request>> BlockObjectWriter::Take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stop_ || !waiting_.empty(); });
  changed_.wait_until(lock, last_begin_ + options_.interval,
                      [&] { return stop_ || waiting_bytes_ >= kMaxBlockObject; });
  last_begin_ = std::chrono::steady_clock::now();
  std::vector<std::shared_ptr<Request>> taken;
  uint64_t size = 0;
  while (!stop_ && !waiting_.empty() && (taken.empty() || size + waiting_.front()->bytes <= kMaxBlockObject)) {
    size += waiting_.front()->bytes;
    taken.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  waiting_bytes_ -= size;
  is_writing_ = !taken.empty();
  return taken;
}

Result<void> BlockObjectWriter::Announce() {
  const auto now = std::chrono::steady_clock::now();
  if (last_write_.time_since_epoch().count() != 0 && now - last_write_ < kAnnounceAfter) return {};
  JsonWriter json;
  json.BeginObject().Member("writer", options_.node).EndObject();
  Result<void> announced = log_->Append(json.Take() + "\n");
  if (announced) last_write_ = now;
  return announced;
}

std::string BlockObjectWriter::AnnouncedIn(std::string_view line) {
  JsonParser parser;
  simdjson::dom::object object;
  if (parser.Parse(line).get_object().get(object) != simdjson::SUCCESS) return {};
  return std::string(TextAt(object, "writer"));
}

void BlockObjectWriter::Run() {
  task_.NameThread();
  while (true) {
    const std::vector<std::shared_ptr<Request>> requests = Take();
    if (requests.empty()) return;  // stopping
    BlockObject object{.time_ns = EpochNanos(), .parts = {}};
    for (const auto& request : requests) {
      for (KeptBlocks& part : request->parts) object.parts.push_back(std::move(part));
    }
    const std::string content = EncodeBlockObject(object);
    const BlockObjectName name{options_.node, written_ + 1};
    auto begin = std::chrono::steady_clock::now();
    // Repeats the same object until the store has it, because readers stop at a gap in the numbers.
    while (true) {
      Result<bool> created = Fail("writing to the store failed");
      task_.Attempt([&] {
        begin = std::chrono::steady_clock::now();
        Result<void> announced = Announce();
        created = announced ? storage_->Create(name.In(storage_->Root()), content) : tl::unexpected(announced.error());
      });
      const bool is_written = created && *created;
      {
        const std::lock_guard lock(mutex_);
        problem_ = is_written ? ""
                   : created  ? name.In(storage_->Root()) + ": another node wrote this object"
                              : created.error().message;
      }
      if (is_written) break;
      if (!Pause(kRetryPause)) return;
    }
    last_write_ = begin;
    ++written_;
    ++objects;
    bytes += content.size();
    const bool is_recovered =
        std::any_of(requests.begin(), requests.end(), [](const auto& request) { return request->is_recovered; });
    on_written_(name, object.parts, content.size(), is_recovered);
    Finish(requests, name);
  }
}

void BlockObjectWriter::Finish(const std::vector<std::shared_ptr<Request>>& requests, const BlockObjectName& name) {
  for (const auto& request : requests) {
    // A file that stays is written once more by the next server, which is harmless.
    if (request->storage != nullptr) (void)request->storage->Remove(request->file);
  }
  const std::lock_guard lock(mutex_);
  for (const auto& request : requests) {
    request->is_done = true;
    request->name = name;
  }
  is_writing_ = false;
  changed_.notify_all();
}

}  // namespace sparkprof
