// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// A change that fails has changed nothing.
using Change = std::function<Result<void>()>;

// The record of changes and who made them: a JSON object per line in FOLDER/audit.jsonl. Thread-safe.
class AuditLog {
 public:
  explicit AuditLog(const std::string& folder) : path_(folder + "/audit.jsonl") {}

  // `peer`: the client's address; `role`: that of its token, or "server" for what the server did by itself. `what`:
  // "configure" a group, "remove" or "coarsen" an application; `subject`: its name. Durable when it returns.
  // `change`, if there is one, is made once the line is durable: a change without a line is impossible, and a change
  // that fails leaves no line.
  Result<void> Add(std::string_view peer, std::string_view role, std::string_view what, std::string_view subject,
                   std::string_view before, std::string_view after, const Change& change = {});

 private:
  std::string path_;
  std::mutex mutex_;
};

}  // namespace sparkprof
