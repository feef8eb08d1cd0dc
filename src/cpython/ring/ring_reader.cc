// SPDX-License-Identifier: Apache-2.0
#include "cpython/ring/ring_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

namespace sparkprof {
namespace {

bool ReadAt(const FileDescriptor& file, char* bytes, size_t size, uint64_t offset) {
  while (size > 0) {
    const ssize_t got = pread(file.Get(), bytes, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    offset += static_cast<uint64_t>(got);
    size -= static_cast<size_t>(got);
  }
  return true;
}

int64_t Total(uint64_t value) { return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX)); }

// Splits a record into its fixed part and the rest. Returns false if the record is too short.
template <typename T>
bool Take(std::string_view record, T* fixed, std::string_view* rest) {
  if (record.size() < sizeof *fixed) return false;
  std::memcpy(fixed, record.data(), sizeof *fixed);
  *rest = record.substr(sizeof *fixed);
  return true;
}

template <typename T>
bool TakeTexts(std::string_view record, T* fixed, std::string_view* function, std::string_view* file) {
  std::string_view rest;
  if (!Take(record, fixed, &rest) || rest.size() < size_t{fixed->function_bytes} + fixed->file_bytes) return false;
  *function = rest.substr(0, fixed->function_bytes);
  *file = rest.substr(fixed->function_bytes, fixed->file_bytes);
  return true;
}

// Splits a record that ends with frames, as Take.
template <typename T>
bool TakeStack(std::string_view record, T* fixed, RingFrame (&frames)[kRingMaxFrames]) {
  std::string_view rest;
  if (!Take(record, fixed, &rest) || fixed->frames > kRingMaxFrames) return false;
  if (rest.size() < fixed->frames * sizeof(RingFrame)) return false;
  if (fixed->frames > 0) std::memcpy(frames, rest.data(), fixed->frames * sizeof(RingFrame));
  return true;
}

bool HandleSample(std::string_view record, RingHandler* handler) {
  RingSample sample;
  RingFrame frames[kRingMaxFrames];
  if (!TakeStack(record, &sample, frames)) return false;
  handler->OnSample(sample, frames);
  return true;
}

bool HandleAllocation(std::string_view record, RingHandler* handler) {
  RingAllocation allocation;
  RingFrame frames[kRingMaxFrames];
  if (!TakeStack(record, &allocation, frames)) return false;
  handler->OnAllocation(allocation, frames);
  return true;
}

// Returns false if the record is invalid for its type. Skips unknown types.
bool HandleRecord(RingRecordType type, std::string_view record, RingHandler* handler) {
  std::string_view rest, function, file;
  switch (type) {
    case RingRecordType::kPad:
      return true;
    case RingRecordType::kCode: {
      RingCode code;
      if (!TakeTexts(record, &code, &function, &file) || code.code >= kRingMaxCodes) return false;
      handler->OnCode(code, function, file);
      return true;
    }
    case RingRecordType::kSample:
      return HandleSample(record, handler);
    case RingRecordType::kAllocation:
      return HandleAllocation(record, handler);
    case RingRecordType::kRelease: {
      RingRelease release;
      if (!Take(record, &release, &rest)) return false;
      handler->OnRelease(release);
      return true;
    }
    case RingRecordType::kArrow: {
      RingArrow arrow;
      if (!Take(record, &arrow, &rest)) return false;
      handler->OnArrow(arrow);
      return true;
    }
    case RingRecordType::kTaskBegin: {
      RingTaskBegin begin;
      if (!Take(record, &begin, &rest)) return false;
      handler->OnTaskBegin(begin);
      return true;
    }
    case RingRecordType::kTaskEnd: {
      RingTaskEnd end;
      if (!Take(record, &end, &rest)) return false;
      handler->OnTaskEnd(end);
      return true;
    }
    case RingRecordType::kUdf: {
      RingUdf udf;
      if (!TakeTexts(record, &udf, &function, &file)) return false;
      handler->OnUdf(udf, function, file);
      return true;
    }
    case RingRecordType::kNotice: {
      RingNotice notice;
      if (!Take(record, &notice, &rest) || rest.size() < notice.text_bytes) return false;
      handler->OnNotice(notice.level, rest.substr(0, notice.text_bytes));
      return true;
    }
    case RingRecordType::kNativeCode: {
      RingNativeCode code;
      if (!Take(record, &code, &rest) || rest.size() < code.path_bytes || code.code >= kRingMaxCodes) return false;
      handler->OnNativeCode(code, rest.substr(0, code.path_bytes));
      return true;
    }
  }
  return true;
}

}  // namespace

Result<RingReader> RingReader::Open(const std::string& path) {
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.IsOpen()) return tl::unexpected(SystemError(path, "cannot open"));
  struct stat status {};
  RingHeader header;
  if (fstat(file.Get(), &status) != 0 || !S_ISREG(status.st_mode)) return Fail(path + ": not a regular file");
  if (!ReadAt(file, reinterpret_cast<char*>(&header), sizeof header, 0)) {
    return Fail(path + ": shorter than a ring header");
  }
  if (header.magic != kRingMagic) return Fail(path + ": offset 0: not a ring, or not ready yet");
  if (header.version != kRingVersion || header.header_bytes != kRingHeaderBytes) {
    return Fail(path + ": offset 8: ring of version " + std::to_string(header.version) + ", expected " +
                std::to_string(kRingVersion) + ": use the same version of sampler and agent");
  }
  const uint64_t size = header.data_bytes;
  if (!std::has_single_bit(size) || size < kRingMinDataBytes || size > kRingMaxDataBytes ||
      static_cast<uint64_t>(status.st_size) < kRingHeaderBytes + size) {
    return Fail(path + ": offset 16: " + std::to_string(size) + " bytes of records in a file of " +
                std::to_string(status.st_size));
  }
  RingReader reader(std::move(file), header);
  reader.read_position_ = header.read_position;
  return reader;
}

void RingReader::SetIntervalNs(int64_t interval_ns) {
  const int64_t wanted_ns = interval_ns > 0 ? interval_ns : kRingPaused;
  if (header_.wanted_interval_ns == wanted_ns) return;
  header_.wanted_interval_ns = wanted_ns;
  // If this fails, the sampler continues with its interval, and its samples are still recorded.
  [[maybe_unused]] const ssize_t ignored =
      pwrite(file_.Get(), &wanted_ns, sizeof wanted_ns, offsetof(RingHeader, wanted_interval_ns));
}

int64_t RingReader::Dropped() const { return Total(header_.dropped); }
int64_t RingReader::Torn() const { return Total(header_.torn); }
int64_t RingReader::Unreadable() const { return Total(header_.unreadable); }
int64_t RingReader::NativeStacks() const { return Total(header_.native_stacks); }
int64_t RingReader::NativeUnknown() const { return Total(header_.native_unknown); }
int64_t RingReader::NativeGuessed() const { return Total(header_.native_guessed); }

// Reads the changing fields; the constant ones were checked in Open.
bool RingReader::ReadHeader() {
  RingHeader now;
  if (!ReadAt(file_, reinterpret_cast<char*>(&now), sizeof now, 0)) return false;
  // The writer stored the records before their position.
  std::atomic_thread_fence(std::memory_order_acquire);
  header_.write_position = now.write_position;
  header_.dropped = now.dropped;
  header_.torn = now.torn;
  header_.unreadable = now.unreadable;
  header_.native_stacks = now.native_stacks;
  header_.native_unknown = now.native_unknown;
  header_.native_guessed = now.native_guessed;
  return true;
}

bool RingReader::Copy(uint64_t from, uint64_t to) {
  const uint64_t begin = from % header_.data_bytes;
  const uint64_t size = to - from;
  const uint64_t first = std::min(size, header_.data_bytes - begin);
  records_.resize(size);
  return ReadAt(file_, records_.data(), first, kRingHeaderBytes + begin) &&
         ReadAt(file_, records_.data() + first, size - first, kRingHeaderBytes);
}

void RingReader::Parse(uint64_t from, RingHandler* handler) {
  const std::string_view all(records_.data(), records_.size());
  size_t offset = 0;
  while (offset < all.size()) {
    RingRecord record;
    const size_t to_end = header_.data_bytes - (from + offset) % header_.data_bytes;
    const size_t most = std::min(all.size() - offset, to_end);
    if (most < sizeof record) break;
    std::memcpy(&record, all.data() + offset, sizeof record);
    if (record.size < sizeof record || record.size % 8 != 0 || record.size > most) break;
    if (!HandleRecord(record.type, all.substr(offset, record.size), handler)) damaged_bytes_ += record.size;
    offset += record.size;
  }
  damaged_bytes_ += static_cast<int64_t>(all.size() - offset);
}

void RingReader::Drain(RingHandler* handler) {
  if (!ReadHeader()) return;
  const uint64_t write_position = header_.write_position;
  const uint64_t size = write_position - read_position_;
  if (size == 0) return;
  if (size > header_.data_bytes || write_position % 8 != 0 || read_position_ % 8 != 0) {
    damaged_bytes_ += static_cast<int64_t>(header_.data_bytes);
    read_position_ = write_position / 8 * 8;
  } else {
    if (!Copy(read_position_, write_position)) return;
    Parse(read_position_, handler);
    read_position_ = write_position;
  }
  // If this fails, the sampler drops and counts further data.
  [[maybe_unused]] const ssize_t written =
      pwrite(file_.Get(), &read_position_, sizeof read_position_, offsetof(RingHeader, read_position));
}

}  // namespace sparkprof
