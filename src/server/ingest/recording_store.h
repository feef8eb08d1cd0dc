// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "recording/source_grouping.h"
#include "server/folders/application_entries.h"

namespace sparkprof {

enum class AcceptStatus : uint8_t {
  kStored,       // durable
  kForbidden,    // the token may not send this; nothing was stored
  kDamaged,      // nothing was stored; sending it again does not help
  kTooLarge,     // likewise: it expands to more than kRequestMemory
  kUnavailable,  // the disk is full or fails; blocks that were stored before are not stored twice
};

struct AcceptedBlocks {
  AcceptStatus status = AcceptStatus::kStored;
  std::string problem;  // a sentence, unless stored
  uint64_t blocks = 0;
  uint64_t duplicates = 0;  // of blocks: were there already
  uint64_t renumbered = 0;  // of blocks: another one has their number; both are stored
  uint64_t samples = 0;
  std::vector<std::string> applications;  // IDs
};

// Result of Rewrite; all 0 if there was nothing to do.
struct RewrittenRecording {
  size_t files = 0;  // that became one
  uint64_t bytes_before = 0, bytes_after = 0;
  std::vector<std::string> damaged;  // files that stay as they are
  bool is_running = false;           // the application has not ended: nothing was changed
};

// The recordings that were sent to the server: FOLDER/recordings/ENTRY/HOST-PID-HASH.sprof, one file for each JVM, to
// which blocks are appended, and files with rewritten recordings (kRewrittenFiles). Sources that have not learned their
// application yet are in the folder "unidentified", or, where an upload secret proves which they are, in one named
// after it, until their application is known. Each block is stored once, however often it is sent. Thread-safe.
class RecordingStore {
 public:
  // Called after files have changed, with the entry (ApplicationEntries) of each path.
  using OnChange = std::function<void(const std::map<std::string, std::string>& entries)>;

  // Creates the folder. Fails if another process has it open. `entries` must outlive the store; null = the entry of a
  // block is the application that it names.
  static Result<std::unique_ptr<RecordingStore>> Open(const std::string& folder, OnChange on_change,
                                                      ApplicationEntries* entries = nullptr);

  // Stores the blocks of `body`, all or, if one of them is damaged, none.
  AcceptedBlocks Accept(std::string_view body, const Sender& sender = {});

  // Cuts off the beginning of a block that was being written when the machine or the server stopped.
  void Repair(const std::string& path);

  // Joins the files in an entry's folder into one with larger blocks, with samples in time buckets of
  // `bucket_ns` (one of kRewrittenFiles). Nothing is lost or there twice, whenever the process is killed.
  // `entry`: whose folder it is, for OnChange.
  Result<RewrittenRecording> Rewrite(const std::string& folder, const std::string& entry, int64_t bucket_ns);
  // Removes all that was recorded in an entry.
  Result<void> Remove(const std::string& entry);

  std::string FolderOf(const std::string& entry) const;
  // FOLDER/recordings
  const std::string& Folder() const { return recordings_; }
  // Why blocks cannot be stored; empty when the last ones could, and the folder is there.
  std::string Problem() const;

 private:
  // One file. The keys of its segments show which blocks are duplicates.
  struct SourceFile {
    std::mutex mutex;
    std::string path;
    bool is_read = false;
    bool is_durable = false;  // all of `size`: a process that was killed may have written what is not
    uint64_t size = 0;        // of whole blocks
    KnownSegments known;
    uint64_t last_use = 0;
  };

  struct Block {
    std::string bytes;
    SegmentNumber number;
    KnownSegments::Answer answer = KnownSegments::Answer::kNew;
  };

  // The blocks of a body that go into one file.
  struct Batch {
    std::string entry;
    std::vector<Block> blocks;
  };

  struct LockedFile {
    std::shared_ptr<SourceFile> file;
    std::unique_lock<std::mutex> lock;
  };

  RecordingStore(const std::string& folder, OnChange on_change, ApplicationEntries* entries)
      : folder_(folder), recordings_(folder + "/recordings"), on_change_(std::move(on_change)), entries_(entries) {}

  // A block's source, as the block names it.
  struct NamedSource {
    std::string application;  // empty: unknown
    std::string process;
    std::vector<std::string> events;  // see ApplicationEntries::Assign
  };
  // The entries of blocks. They stay as they are while `lock`, of `moving_`, is held, as it is when this returns.
  Result<std::vector<ApplicationEntries::Assigned>> AssignAll(const std::vector<NamedSource>& sources,
                                                              const Sender& sender,
                                                              std::shared_lock<std::shared_mutex>* lock);
  // Moves recordings from one entry to another, those of one process or, without a hash, all.
  Result<void> Move(const std::string& from, const std::string& to, const std::string& process_hash);

  // Fails if the folder that this process has locked is not there any more: another server may use a new one.
  Result<void> CheckFolder() const;

  // The application of a process that a secret proves, as far as it is known; empty otherwise.
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
  FileDescriptor lock_;
  std::shared_mutex moving_;     // held while recordings move to another entry
  std::shared_mutex rewriting_;  // held while rewritten files replace others
  mutable std::mutex mutex_;     // for what follows
  std::map<std::string, std::shared_ptr<SourceFile>> files_;
  uint64_t uses_ = 0;
  std::string problem_;
  std::unordered_map<std::string, std::string> application_of_process_;  // by secret and process
};

}  // namespace sparkprof
