// SPDX-License-Identifier: Apache-2.0
#include "monitor/recording_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/io/private_file.h"
#include "base/text/text.h"

namespace sparkprof {

Result<RecordingFile> RecordingFile::Create(const std::string& folder, const std::string& name) {
  if (auto created = CreateFolders(folder); !created) return tl::unexpected(created.error());
  constexpr int kMaxNames = 1000;
  Result<FileDescriptor> file;
  for (int number = 1; number <= kMaxNames; ++number) {
    std::string path = folder + "/" + name + (number == 1 ? "" : "-" + std::to_string(number)) + ".sprof";
    file = CreateNewFile(path, O_RDWR | O_APPEND);
    if (file) return RecordingFile(std::move(path), std::move(*file));
    if (access(path.c_str(), F_OK) != 0) break;
  }
  return tl::unexpected(file.error());
}

Result<void> RecordingFile::Append(std::string_view block) {
  const Result<void> written = WriteAll(file_.Get(), block, path_);
  if (!written) {
    // Without this, later blocks would follow a partial one.
    if (ftruncate(file_.Get(), size_) != 0) return tl::unexpected(SystemError(path_, "cannot truncate"));
    return written;
  }
  size_ += static_cast<int64_t>(block.size());
  return {};
}

Result<MonitorLock> MonitorLock::Take(const std::string& folder, const std::string& host) {
  if (auto created = CreateFolders(folder); !created) return tl::unexpected(created.error());
  const std::string path = folder + "/monitor-" + host + ".lock";
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.IsOpen()) return tl::unexpected(SystemError(path, "cannot open"));
  if (flock(file.Get(), LOCK_EX | LOCK_NB) != 0) {
    const std::string holder(Trim(ReadFile(path).value_or("")));
    return Fail(folder + ": another monitor of this host writes here (process " + holder +
                "); stop it, or use another folder");
  }
  const std::string own = std::to_string(getpid()) + "\n";
  if (ftruncate(file.Get(), 0) != 0) return tl::unexpected(SystemError(path, "cannot truncate"));
  if (auto written = WriteAll(file.Get(), own, path); !written) return tl::unexpected(written.error());
  return MonitorLock(std::move(file));
}

}  // namespace sparkprof
