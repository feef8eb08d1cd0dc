// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cpython/ring/ring.h"

namespace sparkprof {

// Writes a ring file. Allocates nothing, waits for nobody, throws nothing; one thread at a time. What finds no room is
// dropped and counted.
//
// Records become visible to the reader with Publish(), all since the last one or none of them: a code goes together
// with the sample that needs it first.
//
//   writer.AddCode(7, "f", "job.py", 3);
//   writer.AddSample(sample, frames);
//   if (writer.Publish()) defined[7] = true;
class RingWriter {
 public:
  RingWriter() = default;
  ~RingWriter() { Close(); }
  RingWriter(const RingWriter&) = delete;
  RingWriter& operator=(const RingWriter&) = delete;

  // Makes the file, which must not exist, with all its blocks allocated: a full disk fails here and not as a signal
  // later. False, with errno set, when that is not possible. `data_bytes` is a power of two.
  bool Create(const char* path, int64_t pid, int64_t start_ticks, int64_t interval_ns, int64_t start_ns,
              size_t data_bytes = kRingDataBytes);
  // Leaves the file to the reader.
  void Close();
  bool IsOpen() const { return header_ != nullptr; }

  // `code` < kRingMaxCodes. Texts longer than kRingMaxText are cut.
  void AddCode(uint32_t code, std::string_view function, std::string_view file, uint32_t first_line);
  // `frames`: at least sample.frames, leaf first; beyond kRingMaxFrames the outermost are left out. The writer fills
  // sample.record.
  void AddSample(RingSample sample, const RingFrame* frames);
  void AddTaskBegin(RingTaskBegin begin);
  void AddTaskEnd(RingTaskEnd end);
  void AddUdf(int64_t task, int32_t eval_type, std::string_view function, std::string_view file, uint32_t first_line);
  void AddNotice(uint16_t level, std::string_view text);

  // False when something since the last Publish() found no room: then all of it is dropped, counted once.
  bool Publish();

  // Totals for the header.
  void SetTorn(uint64_t torn);
  void SetUnreadable(uint64_t unreadable);

 private:
  // Room for a record of `size` bytes, rounded up to 8; null when there is none.
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
