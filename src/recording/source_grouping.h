// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "recording/recorded_segment.h"

namespace sparkprof {

// A JVM's second agent, which follows one that ended, numbers its segments from here on, its third from twice that: in
// order of sequence they are in order of time, and the numbers that are missing show that something may be lost.
inline constexpr uint64_t kSequencesOfAgent = uint64_t{1} << 32;

// Sources that never learned their application's ID have this one.
inline constexpr char kUnidentified[] = "unidentified";

// Equal for the segments of one JVM.
std::string ProcessOf(const Source& source);
// 16 hexadecimal digits, for names of files.
std::string ProcessHash(const std::string& process);

// Which segments were there already. A segment and its copy have the same process, number and clock readings, and the
// same content: whoever sends another segment with a known number hides nothing.
struct SegmentNumber {
  explicit SegmentNumber(const Segment& segment);

  uint64_t key;      // a hash of process, number and readings
  uint64_t content;  // see Segment::content; an unknown one equals every other
};
class KnownSegments {
 public:
  enum class Answer : uint8_t { kNew, kCopy, kOtherContent };

  // Adds the segment unless it is a copy.
  Answer Add(const SegmentNumber& segment);
  void Clear();

 private:
  std::unordered_map<uint64_t, uint64_t> contents_;     // the first one, by key
  std::unordered_multimap<uint64_t, uint64_t> others_;  // further ones
};

// Everything that one JVM recorded about one application, in order of sequence.
struct RecordedSource {
  std::string application_id;  // empty if it never learned it
  std::string application_attempt;
  std::vector<RecordedSegment> segments;
  bool whole = false;  // first to last segment are there, and its files are not damaged

  int64_t FirstNanos() const;  // time of its first clock anchor; 0 = unknown
};

// The segments that belong to one application attempt.
struct RecordedApplication {
  std::string id;  // or kUnidentified
  std::string attempt;
  std::vector<RecordedSource> sources;  // drivers first, then in order of time
};

// Groups the segments of many files by source and application. A source learns its application's ID some time after its
// start; a JVM may run several applications in succession; a file may contain many sources, or a part of one; and a
// source may exist twice (its spool and an uploaded copy), but counts once. Nodes' recordings are joined, see
// node_join.h.
class SourceGrouping {
 public:
  void BeginFile();
  void Add(RecordedSegment&& segment);
  void Add(Segment&& segment) { Add(RecordedSegment(std::move(segment))); }
  void EndFile(bool damaged);

  // All of these for one file.
  void AddFile(RecordedFile&& file);
  // The same for many, which are read by several threads. Calls `done` for each, in order, with its row in `paths`.
  void ReadFiles(const std::vector<std::string>& paths,
                 const std::function<void(size_t row, const Result<RecordingStatus>& status)>& done);

  // Leaves this empty.
  std::vector<RecordedApplication> Take();

 private:
  struct OpenSource {
    RecordedSource source;
    std::string process;
    bool damaged = false;
  };

  // Whether the contents of the next file, of so many bytes, should be in memory: those of all files may need some 300
  // MiB.
  bool IsKept(uint64_t file_bytes);
  // Merges all copies and parts of each source.
  std::vector<OpenSource> Merge();
  // Assigns parts without an application ID to the source that continues them.
  static void AdoptBeginnings(std::vector<OpenSource>* sources);

  uint64_t kept_bytes_ = 0;  // of files
  std::vector<OpenSource> sources_;
  size_t first_of_file_ = 0;                         // in sources_
  std::map<std::string, size_t> source_of_process_;  // in the current file, the latest one
};

}  // namespace sparkprof
