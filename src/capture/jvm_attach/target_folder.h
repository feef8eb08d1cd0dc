// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "capture/jvm_attach/target_process.h"

namespace sparkprof {

// A folder of the target's own file system, for what the target is to load and to write: only the target's user may
// enter it. It is removed with all that is in it at the end of the object.
class TargetFolder {
 public:
  static constexpr std::string_view kPrefix = "sparkprof-attach-";

  // Makes a new folder where libraries can be loaded from: /tmp, /dev/shm, /var/tmp or the working directory, the first
  // that is writable and not mounted noexec. The error names all and what is wrong with each.
  static Result<TargetFolder> Create(const TargetProcess& target);

  // Creates the folder `path`, or takes over one left behind by an earlier sparkprof. Fails while another sparkprof
  // uses it.
  static Result<TargetFolder> CreateAt(const TargetProcess& target, const std::string& path);

  TargetFolder(TargetFolder&&) noexcept = default;
  TargetFolder& operator=(TargetFolder&&) = delete;
  ~TargetFolder();

  // The target's name for the folder.
  const std::string& path() const { return path_; }
  std::string PathOf(std::string_view name) const { return path_ + "/" + std::string(name); }

  // Files are readable for the target's user. An existing file is replaced.
  Result<void> Write(const std::string& name, std::string_view content) const;
  Result<FileDescriptor> Open(const std::string& name) const;
  // The first MiB of the file; empty if it does not exist.
  std::string Read(const std::string& name) const;

 private:
  TargetFolder(const TargetProcess& target, FileDescriptor parent, FileDescriptor folder, std::string path);
  static Result<TargetFolder> CreateIn(const TargetProcess& target, FileDescriptor parent, const std::string& path,
                                       bool take_over);

  uid_t uid_ = 0;
  gid_t gid_ = 0;
  FileDescriptor parent_;
  FileDescriptor folder_;
  std::string path_;
};

}  // namespace sparkprof
