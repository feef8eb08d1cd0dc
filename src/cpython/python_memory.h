// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

namespace sparkprof {

// Copies `size` bytes at `address` of another process (or of this one); false when not all of them can be read.
bool ReadProcessMemory(pid_t pid, uint64_t address, void* bytes, size_t size);

// The memory of a Python process that runs while it is read. Addresses come from that memory and are never trusted: a
// read fails instead of crashing. Not thread-safe.
class PythonMemory {
 public:
  virtual ~PythonMemory() = default;

  // Copies `size` bytes at `address`; false when not all of them can be read.
  virtual bool Read(uint64_t address, void* bytes, size_t size) = 0;

  // Starts a new sample of the process.
  virtual void BeginSample() {}
  // Makes further Reads return memory of a different time, slightly later or earlier.
  virtual void LookAgain() {}
  // Announces memory that the next sample will most likely read.
  virtual void Expect(uint64_t /*address*/, size_t /*size*/) {}
  // A read of something that never changes, or is not needed again.
  virtual bool ReadOnce(uint64_t address, void* bytes, size_t size) { return Read(address, bytes, size); }
  // Reads data that hardly ever changes; the result may be kStableNs old.
  virtual bool ReadStable(uint64_t address, void* bytes, size_t size) { return Read(address, bytes, size); }

  static constexpr int64_t kStableNs = 100'000'000;
};

// Another process (or this one), by process_vm_readv(2). Remembers the reads of the last samples and fetches all of
// them at the start of the next sample, and those that were repeated a second time in the same call, so there are two
// images a few microseconds apart. The first read of a sample, the fast-changing top of a stack, is fetched last in the
// first image and first in the second, so that it has the least time to change. Missing data is read individually. Does
// not allocate. Needs permission to trace the process.
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
  static constexpr size_t kMaxUsed = 64;

  static constexpr uint32_t kNowhere = UINT32_MAX;

  struct Region {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint32_t last_look = 0;                        // that read it
    uint32_t last_again = 0;                       // that read it and was not its sample's first
    uint32_t turn = 0;                             // reads of the previous sample before it
    uint32_t positions[2] = {kNowhere, kNowhere};  // in the two images
  };
  struct Stable {
    uint64_t address = 0;  // 0 = free
    int64_t read_ns = 0;
    uint32_t size = 0;
    bool is_used = false;  // since it was read; it is among used_ then, where that has room
    char bytes[kStableSize];
  };

  void Remember(uint64_t begin, uint64_t end);
  void BeginLook(bool is_again);
  void Rebuild();
  void Arrange();
  void Add(int image, Region* region);
  void Forget(Region* region);
  void Fetch();
  Region* Find(uint64_t address);
  void RenewUsed();

  const pid_t pid_;
  uint32_t look_ = 0;
  uint32_t turn_ = 0;
  uint32_t tidied_ = 0;  // the sample in which unused regions were last dropped
  size_t regions_count_ = 0;
  size_t wanted_count_ = 0;
  size_t parts_ = 0;                          // of both images: number of entries of remote_
  size_t image_size_ = 0;                     // of the first
  size_t size_ = 0;                           // of both
  size_t filled_ = 0;                         // bytes of them that were fetched
  int image_ = 0;                             // the one that is read
  bool is_again_ = false;                     // repeated reads of a sample
  Region regions_[kMaxRegions + kMaxWanted];  // in order of address, apart; then those wanted since the last Rebuild
  uint16_t fetched_[kMaxRegions];             // those regions in the order of the first image
  iovec remote_[kMaxRegions * 2];
  char bytes_[kMaxBytes];
  int64_t now_ns_ = 0;  // start of this sample, by a coarse clock
  size_t used_count_ = 0;
  Stable* used_[kMaxUsed];
  Stable stable_[kStableEntries];
};

}  // namespace sparkprof
