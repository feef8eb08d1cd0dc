// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/io/file.h"
#include "base/result.h"

namespace sparkprof {

// Marks the recordings that are being opened in the file FOLDER/opening, which survives a crash. A recording whose
// opening ended the process twice in a row is set aside from the next start on: nothing opens it. Recordings that were
// open together when the process ended are all suspects. Suspects are opened one after another, so that a second end
// shows which of them is the cause. Recordings are named by application or file path. Thread-safe.
class OpeningMarks {
 public:
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

  // Keeps shared marks of this thread while it exists, for work with the opened recording such as a request.
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

  // A mark that ends with the scope, or immediately without one.
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

  // Reads the marks of an earlier process. The folder must exist.
  static Result<std::unique_ptr<OpeningMarks>> Open(const std::string& folder);

  // Fails if the recording is set aside. Ends accumulate only for the same `version`: a recording that grows while
  // processes are killed is not the cause. For a suspect, it waits up to 10 s for suspects that other threads have
  // open.
  Result<Mark> Begin(const std::string& recording, const std::string& version = {});
  // One line per recording that is set aside.
  std::vector<std::string> SetAside() const;
  // Clears all marks: the process ends on purpose.
  void Close();

 private:
  struct Slot {
    std::string name;  // empty = free
    size_t users = 0;
    int ends = 0;           // number of processes that ended while it was open
    bool is_alone = false;  // this open suspect keeps others waiting
  };

  explicit OpeningMarks(FileDescriptor file) : file_(std::move(file)) {}

  void End(const std::string& name);
  // Ignores write errors: a missing mark only loses the protection.
  void Write(size_t slot);

  FileDescriptor file_;
  mutable std::mutex mutex_;
  std::condition_variable suspect_closed_;
  // Open suspects are all of one thread, which may open several in one request.
  std::thread::id suspects_thread_;
  size_t open_suspects_ = 0;
  std::vector<Slot> slots_;
  std::vector<size_t> free_;
  std::map<std::string, size_t, std::less<>> slot_of_;
  bool is_closed_ = false;
};

}  // namespace sparkprof
