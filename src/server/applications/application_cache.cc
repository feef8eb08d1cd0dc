// SPDX-License-Identifier: Apache-2.0
#include "server/applications/application_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/answer_limit.h"
#include "base/memory_limit.h"
#include "base/text/text.h"
#include "base/time.h"
#include "loader/application_loader.h"
#include "model/application_times.h"
#include "model/viewers.h"
#include "recording/recordings.h"
#include "render/report/report_data.h"
#include "server/folders/node_recordings.h"

namespace sparkprof {
namespace {

using LoadClock = std::chrono::steady_clock;

// Maximum size of a page's data. A browser loads and parses it at once.
constexpr size_t kPageBudget = size_t{8} << 20;
// For applications that run for months, only the end of the log is read (about a second). Smaller logs are read
// completely.
constexpr EventLogWindow kRunningWindow{.recent_bytes = int64_t{256} << 20, .whole_bytes = int64_t{512} << 20};
constexpr int kPauseAfterApplication = 10;  // multiple of the loading time
// Estimated memory of an application's cached answers.
constexpr uint64_t kAnswerBytes = uint64_t{32} << 10, kAnswerBytesOfTask = 96;
// Monitors send what they recorded before the application's last change within this time.
constexpr int64_t kNodesLate = 30 * kNanosPerSecond;

// Estimate: a fixed part, plus the tables that grow with the application.
uint64_t BytesOf(const Application& application) {
  constexpr uint64_t kLeastBytes = uint64_t{64} << 10, kTaskBytes = 300;
  const Profile& profile = application.profile;
  uint64_t bytes = kLeastBytes + (profile.samples.size() + application.python_samples.size()) * sizeof(Sample) +
                   application.tasks.Size() * kTaskBytes + profile.stacks.Size() * 24 + profile.strings.Size() * 100 +
                   application.logs.text.size();
  for (const ApplicationSeries& series : application.series) bytes += series.points.size() * sizeof(SeriesPoint);
  return bytes;
}

// Attempts of an application with event logs, in order of start.
Result<Recording> ReadWithEventLogs(const std::string& id, const LocalFiles& files, const EventLogWindow& window) {
  std::vector<std::string> paths = files.recordings;
  paths.insert(paths.end(), files.event_logs.begin(), files.event_logs.end());
  Result<ApplicationLoader> loader = ApplicationLoader::Find(paths, {.event_logs = {.window = window}});
  if (!loader) return tl::unexpected(loader.error());
  for (const Unrecognized& file : loader->inputs().unrecognized) {
    return Fail(fmt::format("{}: {}", file.path, file.reason));
  }
  Recording recording;
  recording.status = loader->recording_status();
  for (size_t row = 0; row < loader->applications().size(); ++row) {
    // A log whose first lines have no ID got its ID from an earlier read.
    const ApplicationInputs& inputs = loader->applications()[row];
    const bool is_only_one = loader->applications().size() == 1;
    if (inputs.id != id && inputs.identified && !is_only_one) continue;
    std::vector<InputOutcome> outcomes;
    std::vector<Application> read = loader->Read(row, &outcomes);
    const bool has_own = std::any_of(read.begin(), read.end(), [&](const Application& one) { return one.id == id; });
    for (Application& application : read) {
      if (has_own ? application.id != id : &application != &read.front()) continue;
      application.id = id;
      for (const InputOutcome& outcome : outcomes) {
        // A log that is still being written lacks its end: that is not damage.
        if (!outcome.problem.empty() && !outcome.input->in_progress) {
          application.Warn(application.start_ns, fmt::format("{}: {}", outcome.input->path, outcome.problem));
        }
      }
      recording.applications.push_back(std::move(application));
    }
  }
  std::stable_sort(recording.applications.begin(), recording.applications.end(),
                   [](const Application& a, const Application& b) { return a.start_ns < b.start_ns; });
  return recording;
}

bool IsInProgress(const ApplicationFiles& files) {
  return std::any_of(files.event_logs.begin(), files.event_logs.end(),
                     [](const StoredEventLog& log) { return log.attempt.in_progress; });
}

// Whether the application consists of one growing event log only.
bool IsLive(const ApplicationFiles& files) {
  return files.recordings.empty() && files.event_logs.size() == 1 && IsInProgress(files);
}

// Continues reading from `live`, or starts over.
Recording ReadLive(const std::string& id, const ApplicationFiles& files, const std::vector<std::string>& paths,
                   std::unique_ptr<LiveEventLog>* live) {
  if (*live == nullptr || !(*live)->Update(paths)) *live = std::make_unique<LiveEventLog>(paths, kRunningWindow);
  Recording recording;
  Application& application = recording.applications.emplace_back((*live)->Snapshot());
  application.id = id;
  if (application.name.empty()) application.name = id;
  if (application.attempt.empty()) application.attempt = files.event_logs.front().attempt.attempt;
  BoundTimes(&application);
  return recording;
}

Result<Recording> ReadFiles(const std::string& id, const ApplicationFiles& files, FetchedFiles* fetched,
                            std::unique_ptr<LiveEventLog>* live) {
  const Result<LocalFiles> local = FetchAll(files, fetched);
  if (!local) return tl::unexpected(local.error());
  if (IsLive(files)) return ReadLive(id, files, local->event_logs, live);
  live->reset();
  if (local->event_logs.empty()) return ReadRecordings(local->recordings);
  return ReadWithEventLogs(id, *local, IsInProgress(files) ? kRunningWindow : EventLogWindow{});
}

void WarnOfOtherLogs(const std::vector<StoredEventLog>& logs, Application* application) {
  for (const StoredEventLog& log : logs) {
    if (log.attempt.attempt != application->attempt) continue;
    for (const std::string& other : log.others) {
      application->Warn(
          application->start_ns,
          fmt::format("{}: not read: {} is a log of the same application and attempt", other, log.files.front().name));
    }
  }
}

// Holds one of the limited concurrent reads.
class ReadTurn {
 public:
  using Reads = std::counting_semaphore<ApplicationCache::kReadAtOnce>;

  explicit ReadTurn(Reads* reads) : reads_(reads) { reads_->acquire(); }
  ~ReadTurn() { reads_->release(); }
  ReadTurn(const ReadTurn&) = delete;
  ReadTurn& operator=(const ReadTurn&) = delete;

 private:
  Reads* reads_;
};

bool AreNodesComplete(const ApplicationFiles& files) { return EpochNanos() > files.changed_ns + kNodesLate; }

}  // namespace

CachedAttempt::CachedAttempt(Application application, std::string viewers, std::optional<PriceList> prices)
    : application_(std::make_shared<const Application>(std::move(application))),
      viewers_(std::move(viewers)),
      prices_(std::move(prices)),
      bytes_(BytesOf(*application_)) {}

std::shared_ptr<const Answers> CachedAttempt::GetAnswers() {
  const std::lock_guard lock(mutex_);
  if (!answers_) {
    Answers answers = Answer(*application_, prices_);
    AddAccountSums(*application_, &answers);
    answers_ = std::make_shared<const Answers>(std::move(answers));
    bytes_ += kAnswerBytes + application_->tasks.Size() * kAnswerBytesOfTask;
  }
  return answers_;
}

std::shared_ptr<const Application> CachedAttempt::In(Language language, bool fold) {
  // Without Python samples both views are identical.
  if (application_->python_samples.empty() && language != Language::kPython) return application_;
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Application>& shown = languages_[{language, fold}];
  if (!shown) {
    auto copy = std::make_shared<Application>(*application_);
    ChooseLanguage(copy.get(), language, fold);
    // The memory of Python in use is shown for any selection of samples (PythonMemoryInUse).
    const Profile& profile = copy->profile;
    const EventId alloc = profile.Row(Event::kPythonAlloc), free = profile.Row(Event::kPythonFree);
    std::erase_if(copy->python_samples,
                  [&](const Sample& sample) { return sample.event != alloc && sample.event != free; });
    bytes_ += BytesOf(*copy);
    shown = std::move(copy);
  }
  return shown;
}

std::shared_ptr<const std::string> CachedAttempt::PageData() {
  const std::shared_ptr<const Answers> answers = GetAnswers();
  const std::shared_ptr<const Application> application = In(Language::kMerged, /*fold=*/false);
  const std::lock_guard lock(mutex_);
  if (!page_data_) {
    const AnswerLimit unlimited(AnswerLimit::kUnlimited);  // the page data is cut to its own budget and cached
    page_data_ = std::make_shared<const std::string>(RenderReportData(*application, *answers, {.budget = kPageBudget}));
    bytes_ += page_data_->size();
  }
  return page_data_;
}

std::shared_ptr<CachedAttempt> CachedApplication::Attempt(std::string_view name) const {
  if (name.empty()) return attempts.back();
  const auto found = std::find_if(attempts.begin(), attempts.end(),
                                  [name](const auto& attempt) { return attempt->Recorded().attempt == name; });
  return found == attempts.end() ? nullptr : *found;
}

std::optional<Result<std::shared_ptr<CachedApplication>>> ApplicationCache::LoadWithinMemory(
    const std::string& id, const ApplicationFiles& files, std::unique_ptr<LiveEventLog>* live) {
  const AnswerLimit unlimited(AnswerLimit::kUnlimited);
  const LoadClock::time_point begin = LoadClock::now();
  const ReadTurn turn(&reads_);
  return WithinMemory(MostReadMemory(), [&] {
    Result<std::shared_ptr<CachedApplication>> loaded = Load(id, files, live);
    if (!loaded) return loaded;
    (*loaded)->loaded_at = LoadClock::now();
    (*loaded)->load_time = (*loaded)->loaded_at - begin;
    return loaded;
  });
}

Result<std::shared_ptr<const CachedApplication>> ApplicationCache::Read(const std::string& id) {
  if (Loaded(id)) return Get(id, /*latest=*/true);
  const ApplicationFiles files = FindApplication(*recordings_, *event_logs_, id);
  if (files.IsEmpty()) return nullptr;
  Result<OpeningMarks::Mark> mark = marks_->Begin(id, files.version);
  if (!mark) return tl::unexpected(mark.error());
  const OpeningMarks::SharedMark shared_mark(std::move(*mark));
  std::unique_ptr<LiveEventLog> live;
  std::optional<Result<std::shared_ptr<CachedApplication>>> read = LoadWithinMemory(id, files, &live);
  if (!read) return tl::unexpected(TooLargeToRead(id));
  if (!*read) return tl::unexpected(read->error());
  if ((**read)->attempts.empty()) return nullptr;
  return std::shared_ptr<const CachedApplication>(std::move(**read));
}

Result<std::shared_ptr<const CachedApplication>> ApplicationCache::Get(const std::string& id, bool latest) {
  Result<OpeningMarks::Mark> mark = marks_->Begin(id, FindApplication(*recordings_, *event_logs_, id).version);
  if (!mark) return tl::unexpected(mark.error());
  const OpeningMarks::SharedMark shared_mark(std::move(*mark));
  std::shared_ptr<Slot> slot;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Slot>& place = slots_[id];
    if (!place) place = std::make_shared<Slot>();
    place->last_use = ++uses_;
    slot = place;
  }
  const std::unique_lock loading(slot->mutex);
  const ApplicationFiles files = FindApplication(*recordings_, *event_logs_, id);
  if (files.IsEmpty()) {
    const std::lock_guard lock(mutex_);
    slots_.erase(id);
    return nullptr;
  }
  if (slot->application) {
    const CachedApplication& known = *slot->application;
    const bool recent = LoadClock::now() - known.loaded_at < kPauseAfterApplication * known.load_time;
    const bool is_same = known.version == files.version && (known.is_settled || !AreNodesComplete(files));
    if (is_same || (recent && !latest)) return slot->application;
  }
  if (slot->too_large == files.version) return tl::unexpected(TooLargeToRead(id));
  std::optional<Result<std::shared_ptr<CachedApplication>>> read;
  try {
    read = LoadWithinMemory(id, files, &slot->live);
  } catch (...) {
    slot->live.reset();  // it may have stopped inside an event
    throw;
  }
  if (!read) {
    slot->live.reset();
    slot->too_large = files.version;
    return tl::unexpected(TooLargeToRead(id));
  }
  if (!*read) return tl::unexpected(read->error());
  const std::shared_ptr<CachedApplication> loaded = std::move(**read);
  if (loaded->attempts.empty()) return nullptr;
  {
    const std::lock_guard lock(mutex_);
    slot->application = loaded;
    slot->is_live = slot->live != nullptr;
    loaded_.insert(id);
  }
  Trim();
  return std::shared_ptr<const CachedApplication>(loaded);
}

Error ApplicationCache::TooLargeToRead(const std::string& id) const {
  return {fmt::format(
      "application {}: reading it needs more than {} of memory; increase --cache, or use `sparkprof report` "
      "on its recordings",
      id, FormatBytes(static_cast<int64_t>(MostReadMemory())))};
}

Result<std::shared_ptr<CachedApplication>> ApplicationCache::Load(const std::string& entry, ApplicationFiles files,
                                                                  std::unique_ptr<LiveEventLog>* live) const {
  auto loaded = std::make_shared<CachedApplication>();
  loaded->entry = entry;
  loaded->version = files.version;
  const std::string id = entries_->ApplicationOf(entry);
  Result<Recording> recording = ReadFiles(id, files, fetched_, live);
  if (!recording) return tl::unexpected(recording.error());
  // The hosts are known once the application is loaded.
  const NodeRecordings nodes = FindNodes(*recordings_, *entries_, entry, recording->applications);
  loaded->is_settled = nodes.files.empty() || AreNodesComplete(files);
  if (!nodes.files.empty()) {
    files.recordings.insert(files.recordings.end(), nodes.files.begin(), nodes.files.end());
    recording = ReadFiles(id, files, fetched_, live);
    if (!recording) return tl::unexpected(recording.error());
  }
  loaded->status = recording->status;
  for (Application& application : recording->applications) {
    if (application.id != id) continue;
    if (nodes.omitted_bytes > 0) {
      application.Warn(application.start_ns, fmt::format("{} of recordings of its hosts were not read: more than {}",
                                                         FormatBytes(nodes.omitted_bytes), FormatBytes(kMaxNodeBytes)));
    }
    WarnOfOtherLogs(files.event_logs, &application);
    ApplicationEntries::List list = entries_->ListOf(entry, {application.user, ViewersOf(application)});
    application.user = std::move(list.user);
    loaded->attempts.push_back(
        std::make_shared<CachedAttempt>(std::move(application), std::move(list.viewers), prices_));
  }
  return loaded;
}

std::shared_ptr<const CachedApplication> ApplicationCache::Loaded(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto slot = slots_.find(id);
  return slot == slots_.end() ? nullptr : slot->second->application;
}

std::vector<std::string> ApplicationCache::TakeLoaded() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> loaded(loaded_.begin(), loaded_.end());
  loaded_.clear();
  return loaded;
}

uint64_t ApplicationCache::Slot::Bytes() const {
  constexpr uint64_t kSlotBytes = 512;
  if (!application) return kSlotBytes;
  uint64_t bytes = kSlotBytes;
  if (is_live) bytes += BytesOf(application->attempts.front()->Recorded());
  for (const auto& attempt : application->attempts) bytes += attempt->Bytes();
  return bytes;
}

void ApplicationCache::Trim() {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<uint64_t, std::string>> by_use;
  uint64_t total = 0;
  for (const auto& [id, slot] : slots_) {
    if (!slot->application) continue;
    total += slot->Bytes();
    by_use.emplace_back(slot->last_use, id);
  }
  std::sort(by_use.begin(), by_use.end());
  // Keeps the newest application, however large.
  for (size_t oldest = 0; oldest + 1 < by_use.size() && total > max_bytes_; ++oldest) {
    const auto slot = slots_.find(by_use[oldest].second);
    total -= slot->second->Bytes();
    slots_.erase(slot);
  }
}

uint64_t ApplicationCache::Bytes() const {
  const std::lock_guard lock(mutex_);
  uint64_t total = 0;
  for (const auto& [id, slot] : slots_) {
    if (slot->application) total += slot->Bytes();
  }
  return total;
}

}  // namespace sparkprof
