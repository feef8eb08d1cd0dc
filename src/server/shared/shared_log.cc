// SPDX-License-Identifier: Apache-2.0
#include "server/shared/shared_log.h"

#include <fmt/format.h>

#include <optional>

#include "base/text/json_writer.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr uint64_t kMaxChangeBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxBundleBytes = uint64_t{1} << 30;

}  // namespace

std::string SharedLog::NameOf(uint64_t number) const {
  return fmt::format("{}/changes/{:020}", storage_->Root(), number);
}

uint64_t SharedLog::Position() const {
  const std::lock_guard lock(mutex_);
  return position_;
}

Result<void> SharedLog::Read() {
  const std::lock_guard lock(using_);
  return ReadLocked();
}

std::string SharedLog::BundleAfter(uint64_t position) const {
  return fmt::format("{}/bundles/{:020}", storage_->Root(), position / kChangesInBundle + 1);
}

void SharedLog::Apply(std::string_view content) {
  // Skips the first line, which names the writer.
  on_lines_(position_ + 1, content.substr(content.find('\n') + 1));
  const std::lock_guard lock(mutex_);
  ++position_;
}

Result<bool> SharedLog::ReadBundle() {
  const std::string name = BundleAfter(position_);
  const Result<std::optional<std::string>> bundle = storage_->ReadIfExists(name, kMaxBundleBytes);
  if (!bundle) return tl::unexpected(bundle.error());
  if (!*bundle) return false;
  for (std::string_view rest = **bundle; !rest.empty();) {
    const size_t end = rest.find('\n');
    const std::optional<int64_t> size = ParseInteger(rest.substr(0, end));
    if (end == std::string_view::npos || !size || *size < 0 || static_cast<uint64_t>(*size) > rest.size() - end - 1) {
      return Fail(name + ": damaged; remove it: it only saves requests");
    }
    Apply(rest.substr(end + 1, static_cast<size_t>(*size)));
    rest.remove_prefix(end + 1 + static_cast<size_t>(*size));
  }
  return true;
}

Result<void> SharedLog::ReadLocked() {
  while (true) {
    if (position_ % kChangesInBundle == 0) {
      bundle_.clear();
      const Result<bool> read = ReadBundle();
      if (!read) return tl::unexpected(read.error());
      if (*read) continue;
    }
    const Result<std::optional<std::string>> next = storage_->ReadIfExists(NameOf(position_ + 1), kMaxChangeBytes);
    if (!next) return tl::unexpected(next.error());
    if (!*next) return {};
    if (bundle_.size() <= kMaxBundleBytes) bundle_ += fmt::format("{}\n{}", (*next)->size(), **next);
    Apply(**next);
    // All nodes create the same bundle. A missing one only costs requests.
    if (position_ % kChangesInBundle == 0 && bundle_.size() <= kMaxBundleBytes) {
      (void)storage_->Create(BundleAfter(position_ - 1), bundle_);
    }
  }
}

Result<bool> SharedLog::Append(std::string_view lines, uint64_t position) {
  const std::lock_guard lock(using_);
  if (position != position_) return false;
  // Makes each append unique, because Create compares contents.
  JsonWriter head;
  head.BeginObject().Member("node", node_).Member("append", ++appends_).EndObject();
  const std::string content = head.Take() + "\n" + std::string(lines);
  // No node could read it, or what comes after it.
  if (content.size() > kMaxChangeBytes) return Fail("the lines are too large for the store's log");
  const Result<bool> created = storage_->Create(NameOf(position + 1), content);
  if (!created) return created;
  // Reads this node's own lines, too: an earlier append may have succeeded although its answer was lost.
  if (Result<void> read = ReadLocked(); !read) return tl::unexpected(read.error());
  return created;
}

Result<void> SharedLog::Append(std::string_view lines) {
  while (true) {
    const Result<bool> appended = Append(lines, Position());
    if (!appended) return tl::unexpected(appended.error());
    if (*appended) return {};
  }
}

}  // namespace sparkprof
