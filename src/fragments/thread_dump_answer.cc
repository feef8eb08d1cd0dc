// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "base/text/text.h"
#include "formats/readers.h"
#include "fragments/fragment_readers.h"
#include "fragments/thread_locks.h"
#include "profiles/frame_origin.h"

namespace sparkprof {
namespace {

constexpr std::string_view kTaskThread = "Executor task launch worker";
constexpr std::string_view kTaskFrame = "executor.Executor$TaskRunner.run";  // forced dumps lack thread names
constexpr int64_t kLeastThreads = 4;
constexpr size_t kShownPlaces = 5;
constexpr int64_t kMaxExcerpt = 10;  // complete dumps of drivers and executors have more threads
constexpr std::string_view kOneMoment =
    "A dump shows one moment: take three, some seconds apart, to see whether it lasts";

enum class Activity : uint8_t {
  kIdle,
  kPython,
  kShuffle,
  kLock,
  kStore,
  kDatabase,
  kSleep,
  kMemory,
  kRegex,
  kJob,
  kComputing,
  kOtherWait
};

struct ActivityRow {
  Activity activity;
  std::string_view does;  // follows a number of threads
  std::string_view rule = {}, title = {}, change = {};
};

constexpr ActivityRow kActivities[] = {
    {Activity::kPython, "wait for Python", "python-bound", "wait for Python workers",
     "Use functions of DataFrames instead of Python functions, or vectorized ones (pandas_udf). `sparkprof attach PID` "
     "of a Python worker shows its code"},
    {Activity::kShuffle, "wait for blocks of a shuffle", "fetch-wait", "wait for blocks of a shuffle",
     "Look at the hosts that serve the blocks: their disks, network and GC. Fewer and larger blocks are faster (fewer "
     "partitions)"},
    {Activity::kLock, "wait for a lock", "lock", "wait for a lock",
     "Shorten the code that holds the lock, use an object for each task instead of a shared one, or fewer cores for "
     "each executor"},
    {Activity::kStore, "wait for a store of files", "sleep", "wait for a store of files",
     "Read fewer and larger files, so that fewer requests are made; look at the store's limits and at the network, and "
     "set the timeouts of its client"},
    {Activity::kDatabase, "wait for a database", "sleep", "wait for a database",
     "Look at the database: the statements that run, locks, indexes and commits. More tasks at once "
     "(numPartitions) or larger batches (batchsize, fetchsize) help only if it has capacity left"},
    {Activity::kSleep, "sleep", "sleep", "sleep",
     "Remove the sleep, or run more tasks at once if it waits for a service"},
    {Activity::kMemory, "wait for execution memory", "spill", "wait for execution memory",
     "Give each task more memory: spark.executor.memory, fewer cores for each executor, or more partitions"},
    {Activity::kRegex, "match regular expressions", "hot", "match regular expressions",
     "Look for repetition within repetition in the patterns, such as (a+)+: for some values it tries all ways to "
     "match. Rewrite the pattern without it, and limit the length of the text"},
    {Activity::kJob,
     "wait for a job of Spark, whose tasks show in dumps of the executors and on the pages Jobs and Stages"},
    {Activity::kComputing, "compute"},
    {Activity::kOtherWait, "wait for something else"},
};

// Substrings of frame names that show what a task thread waits for.
constexpr std::pair<std::string_view, Activity> kSigns[] = {
    {"ThreadPoolExecutor.getTask", Activity::kIdle},
    {"scheduler.DAGScheduler.runJob", Activity::kJob},
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
    {"datasources.jdbc.", Activity::kDatabase},
    {"com.datastax.", Activity::kDatabase},
    {"com.mongodb.", Activity::kDatabase},
    {"elasticsearch.hadoop.", Activity::kDatabase},
    {"hadoop.hbase.client.", Activity::kDatabase},
    {"clients.consumer.KafkaConsumer", Activity::kDatabase},
};

// The meaning of frames in threads of any name. The first match counts.
struct Situation {
  std::string_view leaf;      // suffix of the innermost frame's name; empty = any
  std::string_view on_stack;  // substring of the name or file of any frame
  std::string_view also;      // second substring
  bool waits = false;         // matches waiting threads only
  std::string_view rule, does, change;
};
constexpr Situation kSituations[] = {
    {"", "SpillReader", "JavaDeserializationStream", false, "spill",
     "reads spilled records back, with Java serialization",
     "Set spark.serializer=org.apache.spark.serializer.KryoSerializer, or use DataFrames, whose rows need no objects; "
     "give each task more memory or less data (more partitions), so that it spills less"},
    {"", "SpillReader", "", false, "spill", "reads spilled records back",
     "Give each task more memory or less data: spark.executor.memory, fewer cores for each executor, or more "
     "partitions"},
    {"", "compress.zlib.", "LineReader", false, "few-partitions",
     "decompresses a text file with gzip, which one task must read",
     "Gzip files cannot be split: repartition the rows after the read, and write the files as several, or with a codec "
     "that can be split (bzip2) or in Parquet"},
    {"", "FileOutputCommitter.", "s3a.S3AFileSystem.", false, "many-output-files",
     "moves the files of a write from _temporary to their place, on an object store",
     "A rename of S3 copies and deletes each file, one after the other. Use a committer for S3: "
     "spark.hadoop.fs.s3a.committer.name=magic (or directory), with the module spark-hadoop-cloud "
     "spark.sql.sources.commitProtocolClass=org.apache.spark.internal.io.cloud.PathOutputCommitProtocol and "
     "spark.sql.parquet.output.committer.class=org.apache.spark.internal.io.cloud.BindingParquetOutputCommitter; or a "
     "table of Delta Lake or Iceberg. Write fewer and larger files. "
     "mapreduce.fileoutputcommitter.algorithm.version=2 is a stopgap, which leaves partial output when a job fails"},
    {"", "FileOutputCommitter.commitJob", "", false, "many-output-files",
     "moves the files of a write from _temporary to their place",
     "Write fewer and larger files, and to a store with fast renames or with a committer of its own"},
    {"", "Dataset.withColumn", "catalyst.", false, "driver-gap",
     "analyzes the plan of a DataFrame again, for one more withColumn",
     "Each withColumn adds a level to the plan and analyzes all of it, so that a loop costs the square of its columns, "
     "before any job starts. Make all columns in one select, or with withColumns (Spark 3.3 and later); between rounds "
     "that need each other, cut the plan with checkpoint() or localCheckpoint(). More executors or memory do not help"},
    {"", "Dataset.union", "catalyst.", false, "driver-gap", "analyzes a plan for one more union",
     "Read the folders or tables in one go (a list of paths), or unite them in pairs instead of one by one, and cut "
     "the plan with checkpoint() in between"},
    {"", "ThriftHiveMetastore", "", false, "driver-gap", "waits for an answer of the Hive metastore",
     "Look at the metastore: its load, its heap, and the database behind it. Tables with very many partitions make "
     "such calls slow: filter by partition columns, and merge partitions"},
    {"", "catalyst.rules.RuleExecutor.", "catalyst.", false, "driver-gap", "analyzes or optimizes the plan of a query",
     "While it lasts, no job starts. Plans grow with loops of withColumn, join and union, with very many columns, and "
     "with iterations over the same DataFrame: use one select, and cut the plan with checkpoint() or "
     "localCheckpoint()"},
    {"_write_with_length", "pyspark/worker.py", "", true, "python-bound",
     "waits in a Python worker until the JVM reads its rows",
     "Look at the same task in a thread dump of its executor: if it waits for its writer thread (stdout writer for "
     "python), which waits for Python, both wait for each other, as in SPARK-38677: update Spark, or kill the task. "
     "Otherwise the operators above the Python function are the slow ones"},
    {"write_int", "pyspark/worker.py", "", true, "python-bound",
     "waits in a Python worker until the JVM reads its rows",
     "Look at the same task in a thread dump of its executor: the operators above the Python function do not read"},
};

// Leaf frames of waiting threads, although dumps mark socket reads as runnable.
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

// Decodes and classifies stacks, root first.
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

  const Situation* SituationOf(const Sample& sample) {
    const auto has = [&](std::string_view part) { return part.empty() || Has(sample, part) || HasFile(part); };
    for (const Situation& situation : kSituations) {
      profile_.stacks.Unwind(sample.stack, &path_);
      if (path_.empty() || !NameAt(path_.size() - 1).ends_with(situation.leaf)) continue;
      if (situation.waits && sample.state != ThreadState::kSleeping) continue;
      if (has(situation.on_stack) && has(situation.also)) return &situation;
    }
    return nullptr;
  }

  std::string LeafOf(const Sample& sample) {
    profile_.stacks.Unwind(sample.stack, &path_);
    return path_.empty() ? std::string() : FrameLabel(profile_.strings, profile_.frames.Get(path_.back()));
  }

  // The innermost frame of the user's code, otherwise the innermost frame.
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
  // True if a frame of the last unwound stack is in such a file.
  bool HasFile(std::string_view part) const {
    return std::any_of(path_.begin(), path_.end(), [&](FrameId frame) {
      return profile_.strings.Get(profile_.frames.Get(frame).file).find(part) != std::string_view::npos;
    });
  }

  std::string_view NameAt(size_t at) const { return profile_.strings.Get(profile_.frames.Get(path_[at]).name); }

  const Profile& profile_;
  std::vector<FrameId> path_;
};

// "3 in com.example.Job.parse, 1 in …", most frequent first.
std::string MostOf(const Counts& counts) {
  std::vector<std::pair<std::string, int64_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> texts;
  for (size_t row = 0; row < std::min(rows.size(), kShownPlaces); ++row)
    texts.push_back(fmt::format("{} in {}", rows[row].second, rows[row].first));
  if (rows.size() > kShownPlaces) texts.push_back(fmt::format("{} more places", rows.size() - kShownPlaces));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// Describes the main thread of a driver, which runs the program.
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

void AddDeadlock(const ThreadLocks& locks, FragmentAnswer* answer) {
  if (locks.deadlocked.empty()) return;
  Finding& finding = AddFinding("lock",
                                fmt::format("{} wait for each other: a deadlock",
                                            Counted(static_cast<int64_t>(locks.deadlocked.size()), "thread")),
                                answer);
  finding.what = fmt::format("{} wait for locks that they hold themselves in a circle, which never ends",
                             fmt::join(locks.deadlocked, ", "));
  finding.evidence = fmt::format("{}", fmt::join(locks.owned, "; "));
  finding.condition = "The dump reports a deadlock, or has threads that wait for each other's locks";
  const bool is_of_spark = std::all_of(locks.deadlocked.begin(), locks.deadlocked.end(), [&](const std::string& one) {
    const auto wait = locks.waits.find(one);
    return wait != locks.waits.end() && wait->second.type.starts_with("org.apache.spark.");
  });
  finding.change = is_of_spark
                       ? "Kill the application, which cannot go on. The locks are Spark's own, so the program is not "
                         "at fault: update Spark to the latest patch release, and search its issues for the classes "
                         "of the locks"
                       : "Take the locks in the same order everywhere, or use one lock. To end the wait, kill the "
                         "process";
  finding.is_failure = true;
  finding.severity = Severity::kHigh;
  finding.confidence = 1;
}

// Reports locks that several threads wait for and whose holder does not wait for a lock itself.
void AddContention(const ThreadLocks& locks, const std::map<std::string, std::string>& places, FragmentAnswer* answer) {
  Counts by_holder;
  for (const auto& [thread, wait] : locks.waits) {
    if (!wait.holder.empty() && !locks.waits.contains(wait.holder)) ++by_holder[wait.holder];
  }
  const auto most = std::max_element(by_holder.begin(), by_holder.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == by_holder.end() || most->second < kLeastThreads) return;
  const auto& [holder, count] = *most;
  const auto place = places.find(holder);
  const std::string in = place == places.end() ? std::string() : fmt::format(", in {}", place->second);
  Finding& finding = AddFinding("lock", fmt::format("{} threads wait for a lock that {} holds", count, holder), answer);
  finding.what = fmt::format("At the time of the dump, {} threads were blocked by {}{}", count, holder, in);
  finding.evidence = *std::find_if(locks.owned.begin(), locks.owned.end(),
                                   [&](const std::string& one) { return one.ends_with(holder + " holds"); });
  finding.condition = "Four or more threads wait for locks of one thread, which itself waits for no lock of the dump";
  finding.selection.event = EventName(Event::kWall);
  finding.change = fmt::format(
      "Look at what {} does: no other thread goes on before. If it waits within a library (a full pipe, a socket), "
      "update the library and look for an earlier exception of it. {}",
      holder, kOneMoment);
}

// Strips the number from the name of a pool's thread: "pool-34-thread-".
std::string_view NameOfPool(std::string_view thread) {
  return thread.substr(0, thread.find_last_not_of("0123456789") + 1);
}

// Reports a JVM whose program has ended but whose threads keep it alive. Threads of a server do more than wait in their
// pool.
void AddAwaited(const ThreadLocks& locks, const std::map<std::string, Activity>& activities, FragmentAnswer* answer) {
  const auto does = [&](const std::string& thread, Activity what) {
    const auto activity = activities.find(thread);
    return activity != activities.end() && activity->second == what;
  };
  std::set<std::string_view> idle;  // names of pools; others of their threads may have a shortened stack
  for (const std::string& thread : locks.awaited) {
    if (does(thread, Activity::kIdle)) idle.insert(NameOfPool(thread));
  }
  Counts pools;
  for (const std::string& thread : locks.awaited) {
    const bool is_idle =
        does(thread, Activity::kIdle) || (does(thread, Activity::kOtherWait) && idle.contains(NameOfPool(thread)));
    if (!is_idle) return;
    ++pools[fmt::format("{}N", NameOfPool(thread))];
  }
  if (pools.empty()) return;
  Finding& finding = AddFinding("driver-gap", "The program has ended, but idle threads keep its JVM alive", answer);
  finding.what =
      "The main thread has ended (DestroyJavaVM waits), and the JVM ends only after all threads that are no daemons; "
      "those of thread pools wait for work until their pool is shut down";
  finding.evidence = fmt::format("Idle threads that are no daemons: {}", CountsText(pools));
  finding.condition = "DestroyJavaVM waits, and all threads that are no daemons wait for work in their pools";
  finding.selection.event = EventName(Event::kWall);
  finding.change =
      "Shut down the pool (ExecutorService.shutdown()), or update the library that made it; or end the program with "
      "spark.stop() in a finally block and System.exit(). Look in the log for the exception that ended main";
}

}  // namespace

std::string AnswerThreadDump(std::string_view text, FragmentAnswer* answer) {
  ProfileBuilder builder({.name = answer->application.id, .lenient = true, .keep_threads = true, .keep_states = true});
  // Skips damaged parts.
  static_cast<void>(ReadThreadDump(ViewSource(text), &builder));
  const Profile profile = builder.Take();
  const ThreadLocks locks = ReadThreadLocks(text);
  Stacks stacks(profile);
  std::map<Activity, int64_t> of_tasks;
  Counts computing, all;
  int64_t threads = 0, busy = 0;
  std::map<std::string, std::string> places;
  std::map<std::string, Activity> activities;
  std::map<const Situation*, std::pair<int64_t, std::string>> situations;  // number of threads, and the name of one
  const Sample* main = nullptr;
  for (const Sample& sample : profile.samples) {
    if (sample.event != profile.default_event) continue;
    threads += sample.count;
    const std::string& name = profile.threads[sample.thread].name;
    const Activity activity = stacks.ActivityOf(sample, locks.waits.contains(name));
    if (name == "main") main = &sample;
    places[name] = stacks.LeafOf(sample);
    activities[name] = activity;
    if (const Situation* const situation = stacks.SituationOf(sample)) {
      auto& [count, example] = situations[situation];
      count += sample.count;
      example = name;
    }
    if (activity == Activity::kComputing && name != "main") all[stacks.PlaceOf(sample)] += sample.count;
    if (!name.starts_with(kTaskThread) && !stacks.Has(sample, kTaskFrame)) continue;
    of_tasks[activity] += sample.count;
    if (activity != Activity::kIdle) busy += sample.count;
    if (activity == Activity::kComputing) computing[stacks.PlaceOf(sample)] += sample.count;
  }
  for (const ActivityRow& row : kActivities) {
    const int64_t count = of_tasks[row.activity];
    if (count == 0) continue;
    answer->facts.push_back(fmt::format("Task threads that {}: {}", row.does,
                                        row.activity == Activity::kComputing ? MostOf(computing) : CountText(count)));
    const bool is_excerpt = threads <= kMaxExcerpt && busy < kLeastThreads && row.activity != Activity::kSleep;
    if (row.rule.empty() || (busy < kLeastThreads && !is_excerpt) || 2 * count < busy) continue;
    Finding& finding =
        AddFinding(row.rule, fmt::format("{} of {} of tasks {}", count, Counted(busy, "thread"), row.title), answer);
    finding.what =
        fmt::format("At the time of the dump, {} of the {} threads that run tasks {}", count, busy, row.does);
    finding.evidence = answer->facts.back();
    if (row.activity == Activity::kLock && !locks.owned.empty()) finding.evidence = locks.owned.front();
    finding.condition =
        "At least half of four or more threads that run tasks, or of all in a short excerpt, wait for the same";
    finding.selection.event = EventName(Event::kWall);
    finding.change = is_excerpt ? fmt::format("{}. {}", row.change, kOneMoment) : std::string(row.change);
  }
  if (const int64_t idle = of_tasks[Activity::kIdle]; idle > 0)
    answer->facts.push_back(fmt::format("Task threads without a task: {}", CountText(idle)));
  if (busy == 0 && main != nullptr)
    AddMainThread(*main, stacks.ActivityOf(*main, locks.waits.contains("main")), &stacks, answer);
  if (busy == 0 && !all.empty()) answer->facts.push_back("Running: " + MostOf(all));
  for (size_t row = 0; row < std::min(locks.owned.size(), kShownPlaces); ++row)
    answer->facts.push_back(locks.owned[row]);
  for (const auto& [situation, seen] : situations) {
    const auto& [count, example] = seen;
    Finding& finding = AddFinding(situation->rule,
                                  count == 1 ? fmt::format("A thread {}", situation->does)
                                             : fmt::format("Each of {} {}", Counted(count, "thread"), situation->does),
                                  answer);
    finding.what = fmt::format("At the time of the dump, {} {}", example, situation->does);
    finding.evidence = fmt::format("{} in {}", example, places[example]);
    finding.condition = "The frames of a stack show what its thread does";
    finding.selection.event = EventName(Event::kWall);
    finding.change = fmt::format("{}. {}", situation->change, kOneMoment);
  }
  AddContention(locks, places, answer);
  AddAwaited(locks, activities, answer);
  AddDeadlock(locks, answer);
  return busy > 0 ? fmt::format("{}, {} of them run tasks", Counted(threads, "thread"), busy)
                  : Counted(threads, "thread");
}

}  // namespace sparkprof
