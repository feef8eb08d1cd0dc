// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace sparkprof {

// Must leave everything unchanged if it fails.
using Change = std::function<Result<void>()>;

// Wraps a line of the audit log for the shared log, and unwraps it; empty for any other line.
std::string SharedAuditLine(std::string_view line);
std::string AuditLineIn(std::string_view shared);

// Log of changes and who made them: one JSON object per line in FOLDER/audit.jsonl. Thread-safe.
class AuditLog {
 public:
  explicit AuditLog(const std::string& folder) : path_(folder + "/audit.jsonl") {}

  // Makes a line durable for all nodes. Each node then adds it to its own file with AddShared.
  using Share = std::function<Result<void>(const std::string& line)>;
  // Call before the first Add.
  void SetShare(Share share) { share_ = std::move(share); }
  Result<void> AddShared(std::string_view line);
  // The line that Add would write now.
  static std::string LineOf(std::string_view peer, std::string_view role, std::string_view what,
                            std::string_view subject, std::string_view before, std::string_view after);

  // `peer` is the client's address. `role` is the token's role, or "server" for the server's own actions. `what` is
  // "configure" or "auto" (a group), "remove" or "coarsen" (an application); `subject` is its name. The line is durable
  // on return. `change`, if set, runs after the line is durable, so every change has a line. If the change fails, the
  // line is removed, or followed by a line "failed" if other nodes have it.
  Result<void> Add(std::string_view peer, std::string_view role, std::string_view what, std::string_view subject,
                   std::string_view before, std::string_view after, const Change& change = {});

 private:
  Result<void> Write(std::string_view line, bool is_durable, const Change& change);

  std::string path_;
  Share share_;
  std::mutex mutex_;
};

}  // namespace sparkprof
