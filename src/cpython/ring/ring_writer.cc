// SPDX-License-Identifier: Apache-2.0
#include "cpython/ring/ring_writer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sparkprof {
namespace {

std::string_view Cut(std::string_view text) { return text.substr(0, kRingMaxText); }

// Allocates the disk blocks. Sets errno on failure.
bool Allocate(int descriptor, size_t size) {
  const int error = posix_fallocate(descriptor, 0, static_cast<off_t>(size));
  if (error != 0) errno = error;
  return error == 0;
}

}  // namespace

bool RingWriter::Create(const char* path, int64_t pid, int64_t start_ticks, int64_t interval_ns, int64_t start_ns,
                        size_t data_bytes) {
  Close();
  if (data_bytes < kRingMinDataBytes || data_bytes > kRingMaxDataBytes || (data_bytes & (data_bytes - 1)) != 0) {
    errno = EINVAL;
    return false;
  }
  const int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return false;
  const size_t size = kRingHeaderBytes + data_bytes;
  void* memory = MAP_FAILED;
  if (Allocate(descriptor, size)) memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  const int error = errno;
  close(descriptor);
  if (memory == MAP_FAILED) {
    unlink(path);
    errno = error;
    return false;
  }
  header_ = static_cast<RingHeader*>(memory);
  data_ = static_cast<char*>(memory) + kRingHeaderBytes;
  data_bytes_ = data_bytes;
  published_ = position_ = 0;
  failed_ = false;
  header_->version = kRingVersion;
  header_->header_bytes = kRingHeaderBytes;
  header_->data_bytes = data_bytes;
  header_->pid = pid;
  header_->start_ticks = start_ticks;
  header_->interval_ns = interval_ns;
  header_->start_ns = start_ns;
  __atomic_store_n(&header_->magic, kRingMagic, __ATOMIC_RELEASE);
  return true;
}

void RingWriter::Close() {
  if (header_ != nullptr) munmap(header_, kRingHeaderBytes + data_bytes_);
  header_ = nullptr;
}

size_t RingWriter::Free() const {
  const uint64_t used = position_ - __atomic_load_n(&header_->read_position, __ATOMIC_ACQUIRE);
  return used > data_bytes_ ? 0 : data_bytes_ - used;  // a damaged read position leaves no space
}

char* RingWriter::Reserve(size_t size) {
  if (header_ == nullptr || failed_) return nullptr;
  size = (size + 7) / 8 * 8;
  const size_t to_end = data_bytes_ - position_ % data_bytes_;
  const size_t pad = size > to_end ? to_end : 0;
  if (size + pad > Free()) {
    failed_ = true;
    return nullptr;
  }
  if (pad > 0) {
    const RingRecord record{static_cast<uint32_t>(pad), RingRecordType::kPad, 0};
    std::memcpy(data_ + position_ % data_bytes_, &record, sizeof record);
    position_ += pad;
  }
  char* room = data_ + position_ % data_bytes_;
  position_ += size;
  return room;
}

// Reserves `size` bytes, writes the record's fixed part and returns the address for the rest.
char* RingWriter::AddRecord(RingRecordType type, RingRecord* record, size_t fixed_size, size_t size) {
  char* room = Reserve(size);
  if (room == nullptr) return nullptr;
  *record = {static_cast<uint32_t>((size + 7) / 8 * 8), type, 0};
  std::memcpy(room, record, fixed_size);
  return room + fixed_size;
}

void RingWriter::AddCode(uint32_t code, std::string_view function, std::string_view file, uint32_t first_line) {
  function = Cut(function);
  file = Cut(file);
  RingCode fixed{{}, code, first_line, static_cast<uint16_t>(function.size()), static_cast<uint16_t>(file.size()), 0};
  char* rest =
      AddRecord(RingRecordType::kCode, &fixed.record, sizeof fixed, sizeof fixed + function.size() + file.size());
  if (rest == nullptr) return;
  std::memcpy(rest, function.data(), function.size());
  std::memcpy(rest + function.size(), file.data(), file.size());
}

void RingWriter::AddNativeCode(uint32_t code, uint64_t address, std::string_view path) {
  path = Cut(path);
  RingNativeCode fixed{{}, code, static_cast<uint32_t>(path.size()), address};
  char* rest = AddRecord(RingRecordType::kNativeCode, &fixed.record, sizeof fixed, sizeof fixed + path.size());
  if (rest != nullptr && !path.empty()) std::memcpy(rest, path.data(), path.size());
}

void RingWriter::AddSample(RingSample sample, const RingFrame* frames) {
  if (sample.frames > kRingMaxFrames) {
    sample.frames = kRingMaxFrames;
    sample.flags |= kRingTruncated;
  }
  const size_t frames_bytes = sample.frames * sizeof(RingFrame);
  char* rest = AddRecord(RingRecordType::kSample, &sample.record, sizeof sample, sizeof sample + frames_bytes);
  if (rest != nullptr && frames_bytes > 0) std::memcpy(rest, frames, frames_bytes);
}

void RingWriter::AddAllocation(RingAllocation allocation, const RingFrame* frames) {
  if (!HasRoomForAllocation()) failed_ = true;
  const size_t frames_bytes = allocation.frames * sizeof(RingFrame);
  const size_t size = sizeof allocation + frames_bytes;
  char* rest = AddRecord(RingRecordType::kAllocation, &allocation.record, sizeof allocation, size);
  if (rest != nullptr && frames_bytes > 0) std::memcpy(rest, frames, frames_bytes);
}

void RingWriter::AddRelease(RingRelease release) {
  AddRecord(RingRecordType::kRelease, &release.record, sizeof release, sizeof release);
}

void RingWriter::AddArrow(RingArrow arrow) {
  AddRecord(RingRecordType::kArrow, &arrow.record, sizeof arrow, sizeof arrow);
}

void RingWriter::AddTaskBegin(RingTaskBegin begin) {
  AddRecord(RingRecordType::kTaskBegin, &begin.record, sizeof begin, sizeof begin);
}

void RingWriter::AddTaskEnd(RingTaskEnd end) {
  AddRecord(RingRecordType::kTaskEnd, &end.record, sizeof end, sizeof end);
}

void RingWriter::AddUdf(int64_t task, int32_t eval_type, std::string_view function, std::string_view file,
                        uint32_t first_line) {
  function = Cut(function);
  file = Cut(file);
  RingUdf fixed{
      {}, task, eval_type, first_line, static_cast<uint16_t>(function.size()), static_cast<uint16_t>(file.size()), 0};
  char* rest =
      AddRecord(RingRecordType::kUdf, &fixed.record, sizeof fixed, sizeof fixed + function.size() + file.size());
  if (rest == nullptr) return;
  std::memcpy(rest, function.data(), function.size());
  std::memcpy(rest + function.size(), file.data(), file.size());
}

void RingWriter::AddNotice(uint16_t level, std::string_view text) {
  text = Cut(text);
  RingNotice fixed{{}, level, static_cast<uint16_t>(text.size()), 0};
  char* rest = AddRecord(RingRecordType::kNotice, &fixed.record, sizeof fixed, sizeof fixed + text.size());
  if (rest != nullptr) std::memcpy(rest, text.data(), text.size());
}

bool RingWriter::Publish() {
  if (header_ == nullptr) return false;
  if (failed_) {
    position_ = published_;
    failed_ = false;
    __atomic_store_n(&header_->dropped, header_->dropped + 1, __ATOMIC_RELAXED);
    return false;
  }
  published_ = position_;
  __atomic_store_n(&header_->write_position, published_, __ATOMIC_RELEASE);
  return true;
}

int64_t RingWriter::WantedIntervalNs() const {
  return header_ == nullptr ? 0 : __atomic_load_n(&header_->wanted_interval_ns, __ATOMIC_RELAXED);
}

void RingWriter::SetTorn(uint64_t torn) {
  if (header_ != nullptr) __atomic_store_n(&header_->torn, torn, __ATOMIC_RELAXED);
}

void RingWriter::SetUnreadable(uint64_t unreadable) {
  if (header_ != nullptr) __atomic_store_n(&header_->unreadable, unreadable, __ATOMIC_RELAXED);
}

void RingWriter::SetNative(uint64_t stacks, uint64_t unknown, uint64_t guessed) {
  if (header_ == nullptr) return;
  __atomic_store_n(&header_->native_stacks, stacks, __ATOMIC_RELAXED);
  __atomic_store_n(&header_->native_unknown, unknown, __ATOMIC_RELAXED);
  __atomic_store_n(&header_->native_guessed, guessed, __ATOMIC_RELAXED);
}

}  // namespace sparkprof
