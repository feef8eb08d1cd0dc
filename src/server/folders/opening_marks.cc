// SPDX-License-Identifier: Apache-2.0
#include "server/folders/opening_marks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>

#include "base/io/private_file.h"
#include "base/text/text.h"
#include "http/signing.h"
#include "model/hash_bytes.h"

namespace sparkprof {
namespace {

constexpr int kMaxEnds = 2;
constexpr std::chrono::seconds kMaxWait{10};
// A slot of the file is a line "STATE ENDS HASH SIZE NAME", padded with NUL bytes. STATE is o (open) or e (an earlier
// process ended).
constexpr size_t kSlotBytes = 1024;
constexpr size_t kMaxName = 900;
constexpr size_t kMaxSlots = 4096;

constexpr char kVersionMark = '\x1f';  // separates a recording's name from its version

struct SlotText {
  bool is_open = false;
  int ends = 0;
  std::string name;
};

std::string_view WithoutVersion(std::string_view name) { return name.substr(0, name.find(kVersionMark)); }

std::string NameInFile(std::string_view name) {
  if (name.size() <= kMaxName) return std::string(name);
  return fmt::format("{}+{}", name.substr(0, kMaxName), Sha256Hex(name));
}

std::string Format(bool is_open, int ends, const std::string& name) {
  return fmt::format("{} {} {:016x} {} {}", is_open ? 'o' : 'e', ends, HashBytes(name), name.size(), name);
}

// Returns nullopt for a free or damaged slot.
std::optional<SlotText> Parse(std::string_view slot) {
  SlotText text;
  if (!slot.starts_with("o ") && !slot.starts_with("e ")) return std::nullopt;
  text.is_open = slot.front() == 'o';
  const std::vector<std::string_view> words = Split(slot.substr(0, std::min<size_t>(slot.size(), 64)), ' ');
  if (words.size() < 5) return std::nullopt;
  const std::optional<int64_t> ends = ParseInteger(words[1]), size = ParseInteger(words[3]);
  const size_t begin = words[0].size() + words[1].size() + words[2].size() + words[3].size() + 4;
  if (!ends || *ends < 0 || *ends > kMaxEnds || !size || *size < 1 || begin + static_cast<size_t>(*size) > slot.size())
    return std::nullopt;
  text.ends = static_cast<int>(*ends);
  text.name = slot.substr(begin, static_cast<size_t>(*size));
  if (fmt::format("{:016x}", HashBytes(text.name)) != words[2]) return std::nullopt;
  return text;
}

Error SetAsideError(std::string_view name) {
  return {
      fmt::format("{}: set aside: opening it ended the collector twice (remove it, or stop the collector and remove "
                  "DATA/opening to open it again)",
                  ToOneLine(WithoutVersion(name)))};
}

}  // namespace

thread_local OpeningMarks::Scope* OpeningMarks::Scope::current_ = nullptr;

Result<std::unique_ptr<OpeningMarks>> OpeningMarks::Open(const std::string& folder) {
  const std::string path = folder + "/opening";
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, SharedFileMode()));
  if (!file.IsOpen()) return tl::unexpected(SystemError(path, "cannot open"));
  const Result<std::string> content = ReadFile(path);
  if (!content) return tl::unexpected(content.error());
  std::unique_ptr<OpeningMarks> marks(new OpeningMarks(std::move(file)));
  // Recordings that were open at the end, in any version. A starting process that scans folders may open only a part of
  // a file.
  std::set<std::string, std::less<>> ended;
  for (size_t at = 0; at < content->size(); at += kSlotBytes) {
    const std::optional<SlotText> text = Parse(std::string_view(*content).substr(at, kSlotBytes));
    if (text && text->is_open) ended.emplace(WithoutVersion(text->name));
  }
  for (size_t at = 0; at < content->size() && marks->slots_.size() < kMaxSlots; at += kSlotBytes) {
    const std::optional<SlotText> text = Parse(std::string_view(*content).substr(at, kSlotBytes));
    const size_t slot = marks->slots_.size();
    Slot& known = marks->slots_.emplace_back();
    // The last process ended without this recording open, so its earlier ends had another cause.
    const bool is_over = text && !text->is_open && text->ends < kMaxEnds && !ended.contains(WithoutVersion(text->name));
    if (!text || is_over || !marks->slot_of_.emplace(text->name, slot).second) {
      marks->free_.push_back(slot);
      continue;
    }
    known.name = text->name;
    known.ends = std::min(text->ends + (text->is_open ? 1 : 0), kMaxEnds);
    if (text->is_open) marks->Write(slot);
  }
  return marks;
}

Result<OpeningMarks::Mark> OpeningMarks::Begin(const std::string& recording, const std::string& version) {
  std::string name = NameInFile(version.empty() ? recording : recording + kVersionMark + version);
  std::unique_lock lock(mutex_);
  const auto is_suspect = [&] {
    const auto known = slot_of_.find(name);
    return known != slot_of_.end() && slots_[known->second].ends > 0 && slots_[known->second].ends < kMaxEnds;
  };
  const auto is_free = [&] { return open_suspects_ == 0 || suspects_thread_ == std::this_thread::get_id(); };
  suspect_closed_.wait_for(lock, kMaxWait, [&] { return !is_suspect() || is_free(); });
  const bool is_alone = is_suspect() && is_free();
  const auto known = slot_of_.find(name);
  size_t slot = 0;
  if (known != slot_of_.end()) {
    slot = known->second;
    if (slots_[slot].ends >= kMaxEnds) return tl::unexpected(SetAsideError(name));
  } else if (!free_.empty()) {
    slot = free_.back();
    free_.pop_back();
  } else if (slots_.size() < kMaxSlots) {
    slot = slots_.size();
    slots_.emplace_back();
  } else {
    return Mark(nullptr, {});
  }
  if (is_alone && !slots_[slot].is_alone) {
    slots_[slot].is_alone = true;
    suspects_thread_ = std::this_thread::get_id();
    ++open_suspects_;
  }
  slots_[slot].name = name;
  slot_of_.emplace(name, slot);
  if (++slots_[slot].users == 1) Write(slot);
  return Mark(this, std::move(name));
}

void OpeningMarks::End(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto known = slot_of_.find(name);
  Slot& slot = slots_[known->second];
  if (--slot.users > 0) return;
  if (slot.is_alone && --open_suspects_ == 0) suspect_closed_.notify_all();
  // Opening succeeded, which clears earlier failures.
  slot = {};
  Write(known->second);
  free_.push_back(known->second);
  slot_of_.erase(known);
}

void OpeningMarks::Write(size_t slot) {
  if (is_closed_) return;
  const Slot& content = slots_[slot];
  const bool is_free = content.users == 0 && content.ends == 0;
  std::string bytes = is_free ? "" : Format(content.users > 0, content.ends, content.name);
  bytes.resize(kSlotBytes);
  (void)!pwrite(file_.Get(), bytes.data(), bytes.size(), static_cast<off_t>(slot * kSlotBytes));
}

std::vector<std::string> OpeningMarks::SetAside() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines;
  for (const auto& [name, slot] : slot_of_) {
    if (slots_[slot].ends >= kMaxEnds) lines.push_back(SetAsideError(name).message);
  }
  return lines;
}

void OpeningMarks::Close() {
  const std::lock_guard lock(mutex_);
  for (size_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].users == 0) continue;
    const size_t users = std::exchange(slots_[slot].users, 0);
    Write(slot);
    slots_[slot].users = users;
  }
  is_closed_ = true;
}

}  // namespace sparkprof
