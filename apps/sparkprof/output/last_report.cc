// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/text/text.h"
#include "output/output_name.h"
#include "output/report_files.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

// Empty unless one of the variables contains an absolute path.
std::string StateFolder() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr || *value != '/' ? "" : value);
  };
  if (const std::string state = variable("XDG_STATE_HOME"); !state.empty()) return state + "/sparkprof";
  const std::string home = variable("HOME");
  return home.empty() ? home : home + "/.local/state/sparkprof";
}

std::string StateFile(const std::string& folder) { return folder + "/last-report"; }

// Always private: --share applies to the report only.
Result<void> Write(const std::string& folder, const std::string& report) {
  if (Result<void> made = CreateFolders(folder); !made) return made;
  std::string temporary = StateFile(folder);
  const Result<FileDescriptor> file = CreateUnguessableFile(&temporary, ".tmp", O_WRONLY);
  if (!file) return tl::unexpected(file.error());
  Result<void> written = fchmod(file->Get(), S_IRUSR | S_IWUSR) == 0
                             ? WriteAll(file->Get(), report + "\n", temporary)
                             : tl::unexpected(SystemError(temporary, "cannot set its mode"));
  if (written && std::rename(temporary.c_str(), StateFile(folder).c_str()) == 0) return {};
  unlink(temporary.c_str());
  return written ? tl::unexpected(SystemError(StateFile(folder), "cannot write")) : written;
}

}  // namespace

void RememberReport(const std::string& path) {
  const std::string folder = StateFolder();
  if (folder.empty() || path.empty() || path == "-" || IsPipeOrDevice(path)) return;
  std::error_code error;
  const fs::path report = fs::absolute(path, error);
  if (!error) (void)Write(folder, report.lexically_normal().string());
}

Result<std::string> LastReport() {
  const std::string folder = StateFolder();
  const Result<std::string> content = folder.empty() ? Result<std::string>() : ReadFile(StateFile(folder));
  std::string path(content ? Trim(*content) : "");
  if (path.empty()) {
    return Fail("no report of this user yet; `sparkprof run`, `sparkprof analyze` and `sparkprof report` write one");
  }
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    return Fail(path + ": the last report is not there any more; write it again with `sparkprof report RECORDING`");
  }
  return path;
}

}  // namespace sparkprof
