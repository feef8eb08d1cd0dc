// SPDX-License-Identifier: Apache-2.0
#include "launch/output_folder.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <thread>

#include "base/io/byte_source.h"
#include "base/io/file.h"
#include "base/io/output_file.h"
#include "base/io/private_file.h"
#include "base/time.h"
#include "launch/folder_checks.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr auto kOwnNames =
    std::to_array<std::string_view>({kRecordingName, kReportName, kFlameGraphName, kSummaryName, kSegmentsName});

bool IsOwn(const fs::path& path) {
  const std::string name = path.filename();
  return std::any_of(kOwnNames.begin(), kOwnNames.end(), [&](std::string_view own) {
    // ".part-…" is an incomplete file of a killed run.
    return name == own || name.starts_with(std::string(own) + ".part-");
  });
}

bool IsLocked(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.IsOpen() && flock(file.Get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

Result<void> AppendFile(const std::string& path, std::vector<char>* buffer, OutputFile* target) {
  const Result<std::unique_ptr<ByteSource>> source = OpenFileSource(path);
  if (!source) return tl::unexpected(source.error());
  for (;;) {
    const Result<size_t> got = (*source)->Read(buffer->data(), buffer->size());
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return {};
    target->Append(std::string_view(buffer->data(), *got));
  }
}

}  // namespace

std::string DefaultOutputFolder(const std::string& parent) {
  const std::time_t now = EpochNanos() / kNanosPerSecond;
  const std::string name = fmt::format("{}/sparkprof-{:%Y%m%d-%H%M%S}", parent, fmt::localtime(now));
  std::error_code error;
  std::string candidate = name;
  for (int i = 2; fs::exists(candidate, error); ++i) candidate = fmt::format("{}-{}", name, i);
  return candidate;
}

Result<std::string> NewOutputFolder(const std::string& wanted) {
  const std::string folder = fs::absolute(wanted.empty() ? DefaultOutputFolder() : wanted).lexically_normal();
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    return Fail(fmt::format("{}: not empty; choose another folder with --output-dir", folder));
  }
  if (Result<void> created = CreateFolders(folder); !created) return tl::unexpected(created.error());
  return folder;
}

Result<void> RefuseOtherContents(const std::string& folder) {
  std::error_code error;
  // Some kernels refuse to follow such a link, and it then seems not to exist.
  if (auto good = RefusePlanted(fs::absolute(folder, error).lexically_normal()); !good) return good;
  if (!fs::exists(folder, error)) return {};
  if (!fs::is_directory(folder, error)) return Fail(fmt::format("{}: is not a folder", folder));
  // If the folder cannot be listed, writing to it shows the reason.
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (IsOwn(entry.path())) continue;
    return Fail(
        fmt::format("{}: contains {}, which is not from an earlier run; use --output-dir with an empty or a new folder",
                    folder, entry.path().filename().string()));
  }
  return {};
}

Result<std::string> PrepareOutputFolder(const std::string& folder, bool* created) {
  if (auto refused = RefuseOtherContents(folder); !refused) return tl::unexpected(refused.error());
  std::error_code error;
  const fs::path path = fs::absolute(folder, error).lexically_normal();
  *created = !fs::exists(path, error);
  if (auto made = CreateFolders(path); !made) return tl::unexpected(made.error());
  const fs::path segments = path / kSegmentsName;
  fs::remove_all(segments, error);
  if (error) return Fail(fmt::format("{}: cannot delete: {}", segments.string(), error.message()));
  auto ready = CreateNewFolder(segments);
  if (ready) ready = TryWriting(segments);
  if (!ready) {
    fs::remove(segments, error);
    if (*created) fs::remove(path, error);
    return tl::unexpected(ready.error());
  }
  return path.string();
}

std::vector<std::string> FindRecordings(const std::string& folder, const std::set<std::string>& before) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    std::error_code ignored;
    const fs::path& path = entries->path();
    if (path.extension() == ".sprof" && entries->is_regular_file(ignored) && !before.contains(path)) {
      files.push_back(path);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool WaitForAgents(const std::vector<std::string>& folders, const std::set<std::string>& before, int millis) {
  const auto is_written = [&](const std::string& folder) {
    const std::vector<std::string> files = FindRecordings(folder, before);
    return std::any_of(files.begin(), files.end(), IsLocked);
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(millis);
  for (;;) {
    if (std::none_of(folders.begin(), folders.end(), is_written)) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

Result<void> JoinRecordings(const std::vector<std::string>& recordings, const std::string& target,
                            std::string_view last_blocks) {
  Result<OutputFile> file = OutputFile::Create(target);
  if (!file) return tl::unexpected(file.error());
  std::vector<char> buffer(size_t{1} << 16);
  for (const std::string& path : recordings) {
    if (auto appended = AppendFile(path, &buffer, &*file); !appended) return appended;
  }
  file->Append(last_blocks);
  return file->Commit();
}

}  // namespace sparkprof
