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

// The second agent of a JVM, which replaces an ended one, numbers its segments from here on, the third from twice this
// number. Sequence order thus matches time order, and gaps show that data may be lost.
inline constexpr uint64_t kSequencesOfAgent = uint64_t{1} << 32;

// ID of sources that never learned their application's ID.
inline constexpr char kUnidentified[] = "unidentified";

// Same text for all segments of one JVM.
std::string ProcessOf(const Source& source);
// 16 hexadecimal digits, for file names.
std::string ProcessHash(const std::string& process);

// Identifies known segments. A segment and its copy have the same process, number, clock readings and content. Another
// segment with a known number does not hide the first.
struct SegmentNumber {
  explicit SegmentNumber(const Segment& segment);

  uint64_t key;      // hash of process, number and readings
  uint64_t content;  // Segment::content; an unknown one equals every other
};
class KnownSegments {
 public:
  enum class Answer : uint8_t { kNew, kCopy, kOtherContent };

  // Adds the segment unless it is a copy.
  Answer Add(const SegmentNumber& segment);
  // Whether Add would answer kCopy.
  bool Has(const SegmentNumber& segment) const;
  void Clear();

 private:
  std::unordered_map<uint64_t, uint64_t> contents_;     // first content by key
  std::unordered_multimap<uint64_t, uint64_t> others_;  // further contents by key
};

// All data that one JVM recorded about one application, in order of sequence.
struct RecordedSource {
  std::string application_id;  // empty if never learned
  std::string application_attempt;
  std::vector<RecordedSegment> segments;
  bool whole = false;  // all segments from first to last exist in undamaged files

  int64_t FirstNanos() const;  // time of its first clock anchor; 0 = unknown
};

struct RecordedApplication {
  std::string id;  // may be kUnidentified
  std::string attempt;
  std::vector<RecordedSource> sources;  // drivers first, then by time
};

// Groups the segments of many files by source and application. A source learns its application's ID some time after its
// start. A JVM may run several applications in succession. A file may contain many sources or a part of one. A source
// may exist twice (its spool and an uploaded copy), but counts once. Joins recordings of nodes (node_join.h)
// and profiles of hosts (JoinProfiles).
class SourceGrouping {
 public:
  void BeginFile();
  void Add(RecordedSegment&& segment);
  void Add(Segment&& segment) { Add(RecordedSegment(std::move(segment))); }
  void EndFile(bool damaged);

  // Adds one file with all of the above.
  void AddFile(RecordedFile&& file);
  // Reads and adds many files with several threads. Calls `done` for each, in order, with its row in `paths`.
  void ReadFiles(const std::vector<std::string>& paths,
                 const std::function<void(size_t row, const Result<RecordingStatus>& status)>& done);

  // Leaves this object empty.
  std::vector<RecordedApplication> Take();

 private:
  struct OpenSource {
    RecordedSource source;
    std::string process;
    bool damaged = false;
  };

  // Whether to keep the contents of the next file, of `file_bytes`, in memory: up to about 300 MiB for all files.
  bool IsKept(uint64_t file_bytes);
  // Merges all copies and parts of each source.
  std::vector<OpenSource> Merge();
  // Assigns parts without an application ID to the source that continues them.
  static void AdoptBeginnings(std::vector<OpenSource>* sources);

  uint64_t kept_bytes_ = 0;  // size of the files in memory
  std::vector<OpenSource> sources_;
  size_t first_of_file_ = 0;                         // row in sources_
  std::map<std::string, size_t> source_of_process_;  // latest source by process, in the current file
};

// Adds to `applications` what profilers of their hosts sampled in their JVMs and Python workers, as one source for each
// JVM, with the task that ran on the sample's thread at its time. The other applications keep their samples. Events
// that an application sampled in a process itself are left out, so that nothing counts twice.
//
// A process is known by its ID, its host and the time in which the application saw it. Where hosts cannot be compared,
// such as a name and an address, a task of its JVM must be sampled, too. In pods, which have process IDs of their own,
// only the threads of tasks are known: by the pod's address and the name that the plugin gave them, "TID 7".
void JoinProfiles(std::vector<RecordedApplication>* applications);

}  // namespace sparkprof
