// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/background_task.h"
#include "base/result.h"
#include "server/access/access.h"
#include "server/shared/shared_log.h"
#include "storage/storage.h"

namespace sparkprof {

// Creates the folders of a shared store. Call once at startup.
Result<void> MakeFoldersOfStore(Storage* storage);

// Blocks of one request for one entry (ApplicationEntries).
struct KeptBlocks {
  std::string entry;
  Sender sender = {};
  std::string blocks = {};
  uint64_t version = 0;  // ApplicationEntries::Assigned::version
};

// The content of an object: blocks of all applications that a node received within a moment, and an index.
struct BlockObject {
  int64_t time_ns = 0;  // time of arrival, by the node's clock
  std::vector<KeptBlocks> parts;
};
std::string EncodeBlockObject(const BlockObject& object);
// Fails if the index is damaged. Does not verify the checksums of blocks.
Result<BlockObject> DecodeBlockObject(std::string_view bytes);

inline constexpr uint64_t kMaxBlockObject = uint64_t{8} << 20;         // exceeded only by a single large request
inline constexpr uint64_t kMaxBlockObjectBytes = uint64_t{160} << 20;  // maximum accepted by readers

// A node's object of blocks: STORE/blocks/NODE/NUMBER. A node numbers its objects without gaps and creates each after
// the previous one exists, so readers request the next number instead of listing.
struct BlockObjectName {
  std::string node;
  uint64_t number = 0;

  std::string In(const std::string& root) const;
  auto operator<=>(const BlockObjectName&) const = default;  // NOLINT(modernize-use-nullptr)
};

// The complete content of many objects of one node: STORE/merged/NODE/FIRST-LAST. A starting node reads them with one
// request.
struct MergedName {
  std::string node;
  uint64_t first = 0, last = 0;

  std::string In(const std::string& root) const;
};
using NumberedObjects = std::vector<std::pair<uint64_t, std::string>>;  // by number
std::string EncodeMerged(const NumberedObjects& objects);
Result<NumberedObjects> DecodeMerged(std::string_view bytes);
inline constexpr uint64_t kMaxMerged = uint64_t{32} << 20;

// Writes the blocks that a node receives to the store. Requests that arrive before the next object share it.
class BlockObjectWriter {
 public:
  // Called on the writer's thread when the store has an object, before Write returns. `is_recovered`: it has blocks
  // that an earlier server acknowledged.
  using OnWritten = std::function<void(const BlockObjectName& name, const std::vector<KeptBlocks>& parts,
                                       uint64_t bytes, bool is_recovered)>;

  struct Options {
    std::string node;
    std::chrono::milliseconds interval{0};  // minimum time between two objects, unless they are full
    // Keeps requests until the store has them, one file each. Null = the store keeps them.
    Storage* local = nullptr;
  };

  BlockObjectWriter(Storage* storage, SharedLog* log, Options options, OnWritten on_written);
  ~BlockObjectWriter();
  BlockObjectWriter(const BlockObjectWriter&) = delete;
  BlockObjectWriter& operator=(const BlockObjectWriter&) = delete;

  // The blocks are durable: in the returned object, or without one in the local storage. After an error, they may still
  // become durable.
  Result<std::optional<BlockObjectName>> Write(std::vector<KeptBlocks> parts);
  // Writes the requests that an earlier server left in `local`.
  Result<void> Recover(Storage* local);

  const BackgroundTask& Task() const { return task_; }
  // The reason why objects cannot be written; empty if the last write succeeded.
  std::string Problem() const;
  uint64_t WaitingBytes() const;

  std::atomic<uint64_t> objects = 0, bytes = 0;

  // The nodes in a line appended by Announce; empty for any other line.
  static std::string AnnouncedIn(std::string_view line);

 private:
  struct Request {
    std::vector<KeptBlocks> parts;
    uint64_t bytes = 0;
    bool is_done = false;
    BlockObjectName name = {};
    Storage* storage = nullptr;  // keeps the request until the store has it; may be null
    std::string file = {};       // name in `storage`
    bool is_recovered = false;
  };

  void Run();
  std::vector<std::shared_ptr<Request>> Take();
  Result<void> KeepLocally(Request* request);
  void Finish(const std::vector<std::shared_ptr<Request>>& requests, const BlockObjectName& name);
  Result<void> Announce();
  bool Pause(std::chrono::milliseconds time);  // false = stopping

  Storage* const storage_;
  SharedLog* const log_;
  const Options options_;
  const OnWritten on_written_;
  BackgroundTask task_{"writes to the store"};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Request>> waiting_;
  uint64_t waiting_bytes_ = 0;
  uint64_t local_files_ = 0;
  bool is_writing_ = false, stop_ = false;
  std::string problem_;
  uint64_t written_ = 0;
  std::chrono::steady_clock::time_point last_begin_ = {};  // start of the last object
  std::chrono::steady_clock::time_point last_write_ = {};  // last write or announcement
  std::thread thread_;
};

}  // namespace sparkprof
