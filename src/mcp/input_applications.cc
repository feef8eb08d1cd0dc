// SPDX-License-Identifier: Apache-2.0
#include "mcp/input_applications.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/python/stitch.h"
#include "analysis/selection/application_status.h"
#include "analysis/selection/time_range.h"
#include "base/io/byte_source.h"
#include "base/text/text.h"
#include "event_log/event_log_ends.h"
#include "loader/application_loader.h"
#include "mcp/job_text.h"

namespace sparkprof {
namespace {

// Limits of applications and bytes of logs that are read for a list.
constexpr size_t kMaxReadAtOnce = 20;
constexpr uint64_t kMaxBytesAtOnce = uint64_t{256} << 20;
// Number of applications in memory; others are read again.
constexpr size_t kMaxLoaded = 8;
constexpr size_t kMaxProblems = 5;

std::string InputsText(const ApplicationInputs& inputs) {
  std::vector<std::string> texts;
  const auto add = [&](size_t count, std::string_view name) {
    if (count == 1) texts.emplace_back(name);
    if (count > 1) texts.push_back(fmt::format("{} {}s", count, name));
  };
  add(inputs.recorded ? 1 : 0, "recording");
  add(inputs.event_logs.size(), "event log");
  add(inputs.text_logs.size(), "text log");
  add(inputs.records.size(), "profiler's record file");
  return fmt::format("{}", fmt::join(texts, ", "));
}

// Reads the first events of the event log. Without one, only the ID is known until the application is read.
void ReadHead(const ApplicationInputs& inputs, ApplicationSummary* listed, std::string* id) {
  for (const Input* const log : inputs.event_logs) {
    Result<std::unique_ptr<ByteSource>> source = log->Open();
    if (!source) continue;
    const Result<std::optional<EventLogHead>> head = ReadEventLogHead(source->get(), log->path);
    if (!head || !*head) continue;
    *id = (*head)->id;
    listed->name = (*head)->name;
    listed->user = (*head)->user;
    listed->start_ns = (*head)->start_ns;
    return;
  }
}

void Describe(const Application& application, ApplicationSummary* listed) {
  listed->name = application.name;
  listed->user = application.user;
  listed->start_ns = RangeOf(application).start_ns;
  if (const int64_t duration_ns = RangeOf(application).Duration(); duration_ns > 0) listed->duration_ns = duration_ns;
  listed->status = StatusName(StatusOf(application, false));
}

bool Matches(const ApplicationSummary& one, const std::string& lower) {
  return lower.empty() || ToLowerAscii(one.key).find(lower) != std::string::npos ||
         ToLowerAscii(one.name).find(lower) != std::string::npos ||
         ToLowerAscii(one.user).find(lower) != std::string::npos;
}

}  // namespace

std::string InputApplications::KeyOf(const Application& application, size_t row) const {
  const auto& rows = loader_->applications();
  const bool has_others = std::count_if(rows.begin(), rows.end(),
                                        [&](const ApplicationInputs& one) { return one.id == application.id; }) > 1;
  return has_others ? fmt::format("{}/{}", application.id, rows[row].attempt) : application.id;
}

Result<void> InputApplications::FindOnce() {
  if (loader_) return {};
  Result<ApplicationLoader> loader = ApplicationLoader::Find(paths_, options_);
  if (!loader) return MarkedError(loader.error());
  loader_ = std::move(*loader);
  const auto& rows = loader_->applications();
  if (rows.empty()) {
    std::vector<std::string> reasons = ProblemsOf(loader_->inputs(), loader_->recording_status(), {}).unrecognized;
    if (reasons.size() > kMaxProblems) reasons.resize(kMaxProblems);
    for (std::string& reason : reasons) reason = Marked(reason);
    loader_.reset();
    return Fail(fmt::format("no applications in {}{}{}", fmt::join(paths_, ", "), reasons.empty() ? "" : ": ",
                            fmt::join(reasons, "; ")));
  }
  const uint64_t bytes =
      std::accumulate(rows.begin(), rows.end(), uint64_t{0},
                      [](uint64_t sum, const ApplicationInputs& one) { return sum + one.FileBytes(); });
  const bool reads_all = rows.size() <= kMaxReadAtOnce && bytes <= kMaxBytesAtOnce;
  for (size_t row = 0; row < rows.size(); ++row) {
    Application known;
    known.id = rows[row].id;
    Entry entry{.row_id = rows[row].id, .row_attempt = rows[row].attempt};
    entry.listed.key = KeyOf(known, row);
    entry.listed.inputs = InputsText(rows[row]);
    if (!reads_all) ReadHead(rows[row], &entry.listed, &entry.id);
    entries_.push_back(std::move(entry));
  }
  if (!reads_all) return {};
  try {
    for (size_t row = 0; row < rows.size(); ++row) {
      if (Result<void> read = ReadRow(row); !read) return read;
    }
  } catch (...) {
    // A canceled call: the next one starts over.
    loader_.reset();
    entries_.clear();
    read_rows_.clear();
    throw;
  }
  return {};
}

void InputApplications::Keep(const std::string& key, AskedApplication asked) {
  loaded_.insert_or_assign(key, std::move(asked));
  recent_.remove(key);
  recent_.push_front(key);
  while (recent_.size() > kMaxLoaded) {
    loaded_.erase(recent_.back());
    recent_.pop_back();
  }
}

Result<void> InputApplications::ReadRow(size_t row) {
  if (!read_rows_.insert(row).second) {
    Result<ApplicationLoader> again = ApplicationLoader::Find(paths_, options_);
    if (!again) return MarkedError(again.error());
    loader_ = std::move(*again);
    read_rows_ = {row};
    if (row >= loader_->applications().size()) return Fail("the inputs have changed: start the server again");
  }
  const ApplicationInputs& inputs = loader_->applications()[row];
  std::vector<InputOutcome> outcomes;
  std::vector<Application> applications = loader_->Read(row, &outcomes);
  const InputProblems found = ProblemsOf(loader_->inputs(), loader_->recording_status(), outcomes);
  std::vector<std::string> problems = found.partly;
  problems.insert(problems.end(), found.unrecognized.begin(), found.unrecognized.end());
  if (problems.size() > kMaxProblems) problems.resize(kMaxProblems);
  for (size_t place = 0; place < applications.size(); ++place) {
    Application& application = applications[place];
    auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& one) {
      return one.row_id == inputs.id && one.row_attempt == inputs.attempt && one.place == place;
    });
    if (entry == entries_.end()) {
      Entry further{.row_id = inputs.id, .row_attempt = inputs.attempt, .place = place};
      further.listed.key = KeyOf(application, row);
      further.listed.inputs = InputsText(inputs);
      entry = entries_.insert(entries_.end(), std::move(further));
    }
    entry->id = application.id;
    Describe(application, &entry->listed);
    Keep(entry->listed.key,
         {.recorded = std::make_shared<const Application>(std::move(application)), .problems = problems});
  }
  return {};
}

InputApplications::Entry* InputApplications::EntryOf(const std::string& key) {
  auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& one) { return one.listed.key == key; });
  if (found == entries_.end()) {
    found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& one) { return one.id == key; });
  }
  return found == entries_.end() ? nullptr : &*found;
}

Result<ApplicationList> InputApplications::List(const ListQuery& query) {
  const std::lock_guard lock(mutex_);
  if (Result<void> found = FindOnce(); !found) return tl::unexpected(found.error());
  std::vector<const ApplicationSummary*> matching;
  const std::string lower = ToLowerAscii(query.search);
  for (const Entry& entry : entries_) {
    if (Matches(entry.listed, lower)) matching.push_back(&entry.listed);
  }
  std::stable_sort(matching.begin(), matching.end(),
                   [](const auto* a, const auto* b) { return a->start_ns > b->start_ns; });
  ApplicationList list{.total = matching.size()};
  for (size_t i = query.offset; i < std::min(matching.size(), query.offset + query.limit); ++i) {
    list.applications.push_back(*matching[i]);
  }
  return list;
}

Result<AskedApplication> InputApplications::Load(const std::string& asked_key) {
  const std::lock_guard lock(mutex_);
  if (Result<void> found = FindOnce(); !found) return tl::unexpected(found.error());
  Entry* const entry = EntryOf(asked_key);
  if (entry == nullptr) {
    return Fail(fmt::format("no application {}: find_applications lists the IDs", Marked(asked_key, 80)));
  }
  const std::string key = entry->listed.key;
  if (!loaded_.contains(key)) {
    const auto& rows = loader_->applications();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const ApplicationInputs& one) {
      return one.id == entry->row_id && one.attempt == entry->row_attempt;
    });
    if (row == rows.end()) return Fail("the inputs have changed: start the server again");
    const auto number = static_cast<size_t>(row - rows.begin());
    if (Result<void> read = ReadRow(number); !read) return tl::unexpected(read.error());
  }
  const auto found = loaded_.find(key);
  if (found == loaded_.end()) return Fail("the inputs have changed: start the server again");
  AskedApplication asked = found->second;
  if (!asked.answers) {
    asked.answers = std::make_shared<const Answers>(Answer(*asked.recorded));
    asked.merged = asked.recorded;
    if (!asked.recorded->python_samples.empty()) {
      auto merged = std::make_shared<Application>(*asked.recorded);
      ChooseLanguage(merged.get(), Language::kMerged, /*fold=*/true);
      asked.merged = std::move(merged);
    }
    entry->listed.finding_count = static_cast<int64_t>(asked.answers->findings.size());
  }
  Keep(key, asked);
  return asked;
}

std::vector<KnownProof> InputApplications::Proofs(const std::string& group) {
  constexpr size_t kMaxBytes = size_t{4} << 20;
  std::vector<KnownProof> proofs;
  for (const std::string& path : paths_) {
    const Result<std::string> text = ReadAll(path + "/proof.json", kMaxBytes);
    if (!text) continue;
    Result<KnownProof> proof = ParseProof(*text);
    if (proof && proof->subject.group == group) proofs.push_back(std::move(*proof));
  }
  std::stable_sort(proofs.begin(), proofs.end(),
                   [](const KnownProof& a, const KnownProof& b) { return a.subject.time_ms > b.subject.time_ms; });
  return proofs;
}

}  // namespace sparkprof
