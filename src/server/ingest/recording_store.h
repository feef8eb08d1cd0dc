// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/io/file.h"
#include "base/result.h"
#include "recording/source_grouping.h"
#include "server/folders/application_entries.h"
#include "server/shared/block_objects.h"

namespace sparkprof {

class TenantQuotas;

enum class AcceptStatus : uint8_t {
  kStored,       // durably stored
  kForbidden,    // not permitted by the token; nothing was stored
  kDamaged,      // nothing was stored; a retry does not help
  kTooLarge,     // nothing was stored: expands to more than kRequestMemory; a retry does not help
  kOverQuota,    // the tenant's quota is used up; nothing was stored
  kUnavailable,  // the disk is full or fails; a retry stores only the missing blocks
};

struct AcceptedBlocks {
  AcceptStatus status = AcceptStatus::kStored;
  std::string problem;  // a sentence; empty if stored
  uint64_t blocks = 0;
  uint64_t duplicates = 0;  // blocks that were stored before
  uint64_t renumbered = 0;  // blocks whose number was taken by a different block; both are stored
  uint64_t samples = 0;
  std::vector<std::string> applications;  // application IDs
};

// Result of Rewrite; all 0 if there was nothing to do.
struct RewrittenRecording {
  size_t files = 0;  // number of files that were joined
  uint64_t bytes_before = 0, bytes_after = 0;
  std::vector<std::string> damaged;  // damaged files, which stay unchanged
  bool is_running = false;           // the application has not ended; nothing was changed
};

// Makes blocks durable for a RecordingStore whose folder is a copy that may be lost.
class BlockKeeper {
 public:
  virtual ~BlockKeeper() = default;
  // The blocks are durable on return: in the returned object, or in one without a name yet. Thread-safe.
  virtual Result<std::optional<BlockObjectName>> Keep(std::vector<KeptBlocks> blocks) = 0;
  // Moves recordings as decided by other nodes.
  virtual Result<void> Settle() = 0;
  // Blocks of a kept object could not be added to the folder; add them later with Replay.
  virtual void NoteMissing(const BlockObjectName& name) = 0;
};

// The recordings that were sent to the server: FOLDER/recordings/ENTRY/HOST-PID-HASH.sprof, one append-only file per
// JVM, and files with rewritten recordings (kRewrittenFiles). Blocks of sources without a known application wait in the
// folder "unidentified", or in one named after their upload secret. Each block is stored once, however often it is
// sent. Thread-safe.
class RecordingStore {
 public:
  // Called after files have changed, with the entry (ApplicationEntries) of each path.
  using OnChange = std::function<void(const std::map<std::string, std::string>& entries)>;

  // Creates the folder. Fails if another process has locked it. `entries` must outlive the store; null = the entry of a
  // block is the application that it names.
  static Result<std::unique_ptr<RecordingStore>> Open(const std::string& folder, OnChange on_change,
                                                      ApplicationEntries* entries = nullptr);

  // Acknowledges blocks once `keeper` has them. Call before the first Accept.
  void SetKeeper(BlockKeeper* keeper) { keeper_ = keeper; }
  // Sets the quotas of tenants. Call before the first Accept.
  void SetQuotas(TenantQuotas* quotas) { quotas_ = quotas; }

  // Stores all blocks of `body`, or none if one of them is damaged.
  AcceptedBlocks Accept(std::string_view body, const Sender& sender = {});
  // Adds blocks that are in a keeper. `time_ns`: time of their arrival.
  AcceptedBlocks Replay(const KeptBlocks& kept, int64_t time_ns);
  // Moves recordings to another entry: those of one process, or all without a hash.
  Result<void> MoveRecordings(const ApplicationEntries::Moved& moved);

  // Truncates an incomplete last block after a crash.
  void Repair(const std::string& path);

  // Joins the files in an entry's folder into one with larger blocks, with samples in time buckets of `bucket_ns` (one
  // of kRewrittenFiles). Crash-safe: nothing is lost or duplicated. `entry` is the folder's entry, for OnChange.
  Result<RewrittenRecording> Rewrite(const std::string& folder, const std::string& entry, int64_t bucket_ns);
  Result<void> Remove(const std::string& entry);

  std::string FolderOf(const std::string& entry) const;
  // FOLDER/recordings
  const std::string& Folder() const { return recordings_; }
  // Why blocks cannot be stored; empty if the folder exists and the last writes succeeded.
  std::string Problem() const;

 private:
  // One file. The keys of its segments identify duplicate blocks.
  struct SourceFile {
    std::mutex mutex;
    std::string path;
    bool is_read = false;
    bool is_durable = false;  // whether all of `size` is durable; a killed process may have written data that is not
    uint64_t size = 0;        // size of the complete blocks
    KnownSegments known;
    uint64_t last_use = 0;
  };

  struct Block {
    std::string bytes;
    SegmentNumber number;
    KnownSegments::Answer answer = KnownSegments::Answer::kNew;
  };

  struct Batch {
    std::string entry;
    std::vector<Block> blocks;
    int64_t time_ns = 0;  // arrival time of the blocks; 0 = now
  };

  struct ReceivedBlock {
    std::string process;
    Source source;
    Block block;
    std::vector<std::string> events;  // events for ApplicationEntries::Assign
  };

  struct Kept {
    const std::string& entry;
    int64_t time_ns;
  };

  struct LockedFile {
    std::shared_ptr<SourceFile> file;
    std::unique_lock<std::mutex> lock;
  };

  RecordingStore(const std::string& folder, OnChange on_change, ApplicationEntries* entries)
      : folder_(folder), recordings_(folder + "/recordings"), on_change_(std::move(on_change)), entries_(entries) {}

  // A block's source as named by the block.
  struct NamedSource {
    std::string application;  // empty = unknown
    std::string process;
    std::vector<std::string> events;  // events for ApplicationEntries::Assign
  };
  // Finds the entries of blocks. They cannot change while `lock` (on `moving_`) is held, as on return.
  Result<std::vector<ApplicationEntries::Assigned>> AssignAll(const std::vector<NamedSource>& sources,
                                                              const Sender& sender,
                                                              std::shared_lock<std::shared_mutex>* lock);
  // Moves recordings to another entry: those of one process, or all without a hash.
  Result<void> Move(const std::string& from, const std::string& to, const std::string& process_hash);

  // `kept`: null = new blocks.
  AcceptedBlocks Store(std::string_view body, const Sender& sender, const Kept* kept);
  // Makes blocks that the folder lacks durable; nullopt if it has all of them, or their object has no name yet.
  Result<std::optional<BlockObjectName>> Keep(const std::vector<ReceivedBlock>& received,
                                              const std::vector<ApplicationEntries::Assigned>& assigned,
                                              const Sender& sender);
  // Reads the keys of a file again if it has changed.
  Result<void> Refresh(SourceFile* file);

  // Fails if the locked folder was removed: another server may use a new one.
  Result<void> RenameOldFolders() const;
  Result<void> CheckFolder() const;

  // The application of a process that a secret proves; empty if unknown.
  std::string ApplicationOf(const std::string& secret, const std::string& process) const;
  void NoteApplication(const std::string& secret, const std::string& process, const std::string& application);
  std::shared_ptr<SourceFile> FileAt(const std::string& path);
  Result<void> Append(SourceFile* file, Batch* batch);
  static Result<void> ReadKeys(const std::string& path, SourceFile* file, uint64_t* size);
  Result<void> ReadRewrittenKeys(const std::string& folder, SourceFile* file);
  std::vector<LockedFile> Lock(const std::vector<std::string>& paths);
  void SetProblem(const std::string& problem);

  std::string folder_;
  std::string recordings_;
  OnChange on_change_;
  ApplicationEntries* const entries_;
  BlockKeeper* keeper_ = nullptr;
  TenantQuotas* quotas_ = nullptr;
  FileDescriptor lock_;
  std::shared_mutex moving_;     // held while recordings move to another entry
  std::shared_mutex rewriting_;  // held while rewritten files replace others
  mutable std::mutex mutex_;     // guards the following members
  std::map<std::string, std::shared_ptr<SourceFile>> files_;
  uint64_t uses_ = 0;
  std::string problem_;
  std::unordered_map<std::string, std::string> application_of_process_;  // by secret and process
};

// Maximum memory for decoding a request's profiles or segments, without its body. A larger request is rejected with
// 413.
inline constexpr size_t kRequestMemory = size_t{64} << 20;

}  // namespace sparkprof
