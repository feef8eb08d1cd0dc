// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

namespace sparkprof {

// Copies `size` bytes at `address` of another process (or of this one); false when not all of them can be read.
bool ReadProcessMemory(pid_t pid, uint64_t address, void* bytes, size_t size);

// The memory of a Python process that runs on while it is read. Addresses come out of that memory and are never
// trusted: a read fails, it does not crash. Not thread-safe.
class PythonMemory {
 public:
  virtual ~PythonMemory() = default;

  // Copies `size` bytes at `address`; false when not all of them can be read.
  virtual bool Read(uint64_t address, void* bytes, size_t size) = 0;

  // A new look at the process begins.
  virtual void BeginSample() {}
  // From now on Read tells what is there at another moment than it did up to now, a little later or earlier.
  virtual void LookAgain() {}
  // What will most likely be read in the next sample.
  virtual void Expect(uint64_t /*address*/, size_t /*size*/) {}
  // A read of something that never changes, or is not needed again.
  virtual bool ReadOnce(uint64_t address, void* bytes, size_t size) { return Read(address, bytes, size); }
  // A read of something that hardly ever changes: what is told may be kStableNs old.
  virtual bool ReadStable(uint64_t address, void* bytes, size_t size) { return Read(address, bytes, size); }

  static constexpr int64_t kStableNs = 100'000'000;
};

// Another process (or this one), by process_vm_readv(2). Remembers what the last samples read and fetches it all,
// twice, in one call when the next begins: as it is at two moments that are a few microseconds apart. What is missing
// then is read one by one. Allocates nothing. Needs the right to trace the process.
class ProcessMemory : public PythonMemory {
 public:
  explicit ProcessMemory(pid_t pid) : pid_(pid) {}

  bool Read(uint64_t address, void* bytes, size_t size) override;
  bool ReadOnce(uint64_t address, void* bytes, size_t size) override {
    return ReadProcessMemory(pid_, address, bytes, size);
  }
  bool ReadStable(uint64_t address, void* bytes, size_t size) override;
  void BeginSample() override;
  void LookAgain() override;
  void Expect(uint64_t address, size_t size) override;

  // Whatever ReadStable has kept.
  void ForgetStable();

 private:
  static constexpr size_t kMaxRegions = 500;  // twice that is below IOV_MAX
  static constexpr size_t kMaxWanted = 128;
  static constexpr size_t kMaxBytes = 256 << 10;
  static constexpr size_t kStableEntries = 512;
  static constexpr size_t kStableSize = 160;

  struct Region {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint32_t position = 0;  // in an image
    uint32_t last_use = 0;
  };
  struct Stable {
    uint64_t address = 0;  // 0 = free
    int64_t read_ns = 0;
    size_t size = 0;
    char bytes[kStableSize];
  };

  void Remember(uint64_t begin, uint64_t end);
  void Rebuild();
  void Fetch();
  const Region* Find(uint64_t address) const;

  const pid_t pid_;
  uint32_t sample_ = 0;
  uint32_t tidied_ = 0;  // the sample in which regions without use were last dropped
  size_t regions_count_ = 0;
  size_t wanted_count_ = 0;
  size_t image_size_ = 0;
  size_t filled_ = 0;                         // bytes that were fetched, of both images
  int image_ = 0;                             // the one that is read
  Region regions_[kMaxRegions + kMaxWanted];  // in order of address, apart; then those wanted since the last Rebuild
  iovec remote_[kMaxRegions * 2];
  char bytes_[kMaxBytes];
  Stable stable_[kStableEntries];
};

}  // namespace sparkprof
