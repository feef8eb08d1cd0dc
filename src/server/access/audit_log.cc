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

std::string AuditLog::LineOf(std::string_view peer, std::string_view role, std::string_view what,
                             std::string_view subject, std::string_view before, std::string_view after) {
  JsonWriter json;
  json.BeginObject().Member("time", FormatTimestamp(EpochNanos())).Member("peer", peer);
  json.Member("role", role).Member("what", what).Member("subject", subject);
  json.Member("before", before).Member("after", after).EndObject();
  return json.Take();
}

Result<void> AuditLog::Add(std::string_view peer, std::string_view role, std::string_view what,
                           std::string_view subject, std::string_view before, std::string_view after,
                           const Change& change) {
  const std::string line = LineOf(peer, role, what, subject, before, after);
  if (!share_) return Write(line, /*is_durable=*/true, change);
  if (Result<void> shared = share_(line); !shared || !change) return shared;
  Result<void> changed = change();
  if (!changed) (void)share_(LineOf(peer, role, "failed", subject, std::string(what), changed.error().message));
  return changed;
}

Result<void> AuditLog::AddShared(std::string_view line) { return Write(line, /*is_durable=*/false, {}); }

Result<void> AuditLog::Write(std::string_view line, bool is_durable, const Change& change) {
  const std::lock_guard lock(mutex_);
  const FileDescriptor file(
      open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, SharedFileMode()));
  if (!file.IsOpen()) return tl::unexpected(SystemError(path_, "cannot open"));
  struct stat info {};
  if (fstat(file.Get(), &info) != 0) return tl::unexpected(SystemError(path_, "cannot read the size"));
  Result<void> added = WriteAll(file.Get(), std::string(line) + "\n", path_);
  if (added && is_durable && fdatasync(file.Get()) != 0) added = tl::unexpected(SystemError(path_, "cannot sync"));
  if (added && change) added = change();
  // Removes the line if it is partial, because the next line would continue it, or if the change failed.
  if (!added && S_ISREG(info.st_mode) && ftruncate(file.Get(), info.st_size) != 0) {
    added = Fail(fmt::format("{}; {}", added.error().message, SystemError(path_, "cannot remove its line").message));
  }
  return added;
}

std::string SharedAuditLine(std::string_view line) { return fmt::format("{{\"audit\":{}}}\n", line); }

std::string AuditLineIn(std::string_view shared) {
  constexpr std::string_view kBegin = "{\"audit\":";
  if (!shared.starts_with(kBegin) || !shared.ends_with('}')) return {};
  return std::string(shared.substr(kBegin.size(), shared.size() - kBegin.size() - 1));
}

}  // namespace sparkprof
