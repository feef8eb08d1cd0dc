// SPDX-License-Identifier: Apache-2.0
#include "server/access/audit_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/text/json_writer.h"
#include "base/time.h"

namespace sparkprof {

Result<void> AuditLog::Add(std::string_view peer, std::string_view role, std::string_view what,
                           std::string_view subject, std::string_view before, std::string_view after,
                           const Change& change) {
  JsonWriter json;
  json.BeginObject().Member("time", FormatTimestamp(EpochNanos())).Member("peer", peer);
  json.Member("role", role).Member("what", what).Member("subject", subject);
  json.Member("before", before).Member("after", after).EndObject();
  const std::lock_guard lock(mutex_);
  const FileDescriptor file(
      open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, SharedFileMode()));
  if (!file.IsOpen()) return tl::unexpected(SystemError(path_, "cannot open"));
  struct stat info {};
  if (fstat(file.Get(), &info) != 0) return tl::unexpected(SystemError(path_, "cannot read the size"));
  Result<void> added = WriteAll(file.Get(), json.Take() + "\n", path_);
  if (added && fdatasync(file.Get()) != 0) added = tl::unexpected(SystemError(path_, "cannot sync"));
  if (added && change) added = change();
  // Removes the partial line, so that the next line does not continue it, or the line of a change that failed.
  if (!added && S_ISREG(info.st_mode) && ftruncate(file.Get(), info.st_size) != 0) {
    added = Fail(fmt::format("{}; {}", added.error().message, SystemError(path_, "cannot remove its line").message));
  }
  return added;
}

}  // namespace sparkprof
