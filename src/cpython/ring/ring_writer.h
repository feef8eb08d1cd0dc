// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cpython/ring/ring.h"

namespace sparkprof {

// Writes a ring file. Does not allocate, block or throw; one thread at a time. Records that do not fit are dropped and
// counted.
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

  // Creates the file, which must not exist, with all its blocks allocated, so that a full disk fails here instead of
  // raising a signal later. Returns false and sets errno on failure. `data_bytes` is a power of two.
  bool Create(const char* path, int64_t pid, int64_t start_ticks, int64_t interval_ns, int64_t start_ns,
              size_t data_bytes = kRingDataBytes);
  // Leaves the file to the reader.
  void Close();
  bool IsOpen() const { return header_ != nullptr; }

  // `code` < kRingMaxCodes. Texts longer than kRingMaxText are truncated.
  void AddCode(uint32_t code, std::string_view function, std::string_view file, uint32_t first_line);
  void AddNativeCode(uint32_t code, uint64_t address, std::string_view path);
  // `frames`: at least sample.frames, leaf first; the outermost beyond kRingMaxFrames are dropped. The writer fills
  // sample.record.
  void AddSample(RingSample sample, const RingFrame* frames);
  void AddTaskBegin(RingTaskBegin begin);
  void AddTaskEnd(RingTaskEnd end);
  void AddUdf(int64_t task, int32_t eval_type, std::string_view function, std::string_view file, uint32_t first_line);
  void AddNotice(uint16_t level, std::string_view text);

  // False when something since the last Publish() found no room: then all of it is dropped, counted once.
  bool Publish();

  // The interval that the reader wants, kRingPaused, or 0 if it has not asked for any.
  int64_t WantedIntervalNs() const;

  // Totals for the header.
  void SetTorn(uint64_t torn);
  void SetUnreadable(uint64_t unreadable);
  void SetNative(uint64_t stacks, uint64_t unknown, uint64_t guessed);

 private:
  // Space for a record of `size` bytes, rounded up to 8; null if there is none.
  char* Reserve(size_t size);
  char* AddRecord(RingRecordType type, RingRecord* record, size_t fixed_size, size_t size);
  size_t Free() const;

  RingHeader* header_ = nullptr;
  char* data_ = nullptr;
  size_t data_bytes_ = 0;
  uint64_t published_ = 0;  // write position that the reader sees
  uint64_t position_ = 0;   // of the next record
  bool failed_ = false;     // something since the last Publish() found no room
};

}  // namespace sparkprof
