// SPDX-License-Identifier: Apache-2.0
#include "recording/recorded_segment.h"

#include <algorithm>
#include <future>
#include <thread>
#include <tuple>
#include <utility>

#include "base/io/byte_source.h"
#include "base/memory_limit.h"
#include "base/parallel.h"
#include "recording/node_join.h"

namespace sparkprof {
namespace {

auto AllButSequence(const Source& source) {
  return std::tie(source.application_id, source.application_attempt, source.application_name, source.executor_id,
                  source.host, source.boot_id, source.pid, source.start_ticks, source.spark_version,
                  source.java_version, source.sparkprof_version, source.bucket_ns, source.role);
}

using Decoded = std::vector<std::shared_ptr<const Segment>>;

// End of the batch of segments from `begin` on that are decoded together: blocks can expand up to a hundred times.
size_t EndOfBatch(const std::vector<const RecordedSegment*>& segments, size_t begin) {
  constexpr size_t kBatchBytes = size_t{256} << 10;
  size_t end = begin;
  for (size_t bytes = 0; end < segments.size() && (end == begin || bytes < kBatchBytes); ++end)
    bytes += segments[end]->BlockBytes();
  return end;
}

}  // namespace

Result<std::shared_ptr<const RecordedBytes>> RecordedBytes::Open(const std::string& path) {
  constexpr size_t kLeastMapped = size_t{64} << 10;
  Result<MappedFile> file = MappedFile::Open(path);
  if (!file) return tl::unexpected(file.error());
  const auto bytes = std::make_shared<RecordedBytes>();
  if (file->Bytes().size() < kLeastMapped) {
    bytes->copy_ = file->Bytes();
  } else {
    bytes->file_ = std::move(*file);
  }
  return bytes;
}

RecordedSegment::RecordedSegment(SegmentOutline&& outline)
    : source_(std::make_shared<Source>(std::move(outline.source))),
      sequence_(source_->sequence),
      anchors_(std::move(outline.anchors)),
      content_(outline.content),
      is_final_(outline.final),
      has_spark_events_(outline.has_spark_events),
      has_tasks_(outline.has_task_columns),
      sample_rows_(outline.sample_rows) {}

RecordedSegment::RecordedSegment(Segment&& segment) : RecordedSegment(OutlineOf(segment)) {
  contents_ = std::make_shared<Segment>(std::move(segment));
}

RecordedSegment::RecordedSegment(SegmentOutline&& outline, std::shared_ptr<const RecordedBytes> bytes,
                                 std::string_view block)
    : RecordedSegment(std::move(outline)) {
  bytes_ = std::move(bytes);
  block_ = block;
}

std::shared_ptr<const Segment> RecordedSegment::Contents() const {
  if (contents_) return contents_;
  auto decoded = std::make_shared<Segment>();
  const Result<RecordingStatus> read =
      ReadBlocks(block_, "", [&](Segment&& segment) { *decoded = std::move(segment); });
  if (read && read->blocks == 1) return decoded;
  *decoded = Segment();
  decoded->source = *source_;
  decoded->source.sequence = sequence_;
  decoded->losses.push_back({"blocks", "damaged, or changed while the recording was read", 1});
  return decoded;
}

Segment& RecordedSegment::Edit() {
  if (!contents_) {
    contents_ = std::make_shared<Segment>(*Contents());
    bytes_.reset();
  }
  return *contents_;
}

void RecordedSegment::ShareSource(const RecordedSegment& other) {
  if (AllButSequence(*source_) == AllButSequence(*other.source_)) source_ = other.source_;
}

void RecordedSegment::ReleaseFile() const {
  if (bytes_) bytes_->Release();
}

void TakeContents(const std::vector<const RecordedSegment*>& segments,
                  const std::function<void(const Segment&)>& take) {
  const bool are_in_memory = std::all_of(segments.begin(), segments.end(),
                                         [](const RecordedSegment* segment) { return segment->BlockBytes() == 0; });
  // A memory limit does not apply to other threads.
  if (are_in_memory || MemoryLimit::Current() != nullptr) {
    for (const RecordedSegment* const segment : segments) take(*segment->Contents());
    return;
  }
  // This thread consumes the results.
  const size_t threads = std::max(2U, std::thread::hardware_concurrency()) - 1;
  const auto decode = [&](size_t begin, size_t end) {
    Decoded decoded(end - begin);
    ForEachInParallel(decoded.size(), threads, [&](size_t row) { decoded[row] = segments[begin + row]->Contents(); });
    return decoded;
  };
  size_t end = EndOfBatch(segments, 0);
  Decoded taken, batch = decode(0, end);
  while (!batch.empty()) {
    const size_t next = EndOfBatch(segments, end);
    std::future<Decoded> ahead = std::async(std::launch::async | std::launch::deferred, [&] {
      taken.clear();  // on this thread, because the consuming thread is busier
      return decode(end, next);
    });
    for (const std::shared_ptr<const Segment>& contents : batch) take(*contents);
    Decoded following = ahead.get();
    taken = std::exchange(batch, std::move(following));
    end = next;
  }
}

Result<RecordedFile> ReadRecordedFile(const std::string& path, bool in_memory) {
  const Result<std::shared_ptr<const RecordedBytes>> opened = RecordedBytes::Open(path);
  if (!opened) return tl::unexpected(opened.error());
  const std::shared_ptr<const RecordedBytes>& file = *opened;
  RecordedFile recorded;
  size_t counted = 0;
  const auto add = [&](auto&&... arguments) {
    recorded.segments.emplace_back(std::forward<decltype(arguments)>(arguments)...);
    const size_t count = recorded.segments.size();
    if (count > 1) recorded.segments[count - 1].ShareSource(recorded.segments[count - 2]);
  };
  const Result<RecordingStatus> status = ReadOutlines(
      file->Bytes(), path,
      [&](SegmentOutline&& outline, std::string_view block) {
        CountBytesRead(block.size());
        counted += block.size();
        if (in_memory || outline.source.role == kNodeRole) return false;
        add(std::move(outline), file, block);
        return true;
      },
      [&](Segment&& segment) { add(std::move(segment)); });
  if (!status) return tl::unexpected(status.error());
  CountBytesRead(file->Bytes().size() - counted);
  file->Release();
  recorded.status = *status;
  return recorded;
}

}  // namespace sparkprof
