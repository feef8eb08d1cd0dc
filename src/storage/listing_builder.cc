// SPDX-License-Identifier: Apache-2.0
#include "storage/listing_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/text.h"

namespace sparkprof {

void ListingBuilder::Add(StoredFile file) {
  const std::string_view below_root = std::string_view(file.name).substr(root_size_);
  const bool has_control =
      std::any_of(below_root.begin(), below_root.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (has_control) {
    LeaveOut(ToOneLine(file.name), "control characters in its name");
  } else if (listing_.files.size() < options_.max_files) {
    listing_.files.push_back(std::move(file));
  } else if (!is_full_) {
    is_full_ = true;
    LeaveOut(file.name.substr(0, file.name.rfind('/')), fmt::format("more than {} files", options_.max_files));
  }
}

void ListingBuilder::LeaveOut(std::string name, std::string reason) {
  listing_.not_listed.push_back({std::move(name), std::move(reason)});
}

bool ListingBuilder::MayEnter(const std::string& name, int depth) {
  if (depth <= options_.max_depth) return true;
  LeaveOut(name, fmt::format("nested more than {} folders deep", options_.max_depth));
  return false;
}

StorageListing ListingBuilder::Take() {
  std::sort(listing_.files.begin(), listing_.files.end(),
            [](const StoredFile& a, const StoredFile& b) { return a.name < b.name; });
  return std::move(listing_);
}

}  // namespace sparkprof
