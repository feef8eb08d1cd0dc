// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/io/file.h"
#include "base/result.h"

namespace sparkprof {

// The recording to which the agent appends its blocks. Holds flock(LOCK_EX) while open. If the file and its folder are
// deleted, writes it again completely as `node_dir`/NAME, in a folder for its owner only. Never writes to links or
// files of other users; if one has the recording's name, the recording gets a suffix. Errors do not end the agent:
// unwritable data is dropped and counted.
class Spool {
 public:
  // Calls `on_trouble` once per kind of problem.
  explicit Spool(std::function<void(const std::string&)> on_trouble) : on_trouble_(std::move(on_trouble)) {}

  // Creates missing parent folders. On failure, creates the file in `node_dir` unless that is empty.
  void Open(const std::string& path, const std::string& node_dir, int64_t max_bytes);

  // Fallback folder for when the file is deleted.
  void SetNodeDir(const std::string& node_dir) { node_dir_ = node_dir; }

  // Renames the open file to `path`, or opens `path` if none is open.
  void MoveTo(const std::string& path);

  // The `last` block may slightly exceed the size limit: it contains the losses.
  void Append(std::string_view block, bool last = false);

  // Starts over with an empty file of the same name, for a spool whose content is stored elsewhere up to its end. On
  // failure, nothing changes.
  void Restart();

  // Also restores a file that was deleted since the last block.
  void Close();

  bool IsOpen() const { return file_.IsOpen(); }
  const std::string& Path() const { return path_; }
  // Position in the recording of the file's first byte, and of its end.
  int64_t Base() const { return base_; }
  int64_t End() const { return base_ + size_; }

  const std::map<std::string, int64_t>& DroppedBytes() const { return dropped_bytes_; }

 private:
  Result<void> OpenFile(const std::string& wanted);
  Result<FileDescriptor> CreateOrContinue(std::string* path);
  Result<void> OpenInNodeDir(const std::string& name);
  void RescueDeleted();
  void Drop(size_t size, const std::string& reason, const std::string& trouble);

  std::function<void(const std::string&)> on_trouble_;
  std::string path_;
  std::string node_dir_;
  int64_t max_bytes_ = 0;  // 0 = no limit
  int64_t base_ = 0;
  int64_t size_ = 0;
  FileDescriptor file_;
  bool deleted_ = false;  // deleted without a fallback folder
  std::map<std::string, int64_t> dropped_bytes_;
};

}  // namespace sparkprof
