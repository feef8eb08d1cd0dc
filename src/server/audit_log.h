// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"
#include "server/access.h"

namespace sparkprof {

// Who changed what: a JSON object per line in FOLDER/audit.jsonl. Thread-safe.
class AuditLog {
 public:
  explicit AuditLog(const std::string& folder) : path_(folder + "/audit.jsonl") {}

  // `what`: "configure"; `subject`: the group. Durable when it returns.
  Result<void> Add(const HttpRequest& request, Role role, std::string_view what, std::string_view subject,
                   std::string_view before, std::string_view after);

 private:
  std::string path_;
  std::mutex mutex_;
};

}  // namespace sparkprof
