// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/background_task.h"
#include "base/result.h"
#include "server/access/audit_log.h"
#include "server/folders/application_entries.h"
#include "server/ingest/recording_store.h"
#include "server/shared/block_objects.h"
#include "server/shared/counted_storage.h"
#include "server/shared/live_nodes.h"
#include "server/shared/shared_log.h"
#include "storage/storage.h"

namespace sparkprof {

// Fails if there is no store of StoreReplica. Changes nothing.
Result<void> FindStore(const std::string& location);

// A store that equal nodes share, and the copy of it in the scratch folder of this one:
//
//   STORE/store.json             the store's ID
//   STORE/nodes.key              the secret of LiveNodes
//   STORE/changes/N              SharedLog: owners and access lists, removals, small files, audit
//   STORE/blocks/NODE/N          BlockObjectWriter: the blocks that a node received
//   STORE/merged/NODE/A-B        these objects of a node as one
//   STORE/notified/APPLICATION   created by the node that notifies of an application
//
// A node acknowledges a block when the store has it, and adds it to the recordings in its scratch folder, as it does
// with what others have written. Everything else on a node is derived from that folder. Thread-safe.
class StoreReplica : public BlockKeeper {
 public:
  using Log = std::function<void(const std::string& line)>;

  // Creates an empty store if there is none. Fails if the store is unreachable, does not create objects atomically, or
  // the scratch folder is the copy of another store. `ack_locally`: blocks are durable when a file in the scratch
  // folder has them.
  static Result<std::unique_ptr<StoreReplica>> Open(const std::string& location, const std::string& scratch, Log log,
                                                    bool ack_locally = false);
  ~StoreReplica() override;

  SharedLog* Changes() { return &changes_; }
  // The other servers on the store. Started separately; Stop ends it.
  LiveNodes* Nodes() { return nodes_.get(); }
  // Connects the parts of this node that changes apply to, and reads all changes.
  Result<void> Attach(ApplicationEntries* entries, AuditLog* audit);

  // Sets the recordings in the scratch folder, whose blocks are kept here from then on. Call before the functions
  // below.
  void SetStore(RecordingStore* store);
  // Adds all blocks of the store to the recordings. Returns early if `stop` becomes true.
  Result<void> Load(const std::atomic<bool>& stop);
  // Follows the store on a separate thread, after Load, and writes what an earlier server left in the scratch folder.
  // Later calls have no effect.
  void Start();
  // Ends the threads that follow the store and its nodes. Blocks can still be kept.
  void Stop();

  Result<std::optional<BlockObjectName>> Keep(std::vector<KeptBlocks> blocks) override;
  void NoteMissing(const BlockObjectName& name) override;
  // Moves and removes recordings in the scratch folder according to the changes.
  Result<void> Settle() override;

  // Removes an entry from the store and all nodes.
  Result<void> Remove(const std::string& entry);
  // Writes a small file to the scratch folders of all nodes. `path` is relative.
  Result<void> WriteFile(const std::string& path, const std::string& content);
  // True if this node is the first to claim `what`.
  Result<bool> Claim(const std::string& what);

  // The reason why this node should get no requests: the store is unreachable or not completely read. Empty = ready.
  std::string Problem() const;
  // Describes unreadable objects.
  std::vector<std::string> Damage() const;
  std::vector<const BackgroundTask*> Tasks() const {
    return {&task_, &upkeep_task_, &writer_->Task(), &nodes_->Task()};
  }
  const BlockObjectWriter& Writer() const { return *writer_; }
  const CountedStorage& Requests() const { return *storage_; }

  std::atomic<uint64_t> read_objects = 0, read_bytes = 0;

 private:
  using Clock = std::chrono::steady_clock;

  // This node's position in the objects of another node.
  struct Head {
    uint64_t next = 1;
    Clock::time_point news = Clock::now();  // time of the last announcement or object
    Clock::time_point asked = {};
  };
  using Held = std::map<std::string, uint64_t>;    // latest number of objects by node
  using Named = std::pair<std::string, uint64_t>;  // entry name, and the append that introduced it
  struct Move {
    ApplicationEntries::Moved moved;
    uint64_t number = 0;  // number of the append
  };

  struct Known {
    std::set<Named> entries;
    uint64_t bytes = 0;
    std::string merged;  // merged object that contains it; empty = it is an object itself
  };

  StoreReplica(std::unique_ptr<Storage> storage, std::string location, std::string scratch, std::string node, Log log);
  Result<void> Identify();
  Result<void> Probe();
  Result<void> OpenNodes();
  Result<void> OpenWriter(bool ack_locally);

  void OnLines(uint64_t number, std::string_view lines);
  void OnLine(uint64_t number, std::string_view line);
  void OnRemoved(std::string_view line);
  std::string CurrentEntry(const Named& named) const;
  bool IsRemoved(const Named& named, const BlockObjectName& name) const;
  void NoteParts(const BlockObjectName& name, const std::vector<KeptBlocks>& parts, uint64_t bytes,
                 const std::string& merged = {});
  // Schedules objects of removed entries for deletion: other nodes may be about to read them.
  void FindGarbage();
  void DeleteLater(std::string name);

  void Run();
  void RunUpkeep();
  bool Pause(std::chrono::milliseconds time);
  Result<void> Poll();
  Result<void> ReadHeads();
  Result<void> RemoveGarbage();
  // Merges many small objects of this node or of an ended node.
  Result<void> Merge();
  Result<void> MergeRun(const std::vector<BlockObjectName>& run);
  std::vector<BlockObjectName> NextRun() const;
  // Returns false if the object does not exist.
  Result<bool> ReadObject(const BlockObjectName& name);
  Result<void> AddObject(const BlockObjectName& name, std::string_view content, const std::string& merged = {});
  Result<std::vector<std::string>> ListByTime(const std::string& folder);
  Result<void> LoadMerged(const std::string& name);
  Result<NumberedObjects> ReadMerged(const std::string& name);

  const std::unique_ptr<CountedStorage> storage_;
  std::unique_ptr<Storage> unwritten_;  // blocks in the scratch folder that the store may lack; outlives the writer
  const std::string location_, scratch_, node_;
  const Log log_;
  SharedLog changes_;
  std::unique_ptr<LiveNodes> nodes_;
  std::unique_ptr<BlockObjectWriter> writer_;
  ApplicationEntries* entries_ = nullptr;
  AuditLog* audit_ = nullptr;
  RecordingStore* store_ = nullptr;
  BackgroundTask task_{"reads from the store"}, upkeep_task_{"merges in the store"};
  std::mutex settling_;                             // held while recordings move; lock before mutex_
  mutable std::mutex mutex_;                        // guards the following members
  std::map<std::string, Head> heads_;               // by node
  std::map<std::string, std::vector<Move>> moved_;  // by the entry that recordings left, oldest first
  std::vector<ApplicationEntries::Moved> moving_;   // pending moves in the folder
  std::map<std::string, Held> removed_;             // by entry
  std::vector<std::string> removing_;               // pending removals in the folder
  std::map<BlockObjectName, Known> objects_;
  std::map<std::string, size_t> in_merged_;  // number of objects per merged object
  std::deque<std::pair<Clock::time_point, std::string>> garbage_;
  std::set<BlockObjectName> missing_;
  std::vector<std::string> damage_;
  std::string problem_ = "the store is being read";
  Clock::time_point last_poll_ = Clock::now();
  bool is_loaded_ = false;
  std::atomic<bool> stop_ = false;
  std::thread reading_, upkeep_;
};

}  // namespace sparkprof
