// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "storage/storage.h"

namespace sparkprof {

// Collects a storage's files within the limits. Names below the root are untrusted: those with control characters are
// omitted, because messages are single lines.
class ListingBuilder {
 public:
  explicit ListingBuilder(const StorageOptions& options, std::string_view root = {})
      : options_(options), root_size_(root.size()) {}

  void Add(StoredFile file);
  void LeaveOut(std::string name, std::string reason);
  // Whether no more files are accepted.
  bool IsFull() const { return is_full_; }
  // Whether a folder `depth` levels below the root may be listed. If not, records it as not listed.
  bool MayEnter(const std::string& name, int depth);
  bool IsStopped() const { return options_.stop != nullptr && *options_.stop; }

  StorageListing Take();

 private:
  const StorageOptions& options_;
  const size_t root_size_;
  StorageListing listing_;
  bool is_full_ = false;
};

}  // namespace sparkprof
