// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/storage.h"

namespace sparkprof {

// Counts the requests to another storage, because object stores charge for them. Retries count once.
class CountedStorage : public Storage {
 public:
  explicit CountedStorage(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {}

  const std::string& Root() const override { return storage_->Root(); }
  bool IsRemote() const override { return storage_->IsRemote(); }
  Result<StorageListing> List() override {
    ++lists;
    return storage_->List();
  }
  Result<std::string> Read(const std::string& name, int64_t offset, size_t size) override {
    ++reads;
    return storage_->Read(name, offset, size);
  }
  Result<bool> Create(const std::string& name, std::string_view content) override {
    ++creates;
    return storage_->Create(name, content);
  }
  Result<std::optional<std::string>> ReadIfExists(const std::string& name, uint64_t max_bytes) override {
    ++reads;
    return storage_->ReadIfExists(name, max_bytes);
  }
  Result<void> Remove(const std::string& name) override {
    ++removes;
    return storage_->Remove(name);
  }
  Result<void> MakeFolders(const std::vector<std::string>& names) override { return storage_->MakeFolders(names); }

  std::atomic<uint64_t> creates = 0, reads = 0, lists = 0, removes = 0;

 private:
  const std::unique_ptr<Storage> storage_;
};

}  // namespace sparkprof
