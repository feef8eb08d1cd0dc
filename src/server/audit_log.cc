// SPDX-License-Identifier: Apache-2.0
#include "server/audit_log.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/private_file.h"
#include "base/time.h"

namespace sparkprof {

Result<void> AuditLog::Add(std::string_view peer, std::string_view role, std::string_view what,
                           std::string_view subject, std::string_view before, std::string_view after) {
  JsonWriter json;
  json.BeginObject().Member("time", FormatTimestamp(EpochNanos())).Member("peer", peer);
  json.Member("role", role).Member("what", what).Member("subject", subject);
  json.Member("before", before).Member("after", after).EndObject();
  const std::lock_guard lock(mutex_);
  const FileDescriptor file(
      open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, SharedFileMode()));
  if (!file.IsOpen()) return tl::unexpected(SystemError(path_, "cannot open"));
  if (Result<void> written = WriteAll(file.Get(), json.Take() + "\n", path_); !written) return written;
  if (fdatasync(file.Get()) != 0) return tl::unexpected(SystemError(path_, "cannot sync"));
  return {};
}

}  // namespace sparkprof
