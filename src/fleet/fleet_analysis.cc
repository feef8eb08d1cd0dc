// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/io/compression.h"
#include "base/parallel.h"
#include "base/time.h"
#include "fleet/engine_process.h"
#include "fleet/fleet_result.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr size_t kRemoteReaders = 8;
// Number of logs within which larger ones may come first.
constexpr size_t kLogsInOrder = 2000;
// Each commit creates a file per day: fewer files make tables that are faster to read.
constexpr size_t kCommitLogs = 2000;
constexpr int64_t kCommitNs = 10 * kNanosPerSecond;
constexpr size_t kCommitBytes = size_t{256} << 20;
// Limit for answers that wait to be stored.
constexpr size_t kWaitingBytes = size_t{64} << 20;

Result<std::vector<FleetLog>> LogsIn(const std::string& location, FleetCounts* counts) {
  std::error_code error;
  const bool is_file = fs::is_regular_file(location, error);
  const fs::path folder = fs::path(location).parent_path();
  StorageOptions options;
  if (is_file) options.max_depth = 0;
  const Result<std::unique_ptr<Storage>> storage = OpenStorage(!is_file         ? location
                                                               : folder.empty() ? std::string(".")
                                                                                : folder.string(),
                                                               options);
  if (!storage) return tl::unexpected(storage.error());
  Result<StorageListing> listing = (*storage)->List();
  if (!listing) return tl::unexpected(listing.error());
  if (is_file) {
    const std::string name = fs::path(location).filename();
    std::erase_if(listing->files, [&](const StoredFile& file) { return file.name != (*storage)->Root() + "/" + name; });
    listing->not_listed.clear();
  }
  for (const NotListed& entry : listing->not_listed)
    counts->problems.push_back(fmt::format("{}: {}", entry.name, entry.reason));
  // Few files hide their application. Their starts are read concurrently, because each may be a request.
  std::vector<const StoredFile*> hidden;
  for (const StoredFile& file : listing->files)
    if (IsApplicationInContent(file.name) && !IsBesideEventLogs((*storage)->Root(), file.name)) hidden.push_back(&file);
  std::vector<ApplicationStart> read(hidden.size());
  ForEachInParallel(hidden.size(), (*storage)->IsRemote() ? kRemoteReaders : 0, [&](size_t row) {
    const std::unique_ptr<ByteSource> source = Decompress(OpenStored(storage->get(), *hidden[row]), hidden[row]->name);
    read[row] = ReadApplicationStart(source.get());
  });
  std::map<std::string_view, ApplicationStart> starts;
  for (size_t row = 0; row < hidden.size(); ++row) starts.emplace(hidden[row]->name, std::move(read[row]));
  return GroupFleetLogs((*storage)->Root(), *listing, [&](std::string_view name) {
    const auto found = starts.find(name);
    return found == starts.end() ? ApplicationStart() : found->second;
  });
}

// Passes answers from the readers to the thread that stores them.
class AnswerQueue {
 public:
  struct One {
    const FleetLog* log = nullptr;
    EngineAnswer answer;
  };

  void Put(One one) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return bytes_ < kWaitingBytes || stopped_; });
    bytes_ += one.answer.lines.size();
    waiting_.push_back(std::move(one));
    changed_.notify_all();
  }
  void Fail(Error error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    changed_.notify_all();
  }
  // Waits, and returns the first reader's error.
  Result<One> Take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return error_ || !waiting_.empty(); });
    if (error_) return tl::unexpected(*error_);
    One one = std::move(waiting_.front());
    waiting_.pop_front();
    bytes_ -= one.answer.lines.size();
    changed_.notify_all();
    return one;
  }
  // Releases waiting readers.
  void Stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  bool IsStopped() {
    const std::lock_guard lock(mutex_);
    return stopped_ || error_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<One> waiting_;
  size_t bytes_ = 0;
  bool stopped_ = false;
  std::optional<Error> error_;
};

Result<void> ReadLogs(const FleetRequest& request, const std::vector<FleetLog>& logs, FleetProgress* progress,
                      FleetStore* store, FleetCounts* counts) {
  AnswerQueue answers;
  std::atomic<size_t> next = 0;
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const size_t processes = std::min(request.processes > 0 ? request.processes : cores, logs.size());
  std::vector<std::jthread> readers;
  for (size_t i = 0; i < processes; ++i) {
    readers.emplace_back([&] {
      EngineProcess engine(request.engine);
      for (size_t row = next++; row < logs.size() && !answers.IsStopped(); row = next++) {
        Result<EngineAnswer> answer = engine.Read(logs[row]);
        if (!answer) return answers.Fail(answer.error());
        progress->done_bytes += static_cast<uint64_t>(logs[row].Bytes());
        answers.Put({&logs[row], std::move(*answer)});
      }
    });
  }
  Result<void> kept;
  for (size_t i = 0; i < logs.size() && kept; ++i) {
    const Result<AnswerQueue::One> one = answers.Take();
    kept = one ? KeepAnswer(*one->log, one->answer, request.filter, store, counts) : tl::unexpected(one.error());
  }
  answers.Stop();
  return kept;
}

}  // namespace

void SortForReading(std::vector<FleetLog>* logs) {
  std::sort(logs->begin(), logs->end(), [](const FleetLog& a, const FleetLog& b) {
    return std::pair(a.ModifiedNs(), a.source) < std::pair(b.ModifiedNs(), b.source);
  });
  for (size_t begin = 0; begin < logs->size(); begin += kLogsInOrder) {
    const auto first = logs->begin() + static_cast<std::ptrdiff_t>(begin);
    const auto count = static_cast<std::ptrdiff_t>(std::min(kLogsInOrder, logs->size() - begin));
    std::sort(first, first + count, [](const FleetLog& a, const FleetLog& b) {
      return std::pair(b.Bytes(), a.source) < std::pair(a.Bytes(), b.source);
    });
  }
}

std::vector<FleetLog> DropUnchanged(std::vector<FleetLog> logs, const FleetStore& store, const FleetFilter& filter,
                                    FleetCounts* counts) {
  const std::string text = filter.Text();
  std::erase_if(logs, [&](const FleetLog& log) {
    if (store.IsUnchanged(log.source, log.Version(), text)) {
      ++counts->unchanged;
      return true;
    }
    if (filter.MayAccept(log.ModifiedNs())) return false;
    ++counts->filtered;
    return true;
  });
  return logs;
}

Result<void> KeepAnswer(const FleetLog& log, const EngineAnswer& answer, const FleetFilter& filter, FleetStore* store,
                        FleetCounts* counts) {
  counts->applications += answer.done.applications;
  counts->failed += answer.done.failed ? 1 : 0;
  counts->filtered += answer.done.is_filtered ? 1 : 0;
  counts->others += answer.done.is_other ? 1 : 0;
  Result<void> added = store->Add(
      {log.source, log.Version(), answer.done.is_filtered ? filter.Text() : std::string(), answer.done.try_again},
      answer.lines);
  if (!added) return added;
  const bool is_time = store->PendingLogs() >= kCommitLogs && store->SinceCommitNs() >= kCommitNs;
  return is_time || store->PendingBytes() >= kCommitBytes ? store->Commit() : Result<void>();
}

Result<FleetCounts> AnalyzeFleet(const FleetRequest& request, FleetProgress* progress) {
  FleetCounts counts;
  std::vector<FleetLog> logs;
  for (const std::string& location : request.locations) {
    Result<std::vector<FleetLog>> found = LogsIn(location, &counts);
    if (!found) return tl::unexpected(found.error());
    logs.insert(logs.end(), std::make_move_iterator(found->begin()), std::make_move_iterator(found->end()));
  }
  if (logs.empty()) return counts;
  Result<FleetStore> store = FleetStore::Open(request.output, request.layout);
  if (!store) return tl::unexpected(store.error());
  if (Result<void> kept = AddFleetLocations(request.output, request.locations); !kept)
    return tl::unexpected(kept.error());
  logs = DropUnchanged(std::move(logs), *store, request.filter, &counts);
  SortForReading(&logs);
  uint64_t bytes = 0;
  for (const FleetLog& log : logs) bytes += static_cast<uint64_t>(log.Bytes());
  progress->all_bytes = bytes;
  if (Result<void> read = ReadLogs(request, logs, progress, &*store, &counts); !read)
    return tl::unexpected(read.error());
  return store->Finish().map([&] { return counts; });
}

}  // namespace sparkprof
