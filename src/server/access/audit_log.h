// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// A change that fails must leave everything as it was.
using Change = std::function<Result<void>()>;

// Log of changes and who made them: one JSON object per line in FOLDER/audit.jsonl. Thread-safe.
class AuditLog {
 public:
  explicit AuditLog(const std::string& folder) : path_(folder + "/audit.jsonl") {}

  // `peer` is the client's address. `role` is the token's role, or "server" for the server's own actions. `what` is
  // "configure" (a group), "remove" or "coarsen" (an application); `subject` is its name. The line is durable on
  // return. `change`, if set, runs after the line is durable, so no change lacks a line; if it fails, the line is
  // removed.
  Result<void> Add(std::string_view peer, std::string_view role, std::string_view what, std::string_view subject,
                   std::string_view before, std::string_view after, const Change& change = {});

 private:
  std::string path_;
  std::mutex mutex_;
};

}  // namespace sparkprof
