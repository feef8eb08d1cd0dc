// SPDX-License-Identifier: Apache-2.0
#include "model/samples/profile_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/memory_limit.h"
#include "base/redaction/redaction.h"
#include "base/saturate.h"
#include "model/hash_bytes.h"

namespace sparkprof {
namespace {

uint64_t Hash(const ProfileThread& thread) {
  return MixHash(HashBytes(thread.name) ^
                 MixHash(static_cast<uint64_t>(thread.process) << 32 ^ static_cast<uint64_t>(thread.tid)));
}

uint64_t Hash(const ProfileTask& task) {
  return MixHash(MixHash(static_cast<uint64_t>(task.task)) ^ static_cast<uint64_t>(task.stage) << 32 ^
                 static_cast<uint64_t>(task.stage_attempt) << 48 ^ static_cast<uint64_t>(task.partition));
}

template <typename Row>
uint32_t Intern(const Row& row, std::vector<Row>* rows, HashIndex* index) {
  const uint64_t hash = Hash(row);
  const uint32_t found = index->Find(hash, [&](uint32_t id) { return (*rows)[id] == row; });
  if (found != HashIndex::kNone) return found;
  const auto id = static_cast<uint32_t>(rows->size());
  rows->push_back(row);
  index->Insert(hash, id, [&](uint32_t other) { return Hash((*rows)[other]); });
  return id;
}

}  // namespace

ProfileBuilder::ProfileBuilder(ProfileReadOptions options)
    : options_(std::move(options)),
      by_stack_only_(!options_.keep_threads && !options_.keep_tasks && !options_.keep_states && !options_.keep_order &&
                     options_.bucket_ns == 0) {
  profile_.name = options_.name;
  profile_.in_order = options_.keep_order;
  profile_.bucket_ns = options_.bucket_ns;
  const auto first_row = [](uint32_t) { return uint64_t{0}; };
  threads_.Insert(Hash(ProfileThread{}), 0, first_row);
  tasks_.Insert(Hash(ProfileTask{}), 0, first_row);
}

uint32_t ProfileBuilder::AddThread(const ProfileThread& thread) {
  return options_.keep_threads ? Intern(thread, &profile_.threads, &threads_) : 0;
}

uint32_t ProfileBuilder::AddTask(const ProfileTask& task) {
  return options_.keep_tasks ? Intern(task, &profile_.tasks, &tasks_) : 0;
}

void ProfileBuilder::Queue(const Sample& sample) {
  if (sample.event >= row_of_stack_.size()) row_of_stack_.resize(sample.event + 1);
  std::vector<uint32_t>& rows = row_of_stack_[sample.event];
  if (sample.stack >= rows.size()) rows.resize(std::max<size_t>(sample.stack + size_t{1}, rows.size() * 2));
  __builtin_prefetch(&rows[sample.stack]);
  queue_[queued_++] = {sample.stack, sample.event, sample.weight, sample.count};
  if (queued_ == queue_.size()) AddQueued();
}

void ProfileBuilder::AddQueued() {
  const std::span<const Queued> queued(queue_.data(), std::exchange(queued_, 0));
  for (const Queued& sample : queued) {
    const uint32_t row = row_of_stack_[sample.event][sample.stack];
    if (row != 0) __builtin_prefetch(&profile_.samples[row - 1].weight);
  }
  for (const Queued& sample : queued) {
    uint32_t& row = row_of_stack_[sample.event][sample.stack];
    if (row == 0) {
      profile_.samples.push_back(
          {.stack = sample.stack, .event = sample.event, .weight = sample.weight, .count = sample.count});
      row = static_cast<uint32_t>(profile_.samples.size());
      continue;
    }
    Sample& known = profile_.samples[row - 1];
    AddSaturated(sample.weight, &known.weight);
    AddSaturated(sample.count, &known.count);
  }
}

void ProfileBuilder::AddByKey(Sample sample) {
  if (!options_.keep_threads) sample.thread = 0;
  if (!options_.keep_tasks) sample.task = 0;
  if (!options_.keep_states) sample.state = ThreadState::kUnknown;
  if (options_.bucket_ns == 0) {
    sample.time_ns = kNoTime;
  } else if (sample.time_ns != kNoTime) {
    const int64_t into_bucket = sample.time_ns % options_.bucket_ns;
    const int64_t excess = into_bucket < 0 ? into_bucket + options_.bucket_ns : into_bucket;
    if (__builtin_sub_overflow(sample.time_ns, excess, &sample.time_ns)) sample.time_ns = kNoTime;
  }
  if (!options_.keep_order) return samples_.Add(sample);
  std::vector<Sample>& rows = profile_.samples;
  if (rows.empty() || !rows.back().SameKey(sample)) {
    rows.push_back(sample);
    return;
  }
  AddSaturated(sample.weight, &rows.back().weight);
  AddSaturated(sample.count, &rows.back().count);
}

Profile ProfileBuilder::Take() {
  AddQueued();
  if (!by_stack_only_ && !options_.keep_order) profile_.samples = samples_.Take();
  for (ProfileThread& thread : profile_.threads) RedactInPlace(&thread.name);
  return std::move(profile_);
}

Result<void> ProfileBuilder::Damaged(std::string_view what) {
  // The message of a source already contains the name.
  const std::string prefix = options_.name + ": ";
  std::string message = what.starts_with(prefix) ? std::string(what) : fmt::format("{}{}", prefix, what);
  if (!options_.lenient) return Fail(std::move(message));
  if (profile_.damaged++ == 0) profile_.first_damage = std::move(message);
  return {};
}

Result<void> ProfileBuilder::TooLarge(std::string_view what) {
  if (MemoryLimit* const limit = MemoryLimit::Current()) limit->Exceed();
  return Fail(fmt::format("{}: too large: {}", options_.name, what));
}

void ProfileBuilder::Note(std::string_view what) {
  profile_.notes.push_back(fmt::format("{}: {}", options_.name, what));
}

}  // namespace sparkprof
