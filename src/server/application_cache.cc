// SPDX-License-Identifier: Apache-2.0
#include "server/application_cache.h"

#include <algorithm>
#include <utility>

#include "recording/recording_reader.h"
#include "render/report_data.h"

namespace sparkprof {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPauseAfterLoad = 10;  // times what loading took

// Tables of an application that grow with it; the rest is small.
uint64_t BytesOf(const Application& application) {
  constexpr uint64_t kTaskBytes = 300;
  const Profile& profile = application.profile;
  uint64_t bytes = (profile.samples.size() + application.python_samples.size()) * sizeof(Sample) +
                   application.tasks.Size() * kTaskBytes + profile.stacks.Size() * 24 + profile.strings.Size() * 100 +
                   application.logs.text.size();
  for (const ApplicationSeries& series : application.series) bytes += series.points.size() * sizeof(SeriesPoint);
  return bytes;
}

}  // namespace

CachedAttempt::CachedAttempt(Application application)
    : application_(std::make_shared<const Application>(std::move(application))), bytes_(BytesOf(*application_)) {}

std::shared_ptr<const Answers> CachedAttempt::GetAnswers() {
  const std::lock_guard lock(mutex_);
  if (!answers_) answers_ = std::make_shared<const Answers>(Answer(*application_));
  return answers_;
}

std::shared_ptr<const Application> CachedAttempt::In(Language language, bool fold) {
  // Samples of the JVM alone are the same in both.
  if (application_->python_samples.empty() && language != Language::kPython) return application_;
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Application>& shown = languages_[{language, fold}];
  if (!shown) {
    auto copy = std::make_shared<Application>(*application_);
    ChooseLanguage(copy.get(), language, fold);
    copy->python_samples.clear();
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
    page_data_ = std::make_shared<const std::string>(RenderReportData(*application, *answers, {}));
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

Result<std::shared_ptr<const CachedApplication>> ApplicationCache::Get(const std::string& id, bool latest) {
  std::shared_ptr<Slot> slot;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Slot>& place = slots_[id];
    if (!place) place = std::make_shared<Slot>();
    place->last_use = ++uses_;
    slot = place;
  }
  const std::unique_lock loading(slot->mutex);
  const std::optional<RecordedFiles> files = directory_->Find(id);
  if (!files) {
    const std::lock_guard lock(mutex_);
    slots_.erase(id);
    return nullptr;
  }
  const Clock::time_point begin = Clock::now();
  if (slot->application) {
    const CachedApplication& known = *slot->application;
    const bool recent = begin - known.loaded_at < kPauseAfterLoad * known.load_time;
    if (known.version == files->version || (recent && !latest)) return slot->application;
  }
  Result<Recording> recording = ReadRecordings(files->paths);
  if (!recording) return tl::unexpected(recording.error());
  auto loaded = std::make_shared<CachedApplication>();
  loaded->version = files->version;
  loaded->status = recording->status;
  for (Application& application : recording->applications) {
    if (application.id == id) loaded->attempts.push_back(std::make_shared<CachedAttempt>(std::move(application)));
  }
  if (loaded->attempts.empty()) return nullptr;
  loaded->loaded_at = Clock::now();
  loaded->load_time = loaded->loaded_at - begin;
  {
    const std::lock_guard lock(mutex_);
    slot->application = loaded;
  }
  Trim();
  return std::shared_ptr<const CachedApplication>(loaded);
}

void ApplicationCache::Trim() {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<uint64_t, std::string>> by_use;
  uint64_t total = 0;
  for (const auto& [id, slot] : slots_) {
    if (!slot->application) continue;
    for (const auto& attempt : slot->application->attempts) total += attempt->Bytes();
    by_use.emplace_back(slot->last_use, id);
  }
  std::sort(by_use.begin(), by_use.end());
  // The one that was just loaded stays, however large it is.
  for (size_t oldest = 0; oldest + 1 < by_use.size() && total > max_bytes_; ++oldest) {
    const auto slot = slots_.find(by_use[oldest].second);
    for (const auto& attempt : slot->second->application->attempts) total -= attempt->Bytes();
    slots_.erase(slot);
  }
}

uint64_t ApplicationCache::Bytes() const {
  const std::lock_guard lock(mutex_);
  uint64_t total = 0;
  for (const auto& [id, slot] : slots_) {
    if (!slot->application) continue;
    for (const auto& attempt : slot->application->attempts) total += attempt->Bytes();
  }
  return total;
}

}  // namespace sparkprof
