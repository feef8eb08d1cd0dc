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
#include <unordered_set>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "server/access/access_lists.h"

namespace sparkprof {

enum class AcceptStatus : uint8_t {
  kStored,       // durable
  kDamaged,      // nothing was stored; sending it again does not help
  kTooLarge,     // likewise: it expands to more than kRequestMemory
  kUnavailable,  // the disk is full or fails; blocks that were stored before are not stored twice
};

struct AcceptedBlocks {
  AcceptStatus status = AcceptStatus::kStored;
  std::string problem;  // a sentence, unless stored
  uint64_t blocks = 0;
  uint64_t duplicates = 0;  // of blocks: were there already
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

// The recordings that were sent to the server: FOLDER/recordings/APPLICATION/HOST-PID-HASH.sprof, one file for each
// JVM, to which blocks are appended, and files with rewritten recordings (kRewrittenFiles). Sources that have not
// learned their application yet are in the folder "unidentified". Each block is stored once, however often it is sent.
// Thread-safe.
class RecordingStore {
 public:
  // Called after files have changed, with the application's ID of each path.
  using OnChange = std::function<void(const std::map<std::string, std::string>& applications)>;

  // Called before blocks are stored, with those of Spark's events in them that AccessLists has a use for. What it
  // returns fails the storing.
  using OnEvents = std::function<Result<void>(const std::string& application, const std::string& process,
                                              const std::vector<std::string>& events, const Sender& sender)>;

  // Creates the folder. Fails if another process has it open.
  static Result<std::unique_ptr<RecordingStore>> Open(const std::string& folder, OnChange on_change,
                                                      OnEvents on_events = nullptr);

  // Stores the blocks of `body`, all or, if one of them is damaged, none.
  AcceptedBlocks Accept(std::string_view body, const Sender& sender = {});

  // Cuts off the beginning of a block that was being written when the machine or the server stopped.
  void Repair(const std::string& path);

  // Joins the files in an application's folder into one with larger blocks, with samples in time buckets of
  // `bucket_ns` (one of kRewrittenFiles). Nothing is lost or there twice, whenever the process is killed.
  Result<RewrittenRecording> Rewrite(const std::string& folder, int64_t bucket_ns);
  // Removes all that was recorded about an application.
  Result<void> Remove(const std::string& application);

  std::string FolderOf(const std::string& application) const;
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
    std::unordered_set<uint64_t> keys;
    uint64_t last_use = 0;
  };

  struct Block {
    std::string bytes;
    uint64_t key = 0;
    bool is_duplicate = false;
  };

  // The blocks of a body that go into one file.
  struct Batch {
    std::string application;
    std::string process;
    std::vector<Block> blocks;
  };

  struct LockedFile {
    std::shared_ptr<SourceFile> file;
    std::unique_lock<std::mutex> lock;
  };

  RecordingStore(const std::string& folder, OnChange on_change, OnEvents on_events)
      : folder_(folder),
        recordings_(folder + "/recordings"),
        on_change_(std::move(on_change)),
        on_events_(std::move(on_events)) {}

  Result<void> NoteEvents(const std::string& application, const std::string& process,
                          const std::vector<std::string>& events, const Sender& sender) const;

  // Fails if the folder that this process has locked is not there any more: another server may use a new one.
  Result<void> CheckFolder() const;

  // The application that a JVM belongs to, as far as it is known; empty otherwise.
  std::string ApplicationOf(const std::string& process) const;
  void NoteApplications(const std::unordered_map<std::string, std::string>& application_of_process);
  std::shared_ptr<SourceFile> FileAt(const std::string& path);
  Result<void> Append(SourceFile* file, Batch* batch);
  static Result<void> ReadKeys(const std::string& path, SourceFile* file, uint64_t* size);
  Result<void> ReadRewrittenKeys(const std::string& folder, SourceFile* file);
  std::vector<LockedFile> Lock(const std::vector<std::string>& paths);
  // Moves what the JVM sent before it learned its application.
  Result<void> Adopt(const std::string& application, const std::string& process, SourceFile* file);
  void SetProblem(const std::string& problem);

  std::string folder_;
  std::string recordings_;
  OnChange on_change_;
  OnEvents on_events_;
  FileDescriptor lock_;
  std::shared_mutex rewriting_;  // held while rewritten files replace others
  mutable std::mutex mutex_;     // for what follows
  std::map<std::string, std::shared_ptr<SourceFile>> files_;
  uint64_t uses_ = 0;
  std::string problem_;
  std::unordered_map<std::string, std::string> application_of_process_;
};

}  // namespace sparkprof
