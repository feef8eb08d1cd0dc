// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace sparkprof {

// Which recordings are being opened, in the file FOLDER/opening, which outlives the process however it ends. One whose
// opening ended the process twice in a row is set aside from the next start on: nothing opens it. Names are those of
// applications or paths of files. Thread-safe.
class OpeningMarks {
 public:
  // Ends what Begin began.
  class Mark {
   public:
    Mark(OpeningMarks* marks, std::string name) : marks_(marks), name_(std::move(name)) {}
    Mark(Mark&& other) noexcept : marks_(std::exchange(other.marks_, nullptr)), name_(std::move(other.name_)) {}
    Mark& operator=(Mark&&) = delete;
    ~Mark() {
      if (marks_ != nullptr) marks_->End(name_);
    }

   private:
    OpeningMarks* marks_;
    std::string name_;
  };

  // While it lives, the shared marks of this thread hold on: for work with what was opened, such as a request.
  class Scope {
   public:
    Scope() : outer_(std::exchange(current_, this)) {}
    ~Scope() { current_ = outer_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    friend class OpeningMarks;
    static thread_local Scope* current_;

    Scope* const outer_;
    std::vector<Mark> marks_;
  };

  // A mark that ends with the scope, or at once if there is none.
  class SharedMark {
   public:
    explicit SharedMark(Mark mark) : mark_(std::move(mark)) {}
    SharedMark(const SharedMark&) = delete;
    SharedMark& operator=(const SharedMark&) = delete;
    ~SharedMark() {
      if (Scope::current_ != nullptr) Scope::current_->marks_.push_back(std::move(mark_));
    }

   private:
    Mark mark_;
  };

  // Reads what an earlier process left. The folder exists.
  static Result<std::unique_ptr<OpeningMarks>> Open(const std::string& folder);

  // Fails if the recording is set aside. Ends count together only if the recording had the same `version`: one that
  // grows while processes are killed is not at fault.
  Result<Mark> Begin(const std::string& recording, const std::string& version = {});
  // A line for each recording that is set aside.
  std::vector<std::string> SetAside() const;
  // The process ends on purpose: no mark stays.
  void Close();

 private:
  // A part of the file.
  struct Slot {
    std::string name;  // empty = free
    size_t users = 0;
    int ends = 0;  // of processes while they opened it
  };

  explicit OpeningMarks(FileDescriptor file) : file_(std::move(file)) {}

  void End(const std::string& name);
  // A mark that cannot be written is none: it protects from a defect, and must not be one.
  void Write(size_t slot);

  FileDescriptor file_;
  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<size_t> free_;
  std::map<std::string, size_t, std::less<>> slot_of_;
  bool is_closed_ = false;
};

}  // namespace sparkprof
