// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/access/audit_log.h"

namespace sparkprof {

// Settings that a group's running applications receive from the server.
struct GroupConfiguration {
  int64_t version = 0;                          // 0 = never set
  std::map<std::string, std::string> settings;  // by key, as in settings/settings.tsv
};

// A group whose settings apply to all groups that do not override them.
inline constexpr std::string_view kAllGroups = "*";

// A job that requests its settings.
struct RunningJob {
  std::string application, user, queue;
};

// Records the change from `before` to `after` in the audit log and applies it (AuditLog::Add).
using RecordConfiguration = std::function<Result<void>(const GroupConfiguration& before,
                                                       const GroupConfiguration& after, const Change& change)>;

enum class ConfigureStatus : uint8_t { kDone, kInvalid, kConflict, kUnavailable };

struct Configured {
  ConfigureStatus status = ConfigureStatus::kDone;
  std::string problem;  // a sentence; empty if done
  GroupConfiguration before, after;
};

// Configurations of the groups of each tenant, one JSON file each in FOLDER/groups. Thread-safe.
class GroupConfigurations {
 public:
  // Reads all files once, for Problems.
  explicit GroupConfigurations(const std::string& folder);

  // Writes a file for all nodes; `path` is below the folder of the constructor. Call before the first Set.
  using WriteShared = std::function<Result<void>(const std::string& path, const std::string& content)>;
  void SetWriteShared(WriteShared write) { write_shared_ = std::move(write); }

  // Describes damaged files.
  std::vector<std::string> Problems() const;

  // Fails if the file cannot be read.
  Result<GroupConfiguration> Get(const std::string& tenant, const std::string& group);

  // The settings in effect for a job of the group: those of the tenant's kAllGroups, overridden by the group's own.
  // jobs.users and jobs.queues (lists of names) and jobs.share (share of applications, by ID) choose the jobs to
  // sample; the others get enabled=false, unless the group itself sets `enabled`.
  Result<GroupConfiguration> For(const std::string& tenant, const std::string& group, const RunningJob& job);

  // Replaces the settings by those of `json`, {"configuration":{KEY:VALUE,…}}. Durable on return. Conflicts if
  // `expected` is set and is not the current version. Rejects settings that cannot change while the plugin runs.
  Configured Set(const std::string& tenant, const std::string& group, const std::string& json,
                 std::optional<int64_t> expected, const RecordConfiguration& record);

 private:
  std::string PathOf(const std::string& key) const;
  // `key`: the group's GroupKey.
  Result<GroupConfiguration> Read(const std::string& key);
  Result<GroupConfiguration> ReadAndNote(const std::string& path);

  std::string folder_;
  WriteShared write_shared_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> problems_;  // by path
};

// Parses and checks the settings in a request's body: {"configuration":{KEY:VALUE,…}}.
Result<std::map<std::string, std::string>> ParseConfiguration(const std::string& json);

// Formats {"version":N,"configuration":{…}}.
std::string ConfigurationJson(const GroupConfiguration& configuration);

}  // namespace sparkprof
