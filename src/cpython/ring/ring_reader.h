// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/file.h"
#include "base/result.h"
#include "cpython/ring/ring.h"

namespace sparkprof {

// Receives the records of a ring. Views are valid only during the call.
class RingHandler {
 public:
  virtual ~RingHandler() = default;
  virtual void OnCode(const RingCode& code, std::string_view function, std::string_view file) = 0;
  // `frames`: sample.frames entries, leaf first; their codes may be undefined.
  virtual void OnSample(const RingSample& sample, const RingFrame* frames) = 0;
  virtual void OnTaskBegin(const RingTaskBegin& begin) = 0;
  virtual void OnTaskEnd(const RingTaskEnd& end) = 0;
  virtual void OnUdf(const RingUdf& udf, std::string_view function, std::string_view file) = 0;
  virtual void OnNotice(uint16_t level, std::string_view text) = 0;
  // `frames`: as for OnSample.
  virtual void OnAllocation(const RingAllocation& /*allocation*/, const RingFrame* /*frames*/) {}
  virtual void OnRelease(const RingRelease& /*release*/) {}
  virtual void OnArrow(const RingArrow& /*arrow*/) {}
  virtual void OnNativeCode(const RingNativeCode& /*code*/, std::string_view /*path*/) {}
};

// Reads a ring file while a sampler writes it. Trusts no size or position in it; skips and counts invalid data. Uses
// pread, so that truncating the file causes an error instead of a signal. Not thread-safe.
class RingReader {
 public:
  // Fails if the file is not a ring or not ready yet.
  static Result<RingReader> Open(const std::string& path);

  // Passes all records published since the last call to `handler` and frees their space.
  void Drain(RingHandler* handler);

  int64_t Pid() const { return header_.pid; }
  int64_t StartTicks() const { return header_.start_ticks; }
  int64_t IntervalNs() const {
    return header_.wanted_interval_ns > 0 ? header_.wanted_interval_ns : header_.interval_ns;
  }
  // Requests a new interval from the sampler; 0 = pause.
  void SetIntervalNs(int64_t interval_ns);

  // Totals as of the last Drain(). All except the last come from the sampler.
  int64_t Dropped() const;
  int64_t Torn() const;
  int64_t Unreadable() const;
  int64_t NativeStacks() const;
  int64_t NativeUnknown() const;
  int64_t NativeGuessed() const;
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
  std::vector<char> records_;  // records of the current Drain()
};

}  // namespace sparkprof
