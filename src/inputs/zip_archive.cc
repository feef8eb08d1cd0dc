// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <zip.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "inputs/archive.h"

namespace sparkprof {
namespace {

using ZipHandle = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using ZipFile = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

// Pool of libzip handles. A handle serves one thread at a time: each open entry borrows one.
class ZipHandles {
 public:
  ZipHandles(SharedBytes archive, std::string name) : archive_(std::move(archive)), name_(std::move(name)) {}

  Result<ZipHandle> Borrow() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        ZipHandle handle = std::move(idle_.back());
        idle_.pop_back();
        return handle;
      }
    }
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* const source = zip_source_buffer_create(archive_.bytes.data(), archive_.bytes.size(), 0, &error);
    zip_t* const zip = source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    if (zip == nullptr) {
      if (source != nullptr) zip_source_free(source);
      return Fail(fmt::format("{}: damaged or truncated zip archive ({})", name_, reason));
    }
    return ZipHandle(zip, zip_discard);
  }

  void Return(ZipHandle handle) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(handle));
  }

  const std::string& Name() const { return name_; }

 private:
  const SharedBytes archive_;
  const std::string name_;
  std::mutex mutex_;
  std::vector<ZipHandle> idle_;
};

class ZipEntrySource : public ByteSource {
 public:
  ZipEntrySource(std::shared_ptr<ZipHandles> handles, ZipHandle zip, ZipFile file, std::string name)
      : handles_(std::move(handles)), zip_(std::move(zip)), file_(std::move(file)), name_(std::move(name)) {}

  ~ZipEntrySource() override {
    file_.reset();
    handles_->Return(std::move(zip_));
  }

  Result<size_t> Read(char* bytes, size_t size) override {
    if (ended_) return 0;
    const zip_int64_t got = zip_fread(file_.get(), bytes, size);
    ended_ = got <= 0;
    if (got < 0) {
      return Fail(fmt::format("{}: damaged at byte {} ({})", name_, given_, zip_file_strerror(file_.get())));
    }
    given_ += got;
    return static_cast<size_t>(got);
  }

 private:
  std::shared_ptr<ZipHandles> handles_;
  ZipHandle zip_;
  ZipFile file_;
  const std::string name_;
  int64_t given_ = 0;
  bool ended_ = false;
};

Result<std::unique_ptr<ByteSource>> OpenEntry(const std::shared_ptr<ZipHandles>& handles, zip_uint64_t index,
                                              const std::string& name, int64_t compressed_size,
                                              const ExpansionLimits& limits) {
  Result<ZipHandle> zip = handles->Borrow();
  if (!zip) return tl::unexpected(zip.error());
  ZipFile file(zip_fopen_index(zip->get(), index, 0), zip_fclose);
  if (file == nullptr) {
    const std::string reason = zip_strerror(zip->get());
    handles->Return(std::move(*zip));
    return Fail(fmt::format("{}: cannot open ({})", name, reason));
  }
  return LimitExpansion(std::make_unique<ZipEntrySource>(handles, std::move(*zip), std::move(file), name),
                        compressed_size, name, limits);
}

}  // namespace

Result<Archive> ListZip(const SharedBytes& archive, const std::string& name, const ExpansionLimits& limits) {
  const auto handles = std::make_shared<ZipHandles>(archive, name);
  Result<ZipHandle> zip = handles->Borrow();
  if (!zip) return tl::unexpected(zip.error());
  Archive listed;
  const zip_int64_t count = zip_get_num_entries(zip->get(), 0);
  for (zip_uint64_t index = 0; index < static_cast<zip_uint64_t>(count); ++index) {
    zip_stat_t status;
    zip_stat_init(&status);
    if (zip_stat_index(zip->get(), index, 0, &status) != 0 || (status.valid & ZIP_STAT_NAME) == 0) {
      listed.damaged.push_back({fmt::format("entry {}", index), zip_strerror(zip->get())});
      continue;
    }
    const std::string entry = status.name;
    if (entry.ends_with('/')) continue;
    const int64_t compressed_size = static_cast<int64_t>(status.comp_size);
    listed.entries.push_back({.name = entry,
                              .host = {},
                              .size = compressed_size,
                              .open = [handles, index, path = name + "!" + entry, compressed_size, limits] {
                                return OpenEntry(handles, index, path, compressed_size, limits);
                              }});
  }
  handles->Return(std::move(*zip));
  return listed;
}

}  // namespace sparkprof
