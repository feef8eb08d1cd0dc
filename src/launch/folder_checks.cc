// SPDX-License-Identifier: Apache-2.0
#include "launch/folder_checks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

// Space for the agent, and space that NativeFiles.java leaves free for the job.
constexpr int64_t kRoomForAgent = int64_t{26} << 20;
constexpr int64_t kRoomForRecording = int64_t{8} << 20;
constexpr size_t kProbeBytes = size_t{64} << 10;

int64_t FreeBytes(const struct statvfs& status) {
  return static_cast<int64_t>(status.f_bavail) * static_cast<int64_t>(status.f_frsize);
}

void AddList(std::string_view list, std::vector<std::string>* folders) {
  for (const std::string_view folder : Split(list, ',')) {
    if (!Trim(folder).empty()) folders->emplace_back(Trim(folder));
  }
}

// The last -Djava.io.tmpdir=FOLDER in options of the driver's JVM; empty if there is none.
std::string JavaTemporaryFolder(const SubmitRequest& request) {
  constexpr std::string_view kOption = "-Djava.io.tmpdir=";
  std::string folder;
  const auto read = [&](std::string_view options) {
    for (const std::string_view option : Split(options, ' ')) {
      if (option.starts_with(kOption)) folder = option.substr(kOption.size());
    }
  };
  for (const char* name : {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS"}) {
    if (const auto found = request.environment.find(name); found != request.environment.end()) read(found->second);
  }
  for (const char* key : {"spark.driver.defaultJavaOptions", "spark.driver.extraJavaOptions"}) {
    read(FindSetting(request, key));
  }
  return folder;
}

// Why the agent cannot be started from the folder; empty if it can.
std::string Obstacle(const std::string& folder) {
  struct statvfs status;
  if (statvfs(folder.c_str(), &status) != 0 || access(folder.c_str(), W_OK | X_OK) != 0) {
    return fmt::format("cannot write to {}: {}", folder, std::strerror(errno));
  }
  if ((status.f_flag & ST_NOEXEC) != 0) return folder + " is mounted noexec";
  if (FreeBytes(status) < kRoomForAgent)
    return fmt::format("{} has only {} free", folder, FormatBytes(FreeBytes(status)));
  return "";
}

bool IsThisHost(std::string_view host) {
  char name[HOST_NAME_MAX + 1] = "";
  gethostname(name, sizeof name - 1);
  return host == "localhost" || host.starts_with("127.") || host == "[::1]" || host == std::string_view(name);
}

}  // namespace

Check CheckFileSize() {
  rlimit limit;
  const bool limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < INT64_MAX;
  return JudgeFileSize(limited ? static_cast<int64_t>(limit.rlim_cur) : INT64_MAX);
}

Check JudgeFileSize(int64_t limit_bytes) {
  if (limit_bytes >= kLeastFileSize) return {"file size", CheckStatus::kOk, "large files are permitted", ""};
  return {"file size", CheckStatus::kMissing,
          fmt::format("files may have {} at most (ulimit -f); profiling requires {}", FormatBytes(limit_bytes),
                      FormatBytes(kLeastFileSize)),
          "ulimit -f unlimited"};
}

std::vector<std::string> TemporaryFolders(const SubmitRequest& request) {
  const std::string chosen = JavaTemporaryFolder(request);
  std::vector<std::string> folders{chosen.empty() ? "/tmp" : chosen};
  AddList(FindSetting(request, "spark.local.dir"), &folders);
  for (const char* name : {"LOCAL_DIRS", "SPARK_LOCAL_DIRS"}) {
    if (const auto found = request.environment.find(name); found != request.environment.end()) {
      AddList(found->second, &folders);
    }
  }
  std::error_code error;
  folders.insert(folders.end(), {"/dev/shm", fs::current_path(error).string()});
  return folders;
}

Check CheckTemporaryFolders(const std::vector<std::string>& folders) {
  std::vector<std::string> obstacles;
  for (const std::string& folder : folders) {
    std::string obstacle = Obstacle(folder);
    if (!obstacle.empty()) {
      obstacles.push_back(std::move(obstacle));
      continue;
    }
    const std::string before = obstacles.empty() ? "" : fmt::format("; {}", fmt::join(obstacles, "; "));
    return {"temporary folder", CheckStatus::kOk, folder + " permits writing and execution" + before, ""};
  }
  return {"temporary folder", CheckStatus::kMissing,
          fmt::format("no folder for the agent: {}", fmt::join(obstacles, "; ")),
          fmt::format("set spark.local.dir to a writable folder that permits execution and has {} free",
                      FormatBytes(kRoomForAgent))};
}

Check CheckRoomForJar(const SubmitRequest& request) {
  const Check enough{"room for the jar", CheckStatus::kOk, "enough", ""};
  std::string host;
  if (!RE2::PartialMatch(FindSetting(request, "spark.master"), R"(^spark://(\[[^\]]*\]|[^:,]+))", &host)) return enough;
  if (!IsThisHost(host)) return enough;
  // Workers have their own settings, which default to Java's temporary folder.
  std::vector<std::string> folders{TemporaryFolders(request).front()};
  AddList(FindSetting(request, "spark.local.dir"), &folders);
  const auto by_environment = request.environment.find("SPARK_LOCAL_DIRS");
  if (by_environment != request.environment.end()) AddList(by_environment->second, &folders);
  for (const std::string& folder : folders) {
    struct statvfs status;
    if (statvfs(folder.c_str(), &status) != 0 || FreeBytes(status) >= kRoomForAgent) continue;
    return {"room for the jar", CheckStatus::kMissing,
            fmt::format("{} has only {} free; executors copy the plugin's jar to it", folder,
                        FormatBytes(FreeBytes(status))),
            "free disk space, or set spark.local.dir"};
  }
  return enough;
}

Result<void> TryWriting(const std::string& folder) {
  struct statvfs status;
  if (statvfs(folder.c_str(), &status) == 0 && FreeBytes(status) < kRoomForRecording) {
    return Fail(fmt::format("{} has only {} free, a recording needs {}", folder, FormatBytes(FreeBytes(status)),
                            FormatBytes(kRoomForRecording)));
  }
  std::string path = folder + "/probe-";
  Result<FileDescriptor> file = CreateUnguessableFile(&path, "", O_WRONLY);
  if (!file) return tl::unexpected(file.error());
  const std::string content(kProbeBytes, 'x');
  const ssize_t written = write(file->Get(), content.data(), content.size());
  const int error = written < 0 ? errno : ENOSPC;
  unlink(path.c_str());
  if (written != static_cast<ssize_t>(content.size())) {
    return Fail(fmt::format("cannot write to {}: {}", folder, std::strerror(error)));
  }
  return {};
}

}  // namespace sparkprof
