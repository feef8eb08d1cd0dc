// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "cpython/ring/ring.h"

namespace sparkprof {

// What a ring holds, record by record. Views hold during the call only.
class RingHandler {
 public:
  virtual ~RingHandler() = default;
  virtual void OnCode(const RingCode& code, std::string_view function, std::string_view file) = 0;
  // `frames`: sample.frames of them, leaf first; their codes may never have been said.
  virtual void OnSample(const RingSample& sample, const RingFrame* frames) = 0;
  virtual void OnTaskBegin(const RingTaskBegin& begin) = 0;
  virtual void OnTaskEnd(const RingTaskEnd& end) = 0;
  virtual void OnUdf(const RingUdf& udf, std::string_view function, std::string_view file) = 0;
  virtual void OnNotice(uint16_t level, std::string_view text) = 0;
};

// Reads a ring file that a sampler writes at the same time. Trusts nothing in it: no size, no position; what cannot be
// right is counted and left out. Reads with pread: a file that is cut meanwhile is an error, no signal. Not
// thread-safe.
class RingReader {
 public:
  // Fails when the file is no ring, or none yet.
  static Result<RingReader> Open(const std::string& path);

  // Hands over everything that was published since the last call and makes its room free again.
  void Drain(RingHandler* handler);

  int64_t Pid() const { return header_.pid; }
  int64_t StartTicks() const { return header_.start_ticks; }
  int64_t IntervalNs() const { return header_.interval_ns; }

  // Totals so far, as of the last Drain(). The first three are the sampler's own words.
  int64_t Dropped() const;
  int64_t Torn() const;
  int64_t Unreadable() const;
  int64_t DamagedBytes() const { return damaged_bytes_; }

 private:
  RingReader(FileDescriptor file, const RingHeader& header) : file_(std::move(file)), header_(header) {}

  bool ReadHeader();
  bool Copy(uint64_t from, uint64_t to);
  void Parse(uint64_t from, RingHandler* handler);

  FileDescriptor file_;
  RingHeader header_;
  uint64_t read_position_ = 0;
  int64_t damaged_bytes_ = 0;
  std::vector<char> records_;  // those of the current Drain()
};

}  // namespace sparkprof
