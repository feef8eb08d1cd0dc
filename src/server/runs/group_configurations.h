// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "server/access/audit_log.h"

namespace sparkprof {

// Settings that a group's running applications receive from the server.
struct GroupConfiguration {
  int64_t version = 0;                          // 0 = never set
  std::map<std::string, std::string> settings;  // by key, as in settings/settings.tsv
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

// Configurations of all groups, one JSON file each in FOLDER/groups. Thread-safe.
class GroupConfigurations {
 public:
  explicit GroupConfigurations(const std::string& folder) : folder_(folder + "/groups") {}

  // Fails if the file cannot be read.
  Result<GroupConfiguration> Get(const std::string& group);

  // Replaces the settings by those of `json`, {"configuration":{KEY:VALUE,…}}. Durable on return. Conflicts if
  // `expected` is set and is not the current version. Rejects settings that cannot change while the plugin runs.
  Configured Set(const std::string& group, const std::string& json, std::optional<int64_t> expected,
                 const RecordConfiguration& record);

 private:
  std::string PathOf(const std::string& group) const;
  Result<GroupConfiguration> Read(const std::string& group) const;

  std::string folder_;
  std::mutex mutex_;
};

// Parses and checks the settings in a request's body: {"configuration":{KEY:VALUE,…}}.
Result<std::map<std::string, std::string>> ParseConfiguration(const std::string& json);

// Formats {"version":N,"configuration":{…}}.
std::string ConfigurationJson(const GroupConfiguration& configuration);

}  // namespace sparkprof
