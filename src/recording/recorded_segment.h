// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "model/block.h"
#include "model/segment.h"
#include "model/segment_outline.h"

namespace sparkprof {

// The bytes of a recording for as long as the object lives. Large files are mapped, small ones are in memory: a process
// may map some 65,000 files.
class RecordedBytes {
 public:
  static Result<std::shared_ptr<const RecordedBytes>> Open(const std::string& path);

  std::string_view Bytes() const { return file_ ? file_->Bytes() : std::string_view(copy_); }
  // Releases the memory of a mapped file's pages; later accesses read them again.
  void Release() const {
    if (file_) file_->Release(file_->Bytes().size());
  }

 private:
  std::optional<MappedFile> file_;
  std::string copy_;
};

// A segment while recordings are grouped: what grouping needs, and its contents, in memory or in a block of a file,
// which is decoded each time that they are needed. A large application's segments need ten times the memory of what
// they add up to. Threads may only read at once.
class RecordedSegment {
 public:
  explicit RecordedSegment(Segment&& segment);
  // `block` is in `bytes` and has nothing but the segment of `outline`.
  RecordedSegment(SegmentOutline&& outline, std::shared_ptr<const RecordedBytes> bytes, std::string_view block);

  // Its sequence may be that of another segment.
  const Source& GetSource() const { return *source_; }
  uint64_t Sequence() const { return sequence_; }
  const std::vector<ClockAnchor>& Anchors() const { return anchors_; }
  uint64_t Content() const { return content_; }  // see Segment::content
  bool IsFinal() const { return is_final_; }
  bool HasSparkEvents() const { return has_spark_events_; }
  bool HasTasks() const { return has_tasks_; }
  size_t SampleRows() const { return sample_rows_; }

  // Bytes of the block that has the contents; 0 = they are in memory.
  size_t BlockBytes() const { return contents_ ? 0 : block_.size(); }
  // The decoded segment. If the block is damaged, or has changed since, it has only the source and a loss that says so.
  std::shared_ptr<const Segment> Contents() const;
  // They are in memory from now on.
  Segment& Edit();

  // Uses the other's memory for the source if it is the same.
  void ShareSource(const RecordedSegment& other);
  // See RecordedBytes.
  void ReleaseFile() const;

 private:
  explicit RecordedSegment(SegmentOutline&& outline);

  std::shared_ptr<const Source> source_;
  uint64_t sequence_ = 0;
  std::vector<ClockAnchor> anchors_;
  uint64_t content_ = 0;
  bool is_final_ = false;
  bool has_spark_events_ = false;
  bool has_tasks_ = false;
  size_t sample_rows_ = 0;
  std::shared_ptr<Segment> contents_;  // null: in `block_`
  std::shared_ptr<const RecordedBytes> bytes_;
  std::string_view block_;
};

// Calls `take` with the contents of each segment, in order. Blocks are decoded by other threads meanwhile.
void TakeContents(const std::vector<const RecordedSegment*>& segments, const std::function<void(const Segment&)>& take);

// The segments of a file, in order, and how it was read.
struct RecordedFile {
  std::vector<RecordedSegment> segments;
  RecordingStatus status;
};

// Reads a recording. If `in_memory` is false, contents stay in the file: those of blocks with one segment of a JVM.
// Thread-safe.
Result<RecordedFile> ReadRecordedFile(const std::string& path, bool in_memory);

}  // namespace sparkprof
