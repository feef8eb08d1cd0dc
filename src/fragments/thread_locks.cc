// SPDX-License-Identifier: Apache-2.0
#include "fragments/thread_locks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text/characters.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxCircle = 100;  // maximum number of threads

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// `"NAME" #1 prio=5 …`
std::string NameOfThread(std::string_view line) {
  const size_t end = line.substr(0, line.find(" owned by \"")).rfind('"');
  return end == 0 || end == std::string_view::npos ? std::string() : std::string(line.substr(1, end - 1));
}

// The text between `begin` and `end`; empty without `begin`.
std::string Between(std::string_view text, std::string_view begin, std::string_view end) {
  const size_t at = text.find(begin);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + begin.size());
  return std::string(text.substr(0, text.find_first_of(end)));
}

class LockReader {
 public:
  ThreadLocks Read(std::string_view text) {
    while (!text.empty()) AddLine(Trim(TakeLine(&text)));
    EndDump();
    return std::move(locks_);
  }

 private:
  void AddLine(std::string_view line) {
    if (line.starts_with("Full thread dump")) EndDump();
    if (line.starts_with("Found one Java-level deadlock")) in_deadlock_ = true;
    if (line.starts_with("Java stack information for the threads listed above")) in_deadlock_ = false;
    if (in_deadlock_) {
      if (line.starts_with('"') && line.ends_with("\":")) reported_.push_back(NameOfThread(line));
    } else if (line.starts_with('"')) {
      BeginThread(line);
    } else if (line.starts_with("- waiting to lock <")) {
      blocked_[thread_] = {Between(line, "<", ">"), {}, Between(line, "(a ", ")")};
    } else if (line.starts_with("- waiting on <")) {
      released_ = Between(line, "<", ">");  // Object.wait() releases the lock
    } else if (line.starts_with("- locked <")) {
      const std::string lock = Between(line, "<", ">");
      if (lock != released_) owners_[lock] = thread_;
    } else if (!line.empty() && IsDigit(line[0])) {
      AddRowOfPage(line);
    }
  }

  void BeginThread(std::string_view line) {
    thread_ = NameOfThread(line);
    released_.clear();
    if (thread_ == "DestroyJavaVM") {
      has_main_ended_ = true;
    } else if (Contains(line, " #") && !Contains(line, " daemon ")) {
      no_daemons_.push_back(thread_);
    }
  }

  // A row of Spark's UI: "7 | worker-1 | BLOCKED | Blocked by Thread Some(5) Lock(java.lang.Object@1)", also with tabs.
  void AddRowOfPage(std::string_view line) {
    const std::string number(line.substr(0, line.find_first_not_of("0123456789")));
    line = line.substr(number.size());
    const size_t begin = line.find_first_not_of("\t |");
    if (begin == std::string_view::npos) return;
    const std::string name(Trim(line.substr(begin, line.find_first_of("\t|", begin) - begin)));
    if (name.empty()) return;
    names_[number] = name;
    if (!Contains(line, "Blocked by Thread ")) return;
    const std::string lock = Between(line, "Lock(", "})\t ");
    const size_t holder = std::min(line.find_first_of("0123456789", line.find("Blocked by Thread ")), line.size());
    const std::string_view id = line.substr(holder);
    owner_numbers_[lock] = std::string(id.substr(0, id.find_first_not_of("0123456789")));
    blocked_[name] = {lock, {}, lock.substr(0, lock.find('@'))};
  }

  // The threads of the deadlock that contains `thread`; empty if there is none.
  std::vector<std::string> CircleOf(const std::string& thread) const {
    std::vector<std::string> circle;
    std::set<std::string> seen;
    for (auto at = blocked_.find(thread);
         at != blocked_.end() && seen.size() < kMaxCircle && seen.insert(at->first).second;
         at = blocked_.find(at->second.holder)) {
      circle.push_back(at->first);
      if (at->second.holder == thread) return circle;
    }
    return {};
  }

  void EndDump() {
    for (const auto& [lock, number] : owner_numbers_) {
      if (const auto name = names_.find(number); name != names_.end()) owners_[lock] = name->second;
    }
    for (auto& [thread, wait] : blocked_) {
      if (const auto owner = owners_.find(wait.lock); owner != owners_.end()) wait.holder = owner->second;
    }
    for (const auto& [thread, wait] : blocked_) {
      locks_.waits[thread] = wait;
      if (wait.holder.empty()) continue;
      locks_.owned.push_back(fmt::format("{} waits for <{}>, which {} holds", thread, wait.lock, wait.holder));
      if (!CircleOf(thread).empty()) reported_.push_back(thread);
    }
    std::set<std::string> known(locks_.deadlocked.begin(), locks_.deadlocked.end());
    for (std::string& thread : reported_) {
      if (known.insert(thread).second) locks_.deadlocked.push_back(std::move(thread));
    }
    if (has_main_ended_) locks_.awaited = std::move(no_daemons_);
    LockReader next;
    next.locks_ = std::move(locks_);
    *this = std::move(next);
  }

  ThreadLocks locks_;
  std::string thread_, released_;
  std::map<std::string, ThreadLocks::Wait> blocked_;
  std::map<std::string, std::string> owners_, owner_numbers_,
      names_;  // owners by lock, their numbers by lock, names by number
  std::vector<std::string> reported_, no_daemons_;
  bool in_deadlock_ = false, has_main_ended_ = false;
};

}  // namespace

ThreadLocks ReadThreadLocks(std::string_view text) { return LockReader().Read(text); }

}  // namespace sparkprof
