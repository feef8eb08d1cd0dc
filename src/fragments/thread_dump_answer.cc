// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "base/text/text.h"
#include "formats/readers.h"
#include "fragments/fragment_readers.h"
#include "profiles/frame_origin.h"

namespace sparkprof {
namespace {

constexpr std::string_view kTaskThread = "Executor task launch worker";
constexpr int64_t kLeastThreads = 4;
constexpr size_t kShownPlaces = 5;

enum class Activity : uint8_t {
  kIdle,
  kPython,
  kShuffle,
  kLock,
  kStore,
  kSleep,
  kMemory,
  kRegex,
  kComputing,
  kOtherWait
};

struct ActivityRow {
  Activity activity;
  std::string_view does;  // behind a number of threads
  std::string_view rule = {}, title = {}, change = {};
};

constexpr ActivityRow kActivities[] = {
    {Activity::kPython, "wait for Python", "python-bound", "wait for Python workers",
     "Use functions of DataFrames instead of Python functions, or vectorized ones (pandas_udf). `sparkprof attach PID` "
     "of a Python worker "
     "shows its code"},
    {Activity::kShuffle, "wait for blocks of a shuffle", "fetch-wait", "wait for blocks of a shuffle",
     "Look at the hosts that serve the blocks: their disks, network and GC. Fewer and larger blocks are faster (fewer "
     "partitions)"},
    {Activity::kLock, "wait for a lock", "lock", "wait for a lock",
     "Shorten the code that holds the lock, use an object for each task instead of a shared one, or fewer cores for "
     "each executor"},
    {Activity::kStore, "wait for a store of files"},
    {Activity::kSleep, "sleep", "sleep", "sleep",
     "Remove the sleep, or run more tasks at once if it waits for a service"},
    {Activity::kMemory, "wait for execution memory", "spill", "wait for execution memory",
     "Give each task more memory: spark.executor.memory, fewer cores for each executor, or more partitions"},
    {Activity::kRegex, "match regular expressions", "hot", "match regular expressions",
     "Look for repetition within repetition in the patterns, such as (a+)+: for some values it tries all ways to "
     "match. "
     "Rewrite the pattern without it, and limit the length of the text"},
    {Activity::kComputing, "compute"},
    {Activity::kOtherWait, "wait for something else"},
};

// Parts of names that show what a thread of a task waits for, by any frame of its stack.
constexpr std::pair<std::string_view, Activity> kSigns[] = {
    {"ThreadPoolExecutor.getTask", Activity::kIdle},
    {"PythonRunner$ReaderIterator", Activity::kPython},
    {"PythonWorkerFactory", Activity::kPython},
    {"ShuffleBlockFetcherIterator", Activity::kShuffle},
    {"ExecutionMemoryPool.acquireMemory", Activity::kMemory},
    {"locks.ReentrantLock", Activity::kLock},
    {"locks.ReentrantReadWriteLock", Activity::kLock},
    {"hadoop.fs.s3a.", Activity::kStore},
    {"amazonaws.", Activity::kStore},
    {"software.amazon.awssdk.", Activity::kStore},
    {"hadoop.fs.azurebfs.", Activity::kStore},
    {"com.google.cloud.hadoop.", Activity::kStore},
    {"hadoop.hdfs.", Activity::kStore},
};

// Leaves of stacks whose threads wait, although a dump marks reads of sockets as runnable.
constexpr std::string_view kWaits[] = {".park",
                                       "Object.wait",
                                       ".socketRead0",
                                       ".SocketDispatcher.read0",
                                       ".EPoll.wait",
                                       ".epollWait",
                                       ".waitForReferencePendingList",
                                       ".Net.poll",
                                       "Object.wait0",
                                       "EPollArrayWrapper.epollWait"};

struct Locks {
  std::map<std::string, std::string> waits;  // threads that are blocked, with their locks
  std::vector<std::string> owned;            // "x waits for <0x1>, which y holds"
  std::vector<std::string> deadlocked;       // threads of deadlocks
};

std::string NameOfThread(std::string_view line) {
  const size_t end = line.substr(0, line.find(" owned by \"")).rfind('"');
  return end == 0 || end == std::string_view::npos ? std::string() : std::string(line.substr(1, end - 1));
}

// The monitors in HotSpot's dumps. Each dump has its own.
class LockReader {
 public:
  Locks Read(std::string_view text) {
    while (!text.empty()) AddLine(Trim(TakeLine(&text)));
    EndDump();
    return std::move(locks_);
  }

 private:
  void AddLine(std::string_view line) {
    constexpr std::string_view kWaiting = "- waiting to lock <", kLocked = "- locked <";
    if (line.starts_with("Full thread dump")) EndDump();
    if (line.starts_with("Found one Java-level deadlock")) {
      in_deadlock_ = true;
      is_over_ = false;
    }
    if (line.starts_with("Java stack information for the threads listed above")) is_over_ = true;
    if (is_over_) return;
    if (in_deadlock_) {
      if (line.starts_with('"') && line.ends_with("\":")) locks_.deadlocked.push_back(NameOfThread(line));
    } else if (line.starts_with('"')) {
      thread_ = NameOfThread(line);
    } else if (line.starts_with(kWaiting)) {
      blocked_[thread_] = line.substr(kWaiting.size(), line.find('>') - kWaiting.size());
    } else if (line.starts_with(kLocked)) {
      owners_[std::string(line.substr(kLocked.size(), line.find('>') - kLocked.size()))] = thread_;
    }
  }

  void EndDump() {
    for (const auto& [thread, lock] : blocked_) {
      locks_.waits[thread] = lock;
      const auto owner = owners_.find(lock);
      if (owner != owners_.end())
        locks_.owned.push_back(fmt::format("{} waits for <{}>, which {} holds", thread, lock, owner->second));
    }
    blocked_.clear();
    owners_.clear();
    in_deadlock_ = is_over_ = false;
  }

  Locks locks_;
  std::string thread_;
  std::map<std::string, std::string> blocked_, owners_;
  bool in_deadlock_ = false, is_over_ = false;
};

// Returns what a stack does, root first.
class Stacks {
 public:
  explicit Stacks(const Profile& profile) : profile_(profile) {}

  Activity ActivityOf(const Sample& sample, bool is_blocked) {
    profile_.stacks.Unwind(sample.stack, &path_);
    if (path_.empty()) return Activity::kOtherWait;
    const std::string_view leaf = NameAt(path_.size() - 1);
    const bool waits =
        sample.state == ThreadState::kSleeping ||
        std::any_of(std::begin(kWaits), std::end(kWaits), [&](std::string_view wait) { return leaf.ends_with(wait); });
    if (is_blocked) return Activity::kLock;
    if (leaf.find("Thread.sleep") != std::string_view::npos) return Activity::kSleep;
    if (!waits && leaf.starts_with("java.util.regex.")) return Activity::kRegex;
    for (size_t at = path_.size(); waits && at > 0; --at) {
      for (const auto& [part, activity] : kSigns) {
        if (NameAt(at - 1).find(part) != std::string_view::npos) return activity;
      }
    }
    return waits ? Activity::kOtherWait : Activity::kComputing;
  }

  bool Has(const Sample& sample, std::string_view part) {
    profile_.stacks.Unwind(sample.stack, &path_);
    for (size_t at = 0; at < path_.size(); ++at) {
      if (NameAt(at).find(part) != std::string_view::npos) return true;
    }
    return false;
  }

  // The innermost frame of the user's code, or of any code without one.
  std::string PlaceOf(const Sample& sample) {
    profile_.stacks.Unwind(sample.stack, &path_);
    for (size_t at = path_.size(); at > 0; --at) {
      const Frame& frame = profile_.frames.Get(path_[at - 1]);
      if (OriginOf(NameAt(at - 1), profile_.strings.Get(frame.file), frame.kind) == FrameOrigin::kUser)
        return FrameLabel(profile_.strings, frame);
    }
    return path_.empty() ? std::string() : FrameLabel(profile_.strings, profile_.frames.Get(path_.back()));
  }

 private:
  std::string_view NameAt(size_t at) const { return profile_.strings.Get(profile_.frames.Get(path_[at]).name); }

  const Profile& profile_;
  std::vector<FrameId> path_;
};

// "3 in com.example.Job.parse, 1 in …", the most frequent first.
std::string MostOf(const Counts& counts) {
  std::vector<std::pair<std::string, int64_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> texts;
  for (size_t row = 0; row < std::min(rows.size(), kShownPlaces); ++row)
    texts.push_back(fmt::format("{} in {}", rows[row].second, rows[row].first));
  if (rows.size() > kShownPlaces) texts.push_back(fmt::format("{} more places", rows.size() - kShownPlaces));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// The main thread of a driver, which runs the program.
void AddMainThread(const Sample& sample, Activity activity, Stacks* stacks, FragmentAnswer* answer) {
  constexpr std::string_view kListings[] = {"hadoop.fs.Globber.", "datasources.InMemoryFileIndex",
                                            "util.HadoopFSUtils$.listLeafFiles", "FileSystem.listStatus"};
  const auto row = std::find_if(std::begin(kActivities), std::end(kActivities),
                                [&](const ActivityRow& one) { return one.activity == activity; });
  if (row == std::end(kActivities)) return;
  answer->facts.push_back(fmt::format("The main thread was seen to {}, in {}", row->does, stacks->PlaceOf(sample)));
  const bool lists = std::any_of(std::begin(kListings), std::end(kListings),
                                 [&](std::string_view part) { return stacks->Has(sample, part); });
  if (!lists) return;
  Finding& finding = AddFinding("file-listing", "The driver lists files", answer);
  finding.what = "At the time of the dump, the main thread listed files; jobs start when it is done";
  finding.evidence = answer->facts.back();
  finding.condition = "The main thread has a listing of files on its stack";
  finding.selection.event = EventName(Event::kWall);
  finding.change =
      "Read a table of a catalog, or the root of a partitioned table with filters, instead of many paths or patterns; "
      "use fewer and larger files. Take more dumps to see whether it goes on";
}

void AddDeadlock(const Locks& locks, FragmentAnswer* answer) {
  if (locks.deadlocked.empty()) return;
  Finding& finding = AddFinding("lock",
                                fmt::format("{} wait for each other: a deadlock",
                                            Counted(static_cast<int64_t>(locks.deadlocked.size()), "thread")),
                                answer);
  finding.what = fmt::format("The JVM reports a deadlock of {}, which never ends", fmt::join(locks.deadlocked, ", "));
  finding.evidence = fmt::format("{}", fmt::join(locks.owned, "; "));
  finding.condition = "The dump reports a deadlock";
  finding.change = "Take the locks in the same order everywhere, or use one lock. To end the wait, kill the process";
  finding.is_failure = true;
  finding.severity = Severity::kHigh;
  finding.confidence = 1;
}

}  // namespace

std::string AnswerThreadDump(std::string_view text, FragmentAnswer* answer) {
  ProfileBuilder builder({.name = answer->application.id, .lenient = true, .keep_threads = true, .keep_states = true});
  // Damage is left out.
  static_cast<void>(ReadThreadDump(ViewSource(text), &builder));
  const Profile profile = builder.Take();
  const Locks locks = LockReader().Read(text);
  Stacks stacks(profile);
  std::map<Activity, int64_t> of_tasks;
  Counts computing, all;
  int64_t threads = 0, busy = 0;
  const Sample* main = nullptr;
  for (const Sample& sample : profile.samples) {
    if (sample.event != profile.default_event) continue;
    threads += sample.count;
    const std::string& name = profile.threads[sample.thread].name;
    const Activity activity = stacks.ActivityOf(sample, locks.waits.contains(name));
    if (name == "main") main = &sample;
    if (activity == Activity::kComputing && name != "main") all[stacks.PlaceOf(sample)] += sample.count;
    if (!name.starts_with(kTaskThread)) continue;
    of_tasks[activity] += sample.count;
    if (activity != Activity::kIdle) busy += sample.count;
    if (activity == Activity::kComputing) computing[stacks.PlaceOf(sample)] += sample.count;
  }
  for (const ActivityRow& row : kActivities) {
    const int64_t count = of_tasks[row.activity];
    if (count == 0) continue;
    answer->facts.push_back(fmt::format("Task threads that {}: {}", row.does,
                                        row.activity == Activity::kComputing ? MostOf(computing) : CountText(count)));
    if (row.rule.empty() || busy < kLeastThreads || 2 * count < busy) continue;
    Finding& finding =
        AddFinding(row.rule, fmt::format("{} of {} threads of tasks {}", count, busy, row.title), answer);
    finding.what =
        fmt::format("At the time of the dump, {} of the {} threads that run tasks {}", count, busy, row.does);
    finding.evidence = answer->facts.back();
    if (row.activity == Activity::kLock && !locks.owned.empty()) finding.evidence = locks.owned.front();
    finding.condition = "At least half of four or more threads that run tasks wait for the same";
    finding.selection.event = EventName(Event::kWall);
    finding.change = row.change;
  }
  if (const int64_t idle = of_tasks[Activity::kIdle]; idle > 0)
    answer->facts.push_back(fmt::format("Task threads without a task: {}", CountText(idle)));
  if (busy == 0 && main != nullptr)
    AddMainThread(*main, stacks.ActivityOf(*main, locks.waits.contains("main")), &stacks, answer);
  if (busy == 0 && !all.empty()) answer->facts.push_back("Running: " + MostOf(all));
  for (size_t row = 0; row < std::min(locks.owned.size(), kShownPlaces); ++row)
    answer->facts.push_back(locks.owned[row]);
  AddDeadlock(locks, answer);
  return busy > 0 ? fmt::format("{}, {} of them run tasks", Counted(threads, "thread"), busy)
                  : Counted(threads, "thread");
}

}  // namespace sparkprof
