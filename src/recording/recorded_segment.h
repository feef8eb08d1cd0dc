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

#include "base/io/file.h"
#include "base/result.h"
#include "model/segment/block.h"
#include "model/segment/segment.h"
#include "model/segment/segment_codec.h"

namespace sparkprof {

// Keeps a recording's bytes available. Large files are mapped, small ones are read into memory: a process can map only
// about 65,000 files.
class RecordedBytes {
 public:
  static Result<std::shared_ptr<const RecordedBytes>> Open(const std::string& path);

  std::string_view Bytes() const { return file_ ? file_->Bytes() : std::string_view(copy_); }
  // Releases a mapped file's pages from memory; later accesses read them again.
  void Release() const {
    if (file_) file_->Release(file_->Bytes().size());
  }

 private:
  std::optional<MappedFile> file_;
  std::string copy_;
};

// A segment during grouping: the data needed for grouping, and the contents, either in memory or in a block of a file
// that is decoded on each use. Decoded segments of a large application need ten times the memory of the merged result.
// Concurrent reads are safe.
class RecordedSegment {
 public:
  explicit RecordedSegment(Segment&& segment);
  // `block` is part of `bytes` and contains only the segment of `outline`.
  RecordedSegment(SegmentOutline&& outline, std::shared_ptr<const RecordedBytes> bytes, std::string_view block);

  // The source's own sequence may be that of another segment; use Sequence().
  const Source& GetSource() const { return *source_; }
  uint64_t Sequence() const { return sequence_; }
  const std::vector<ClockAnchor>& Anchors() const { return anchors_; }
  uint64_t Content() const { return content_; }  // Segment::content
  bool IsFinal() const { return is_final_; }
  bool HasSparkEvents() const { return has_spark_events_; }
  bool HasTasks() const { return has_tasks_; }
  size_t SampleRows() const { return sample_rows_; }

  // Size of the block with the contents; 0 = contents are in memory.
  size_t BlockBytes() const { return contents_ ? 0 : block_.size(); }
  // The decoded segment. If the block is damaged or has changed, it contains only the source and a loss with the
  // reason.
  std::shared_ptr<const Segment> Contents() const;
  // Decodes the contents into memory, where they stay.
  Segment& Edit();

  // Shares the memory of an equal source.
  void ShareSource(const RecordedSegment& other);
  // See RecordedBytes::Release.
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
  std::shared_ptr<Segment> contents_;  // null = not decoded
  std::shared_ptr<const RecordedBytes> bytes_;
  std::string_view block_;
};

// Calls `take` with the contents of each segment, in order. Other threads decode ahead.
void TakeContents(const std::vector<const RecordedSegment*>& segments, const std::function<void(const Segment&)>& take);

// The segments of a file, in order, and the result of reading it.
struct RecordedFile {
  std::vector<RecordedSegment> segments;
  RecordingStatus status;
};

// Reads a recording. If `in_memory` is false, blocks with a single segment of a JVM stay in the file. Thread-safe.
Result<RecordedFile> ReadRecordedFile(const std::string& path, bool in_memory);

}  // namespace sparkprof
