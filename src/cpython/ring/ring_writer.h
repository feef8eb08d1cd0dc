// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cpython/ring/ring.h"

namespace sparkprof {

// Writes a ring file. Does not allocate, block or throw. For one thread at a time. Drops and counts records that do
// not fit.
//
// Publish() makes all records since the last call visible to the reader at once, so a code becomes visible with the
// first sample that uses it.
//
//     writer.AddCode(7, "f", "job.py", 3);
//     writer.AddSample(sample, frames);
//     if (writer.Publish()) defined[7] = true;
class RingWriter {
 public:
  RingWriter() = default;
  ~RingWriter() { Close(); }
  RingWriter(const RingWriter&) = delete;
  RingWriter& operator=(const RingWriter&) = delete;

  // Creates the file, which must not exist, and allocates all of its blocks, so that a full disk fails here instead of
  // raising a signal later. Returns false and sets errno on failure. `data_bytes` must be a power of two.
  bool Create(const char* path, int64_t pid, int64_t start_ticks, int64_t interval_ns, int64_t start_ns,
              size_t data_bytes = kRingDataBytes);
  // Closes the file, which stays for the reader.
  void Close();
  bool IsOpen() const { return header_ != nullptr; }

  // `code` must be less than kRingMaxCodes. Truncates texts longer than kRingMaxText.
  void AddCode(uint32_t code, std::string_view function, std::string_view file, uint32_t first_line);
  void AddNativeCode(uint32_t code, uint64_t address, std::string_view path);
  // `frames`: at least sample.frames, leaf first; the outermost beyond kRingMaxFrames are dropped. Sets sample.record.
  void AddSample(RingSample sample, const RingFrame* frames);
  // Adds a record as AddSample does. The last quarter of the ring is for releases: a block without its release would
  // seem to be in use forever.
  void AddAllocation(RingAllocation allocation, const RingFrame* frames);
  bool HasRoomForAllocation() const { return header_ != nullptr && Free() >= data_bytes_ / 4; }
  int FreeSixteenths() const { return header_ == nullptr ? 0 : static_cast<int>(Free() * 16 / data_bytes_); }
  void AddRelease(RingRelease release);
  void AddArrow(RingArrow arrow);
  void AddTaskBegin(RingTaskBegin begin);
  void AddTaskEnd(RingTaskEnd end);
  void AddUdf(int64_t task, int32_t eval_type, std::string_view function, std::string_view file, uint32_t first_line);
  void AddNotice(uint16_t level, std::string_view text);

  // Returns false if a record since the last Publish() did not fit. Then all of them are dropped, and counted once.
  bool Publish();

  // The interval requested by the reader, kRingPaused, or 0 if none was requested.
  int64_t WantedIntervalNs() const;

  // Set totals in the header.
  void SetTorn(uint64_t torn);
  void SetUnreadable(uint64_t unreadable);
  void SetNative(uint64_t stacks, uint64_t unknown, uint64_t guessed);

 private:
  // Space for a record of `size` bytes, rounded up to 8; null if there is not enough.
  char* Reserve(size_t size);
  char* AddRecord(RingRecordType type, RingRecord* record, size_t fixed_size, size_t size);
  size_t Free() const;

  RingHeader* header_ = nullptr;
  char* data_ = nullptr;
  size_t data_bytes_ = 0;
  uint64_t published_ = 0;  // write position visible to the reader
  uint64_t position_ = 0;   // position of the next record
  bool failed_ = false;     // a record since the last Publish() did not fit
};

}  // namespace sparkprof
