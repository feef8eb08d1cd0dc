// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/io/file.h"
#include "base/result.h"
#include "capture/jvm_attach/target_process.h"

namespace sparkprof {

// A folder in the target's own file system for files that the target loads and writes. Only the target's user may enter
// it. The destructor removes it with its contents.
class TargetFolder {
 public:
  static constexpr std::string_view kPrefix = "sparkprof-attach-";

  // Creates a folder from which libraries can be loaded: in /tmp, /dev/shm, /var/tmp or the working directory,
  // whichever is first writable and not mounted noexec. The error lists all with the reason.
  static Result<TargetFolder> Create(const TargetProcess& target);

  // Creates the folder `path`, or takes over one that an earlier sparkprof left behind. Fails while another sparkprof
  // uses it.
  static Result<TargetFolder> CreateAt(const TargetProcess& target, const std::string& path);

  TargetFolder(TargetFolder&&) noexcept = default;
  TargetFolder& operator=(TargetFolder&&) = delete;
  ~TargetFolder();

  // Path of the folder in the target's file system.
  const std::string& path() const { return path_; }
  std::string PathOf(std::string_view name) const { return path_ + "/" + std::string(name); }

  // Files are readable for the target's user. Replaces an existing file.
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
