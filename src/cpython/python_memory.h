// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

namespace sparkprof {

// Copies `size` bytes at `address` of another process or of this one. Returns false if not all are readable.
bool ReadProcessMemory(pid_t pid, uint64_t address, void* bytes, size_t size);

// Memory of a running Python process. Addresses come from that memory and are never trusted: a read fails instead of
// crashing. Not thread-safe.
class PythonMemory {
 public:
  virtual ~PythonMemory() = default;

  // Copies `size` bytes at `address`. Returns false if not all are readable.
  virtual bool Read(uint64_t address, void* bytes, size_t size) = 0;

  virtual void BeginSample() {}
  // Switches further reads to memory of a slightly different time.
  virtual void LookAgain() {}
  // Announces memory that the next sample will most likely read.
  virtual void Expect(uint64_t /*address*/, size_t /*size*/) {}
  // Reads data that never changes or is not needed again.
  virtual bool ReadOnce(uint64_t address, void* bytes, size_t size) { return Read(address, bytes, size); }
  // Reads data that rarely changes; the result may be kStableNs old.
  virtual bool ReadStable(uint64_t address, void* bytes, size_t size) { return Read(address, bytes, size); }

  static constexpr int64_t kStableNs = 100'000'000;
};

// Reads another process or this one with process_vm_readv(2). Remembers the reads of the last samples and fetches all
// of them at the start of the next sample, those that were repeated twice in the same call, so there are two images a
// few microseconds apart. The first read of a sample, the fast-changing top of a stack, is fetched last in the first
// image and first in the second, so that it has the least time to change. Missing data is read individually. Does not
// allocate. Requires permission to trace the process.
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

  // Drops the cache of ReadStable.
  void ForgetStable();

 private:
  static constexpr size_t kMaxRegions = 500;  // twice this number is below IOV_MAX
  static constexpr size_t kMaxWanted = 128;
  static constexpr size_t kMaxBytes = 256 << 10;
  static constexpr size_t kStableEntries = 512;
  static constexpr size_t kStableSize = 160;
  static constexpr size_t kMaxUsed = 64;

  static constexpr uint32_t kNowhere = UINT32_MAX;

  struct Region {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint32_t last_look = 0;                        // last look that read the region
    uint32_t last_again = 0;                       // last look that read it other than as its sample's first
    uint32_t turn = 0;                             // number of reads before it in the previous sample
    uint32_t positions[2] = {kNowhere, kNowhere};  // positions in the two images
  };
  struct Stable {
    uint64_t address = 0;  // 0 = unused slot
    int64_t read_ns = 0;
    uint32_t size = 0;
    bool is_used = false;  // used since it was read; then listed in used_ unless that is full
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
  uint32_t tidied_ = 0;  // sample in which unused regions were last dropped
  size_t regions_count_ = 0;
  size_t wanted_count_ = 0;
  size_t parts_ = 0;       // number of entries of remote_ for both images
  size_t image_size_ = 0;  // size of the first image
  size_t size_ = 0;        // size of both images
  size_t filled_ = 0;      // number of bytes fetched
  int image_ = 0;          // image that is being read
  bool is_again_ = false;  // repeating the reads of a sample
  Region regions_[kMaxRegions +
                  kMaxWanted];     // disjoint, sorted by address; followed by those requested since the last Rebuild
  uint16_t fetched_[kMaxRegions];  // rows of regions_ in the order of the first image
  iovec remote_[kMaxRegions * 2];
  char bytes_[kMaxBytes];
  int64_t now_ns_ = 0;  // start of this sample, from a coarse clock
  size_t used_count_ = 0;
  Stable* used_[kMaxUsed];
  Stable stable_[kStableEntries];
};

}  // namespace sparkprof
