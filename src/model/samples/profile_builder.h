// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_index.h"
#include "base/result.h"
#include "model/samples/profile.h"

namespace sparkprof {

// Options of a reader. Dimensions that are not kept are merged, so memory is proportional to distinct stacks, not to
// samples.
struct ProfileReadOptions {
  std::string name;      // name of the input, for messages
  bool lenient = false;  // skip and count damaged input instead of failing
  bool keep_threads = false;
  bool keep_tasks = false;
  bool keep_states = false;  // keeps whether threads were running
  int64_t bucket_ns = 0;     // precision of times; 0 = dropped
  bool keep_order = false;   // keeps the input's order; merges only adjacent samples
  // JFR: keeps only native memory that was never freed, without allocations in this last fraction of the time.
  std::optional<double> unfreed_tail;
  // JFR: keeps only samples within spans and traced methods of their thread with at least this duration.
  std::optional<int64_t> min_span_ns;
  std::string unit;  // collapsed stacks: unit of the numbers (value_unit.h); empty = unknown
  // perf script: keeps addresses of unnamed frames, and source locations printed below frames.
  bool addresses = false;
  bool source_lines = false;
};

class ProfileBuilder {
 public:
  explicit ProfileBuilder(ProfileReadOptions options);

  const ProfileReadOptions& options() const { return options_; }
  Profile& profile() { return profile_; }

  // Rows of the profile's tables, added if necessary. A thread or task that is not kept is row 0.
  EventId AddEvent(std::string_view name, std::string_view unit) { return profile_.AddEvent(name, unit); }
  uint32_t AddThread(const ProfileThread& thread);
  uint32_t AddTask(const ProfileTask& task);
  FrameId AddFrame(std::string_view name, FrameKind kind = FrameKind::kUnknown) {
    return profile_.frames.Intern({.name = profile_.strings.Intern(name), .kind = kind});
  }
  // A frame with its place. Input has 0, -1 or anything else for a line that is unknown.
  FrameId AddFrame(std::string_view name, FrameKind kind, std::string_view file, int64_t line) {
    return profile_.frames.Intern({.name = profile_.strings.Intern(name),
                                   .file = profile_.strings.Intern(file),
                                   .line = line > 0 && line <= UINT32_MAX ? static_cast<uint32_t>(line) : 0,
                                   .kind = kind});
  }
  // The stack of these frames below `caller`.
  StackId AddLeafFirst(std::span<const FrameId> leaf_first, StackId caller = 0) {
    for (size_t i = leaf_first.size(); i > 0; --i) caller = profile_.stacks.Push(caller, leaf_first[i - 1]);
    return caller;
  }

  // Merges into the sample that has the same kept dimensions.
  void Add(Sample sample) {
    if (by_stack_only_) {
      Queue(sample);
    } else {
      AddByKey(sample);
    }
  }

  // Reports unreadable data: "line 12: expected …" or "offset 12: expected …". Fails unless lenient.
  Result<void> Damaged(std::string_view what);

  // Fails, even if lenient: the input expands to more than its size permits. `what` is a limit: "its samples have more
  // than 1000 frames".
  Result<void> TooLarge(std::string_view what);

  // Adds a note about data that the input lacks or that is omitted: "3 counters are not calls".
  void Note(std::string_view what);

  // The profile with redacted thread names.
  Profile Take();

 private:
  // Samples merged only by stack access memory at random: they are queued until their stack is prefetched.
  struct Queued {
    StackId stack = 0;
    EventId event = 0;
    int64_t weight = 0;
    int64_t count = 0;
  };

  void Queue(const Sample& sample);
  void AddQueued();
  void AddByKey(Sample sample);

  ProfileReadOptions options_;
  const bool by_stack_only_;
  Profile profile_;
  std::vector<std::vector<uint32_t>> row_of_stack_;  // by event, by stack: row of samples + 1
  std::array<Queued, 32> queue_;
  size_t queued_ = 0;
  SampleTable<Sample> samples_;
  HashIndex threads_;
  HashIndex tasks_;
};

}  // namespace sparkprof
