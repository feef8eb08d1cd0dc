// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparkprof {

// The memory of a Python process that runs on while it is read. Addresses come out of that memory and are never
// trusted: a read fails, it does not crash. Not thread-safe.
class PythonMemory {
 public:
  virtual ~PythonMemory() = default;

  // Copies `size` bytes at `address`; false when not all of them can be read.
  virtual bool Read(uint64_t address, void* bytes, size_t size) = 0;

  // A new look at the process begins.
  virtual void BeginSample() {}
  // What will most likely be read in the next sample.
  virtual void Expect(uint64_t /*address*/, size_t /*size*/) {}
  // A read of something that never changes, or is not needed again.
  virtual bool ReadOnce(uint64_t address, void* bytes, size_t size) { return Read(address, bytes, size); }
};

// Another process (or this one), by process_vm_readv(2). Remembers what the last samples read and fetches it all in one
// call when the next begins; what is missing then is read one by one. Needs the right to trace the process.
class ProcessMemory : public PythonMemory {
 public:
  explicit ProcessMemory(pid_t pid) : pid_(pid) {}

  bool Read(uint64_t address, void* bytes, size_t size) override;
  bool ReadOnce(uint64_t address, void* bytes, size_t size) override;
  void BeginSample() override;
  void Expect(uint64_t address, size_t size) override;

 private:
  struct Region {
    uint64_t begin = 0;
    uint64_t end = 0;
    size_t position = 0;  // in bytes_
    size_t filled = 0;    // bytes that could be read
    uint32_t last_use = 0;
  };

  void Remember(uint64_t begin, uint64_t end);
  void Rebuild();
  void Fetch();

  const pid_t pid_;
  uint32_t sample_ = 0;
  std::vector<Region> regions_;  // in order of address, apart
  std::vector<Region> wanted_;   // since the last Rebuild
  std::vector<iovec> remote_;
  std::vector<char> bytes_;
};

}  // namespace sparkprof
