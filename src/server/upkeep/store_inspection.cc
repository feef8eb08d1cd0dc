// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep/store_inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/io/file.h"
#include "base/text/text.h"
#include "model/segment/block.h"
#include "recording/recordings.h"
#include "server/applications/application_cache.h"
#include "server/folders/collector_files.h"
#include "server/upkeep/cataloguer.h"
#include "storage/storages.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr size_t kAllInspected = 100'000'000;
constexpr size_t kMaxProblems = 1000;
// The server's default, because reading one application may need a multiple of it.
constexpr uint64_t kCacheBytes = uint64_t{256} << 20;

// Applications in watched folders have no recordings in the store. Nodes have theirs in other folders of this name.
bool IsWatched(const ApplicationRow& row, const std::string& recordings, CatalogueOf owner) {
  for (const std::string_view line : Split(row.location, '\n')) {
    const std::optional<StoredFile> file = ParseFileLine(line);
    if (!file) continue;
    if (file->name.starts_with(recordings + "/")) return false;
    const fs::path folder = fs::path(file->name).parent_path().parent_path();
    if (owner == CatalogueOf::kNodes && folder.filename() == fs::path(recordings).filename()) return false;
  }
  return true;
}

std::string VersionOf(const ApplicationFiles& files, CatalogueOf owner) {
  return owner == CatalogueOf::kNodes ? SharedVersion(files) : files.version;
}

std::string NameOfApplication(const ApplicationKey& key) {
  return key.attempt.empty() ? fmt::format("application {}", key.id)
                             : fmt::format("application {}, attempt {}", key.id, key.attempt);
}

std::vector<std::string> DamageOf(const std::string& path) {
  const Result<MappedFile> file = MappedFile::Open(path);
  if (!file) return {file.error().message};
  const Result<RecordingStatus> status = ReadBlocks(file->Bytes(), path, [](Segment&&) {});
  if (!status) return {status.error().message};
  std::vector<std::string> damage;
  if (status->damaged_blocks + status->skipped_bytes > 0) {
    damage.push_back(fmt::format("{} ({} damaged blocks, {} bytes without a block)", status->first_error,
                                 status->damaged_blocks, status->skipped_bytes));
  }
  if (status->cut_bytes > 0) {
    damage.push_back(fmt::format("{}: the last block is incomplete: {} bytes", path, status->cut_bytes));
  }
  return damage;
}

// Damage of the collector's own files (collector_files.h), and its copies of damaged ones.
std::vector<std::string> DamagedSmallFiles(const fs::path& data) {
  std::vector<std::string> damage;
  std::error_code error;
  for (fs::recursive_directory_iterator file(data, error), end; !error && file != end; file.increment(error)) {
    const fs::path path = file->path();
    if (path.filename() == "recordings" || path.filename() == "fetched") file.disable_recursion_pending();
    if (path.extension() == kDamagedEnding) {
      damage.push_back(fmt::format("{}: the collector found damaged lines; compare it with {}, then remove it",
                                   path.native(), (path.parent_path() / path.stem()).native()));
    }
    const bool has_lines = path.extension() == ".json" || path.extension() == ".jsonl";
    if (!has_lines || path.filename() == "audit.jsonl") continue;
    const Result<std::string> content = ReadFile(path);
    if (!content) {
      damage.push_back(content.error().message);
      continue;
    }
    const CheckedLines checked = ReadCheckedLines(*content);
    const bool is_wrong = path.extension() == ".json" && checked.lines.size() != 1;
    const size_t damaged = std::max<size_t>(checked.damaged, is_wrong ? 1 : 0);
    if (damaged > 0) damage.push_back(fmt::format("{}: {} damaged lines", path.native(), damaged));
  }
  return damage;
}

// Collects the differences between an entry in the catalogue and the recordings.
class EntryComparison {
 public:
  explicit EntryComparison(Catalogue* catalogue) : catalogue_(catalogue) {}

  Result<std::vector<std::string>> Differences(const ApplicationRow& stored, const CatalogueEntry& expected) {
    std::vector<std::string> differ;
    ApplicationRow row = stored;
    // A stopped server leaves applications as running.
    if (row.status == ApplicationStatus::kRunning) row.status = ApplicationStatus::kIncomplete;
    if (row != expected.application) differ.emplace_back("application");
    const ApplicationKey& key = stored.key;
    return Compare(catalogue_->Stages(key), expected.stages, "stages", &differ)
        .and_then([&] { return Compare(catalogue_->Executors(key), expected.executors, "executors", &differ); })
        .and_then([&] { return Compare(catalogue_->Findings(key), expected.findings, "findings", &differ); })
        .and_then([&] { return CompareTotals(stored, expected, &differ); })
        .map([&] { return differ; });
  }

 private:
  template <typename Row>
  static Result<void> Compare(const Result<std::vector<Row>>& stored, const std::vector<Row>& expected,
                              const char* table, std::vector<std::string>* differ) {
    if (!stored) return tl::unexpected(stored.error());
    if (*stored != expected) differ->emplace_back(table);
    return {};
  }

  // Compares the sums of each event over all stacks.
  Result<void> CompareTotals(const ApplicationRow& stored, const CatalogueEntry& expected,
                             std::vector<std::string>* differ) {
    for (EventId event = 0; event < expected.stacks.EventCount(); ++event) {
      StackWeight sum;
      for (const StackTotal& total : expected.totals) {
        if (total.event != event) continue;
        sum.weight += total.weight;
        sum.count += total.count;
      }
      const std::string& name = expected.stacks.events[event].name;
      const Result<Profile> profile =
          catalogue_->GroupSamples({.group = stored.group, .application = stored.key}, name);
      if (!profile) return tl::unexpected(profile.error());
      for (const Sample& sample : profile->samples) {
        sum.weight -= sample.weight;
        sum.count -= sample.count;
      }
      if (sum.weight != 0 || sum.count != 0) differ->push_back(fmt::format("{} samples", name));
    }
    return {};
  }

  Catalogue* catalogue_;
};

class StoreContents {
 public:
  static Result<std::unique_ptr<StoreContents>> Open(const InspectedStore& store) {
    const std::string& folder = store.recordings;
    std::unique_ptr<StoreContents> contents(new StoreContents(folder));
    contents->entries = store.entries;
    if (contents->entries == nullptr) {
      auto entries = ApplicationEntries::Open(std::filesystem::path(folder).parent_path(), &contents->audit_,
                                              /*is_enforced=*/false);
      if (!entries) return tl::unexpected(entries.error());
      contents->own_entries_ = std::move(*entries);
      contents->entries = contents->own_entries_.get();
    }
    auto marks = OpeningMarks::Open(std::filesystem::path(folder).parent_path());
    if (!marks) return tl::unexpected(marks.error());
    contents->marks = std::move(*marks);
    contents->recordings =
        std::make_unique<RecordingDirectory>(&contents->fetched, contents->entries, folder, contents->marks.get());
    return contents;
  }

  // Reads the files that changed since the restored state.
  Result<void> Scan() {
    const Result<StorageListing> listing = OpenLocalStorage(folder_, {})->List();
    if (!listing) return tl::unexpected(listing.error());
    recordings->Update(folder_, *listing, never_);
    return {};
  }
  ApplicationFiles Find(const std::string& id) const { return FindApplication(*recordings, event_logs, id); }

  FetchedFiles fetched{"", 0};
  ApplicationEntries* entries = nullptr;
  std::unique_ptr<OpeningMarks> marks;
  std::unique_ptr<RecordingDirectory> recordings;
  EventLogDirectory event_logs{&fetched, nullptr};  // always empty

 private:
  explicit StoreContents(std::string folder)
      : folder_(std::move(folder)), audit_(std::filesystem::path(folder_).parent_path()) {}

  const std::string folder_;
  AuditLog audit_;
  std::unique_ptr<ApplicationEntries> own_entries_;
  const std::atomic<bool> never_ = false;
};

// Calls `use` with the entries of each readable application below the folder.
template <typename Use>
Result<void> ForEachApplication(StoreContents* store, Use&& use) {
  if (Result<void> scanned = store->Scan(); !scanned) return scanned;
  ApplicationCache cache(store->recordings.get(), &store->event_logs, &store->fetched, store->entries,
                         store->marks.get(), std::nullopt, kCacheBytes);
  for (const std::string& id : store->recordings->Applications()) {
    const Result<std::shared_ptr<const CachedApplication>> application = cache.Get(id);
    // Unreadable files are reported separately.
    if (!application || *application == nullptr) continue;
    std::vector<CatalogueEntry> entries = EntriesOf(
        **application, [&](const std::string&) { return store->Find(id).location; }, /*is_live=*/false);
    if (Result<void> used = use(entries); !used) return used;
  }
  return {};
}

Result<void> CompareCatalogue(const InspectedStore& store, Catalogue* catalogue, std::vector<std::string>* problems) {
  const CatalogueOf owner = store.catalogue_of;
  Result<std::vector<ApplicationRow>> rows = AllApplications(catalogue);
  if (!rows) return tl::unexpected(rows.error());
  std::map<ApplicationKey, ApplicationRow> stored;
  for (ApplicationRow& row : *rows) {
    if (!IsWatched(row, store.recordings, owner)) stored.emplace(row.key, std::move(row));
  }
  const Result<std::unique_ptr<StoreContents>> opened = StoreContents::Open(store);
  if (!opened) return tl::unexpected(opened.error());
  StoreContents& contents = **opened;
  EntryComparison comparison(catalogue);
  Result<void> compared = ForEachApplication(&contents, [&](std::vector<CatalogueEntry>& entries) -> Result<void> {
    for (CatalogueEntry& entry : entries) {
      const auto row = stored.find(entry.application.key);
      if (row == stored.end()) {
        problems->push_back(fmt::format("{}: not in the catalogue", NameOfApplication(entry.application.key)));
        continue;
      }
      if (owner == CatalogueOf::kNodes) {
        entry.application.version = VersionOf(contents.Find(entry.application.key.id), owner);
        entry.application.location = row->second.location;
      }
      if (row->second.version != entry.application.version) {
        problems->push_back(
            fmt::format("{}: the catalogue is behind the recordings (a server updates it after its start)",
                        NameOfApplication(row->first)));
        stored.erase(row);
        continue;
      }
      const Result<std::vector<std::string>> differ = comparison.Differences(row->second, entry);
      if (!differ) return tl::unexpected(differ.error());
      for (const std::string& table : *differ) {
        problems->push_back(
            fmt::format("{}: the catalogue differs from the recordings: {}", NameOfApplication(row->first), table));
      }
      stored.erase(row);
    }
    return {};
  });
  for (const auto& [key, row] : stored) {
    if (!contents.Find(key.id).IsEmpty()) continue;  // unreadable
    problems->push_back(fmt::format("{}: in the catalogue, but has no recordings", NameOfApplication(key)));
  }
  return compared;
}

}  // namespace

void GroupSize::Add(const ApplicationFiles& application) {
  int64_t modified_ns = 0;
  for (const StoredFile& file : application.recordings) {
    ++files;
    bytes += file.size;
    modified_ns = std::max(modified_ns, file.modified_ns);
  }
  if (applications == 0 || modified_ns < oldest_ns) oldest_ns = modified_ns;
  newest_ns = std::max(newest_ns, modified_ns);
  ++applications;
}

Result<std::vector<ApplicationRow>> AllApplications(Catalogue* catalogue) {
  ApplicationQuery all;
  all.limit = kAllInspected;
  return catalogue->Applications(all).map([](ApplicationPage&& page) { return std::move(page.applications); });
}

Result<StoreStatus> InspectStore(const InspectedStore& store, Catalogue* catalogue) {
  const std::string& recordings = store.recordings;
  const CatalogueOf owner = store.catalogue_of;
  const Result<std::unique_ptr<StoreContents>> opened = StoreContents::Open(store);
  if (!opened) return tl::unexpected(opened.error());
  StoreContents& contents = **opened;
  std::map<std::string, ApplicationRow> rows;  // by ID; any attempt
  if (catalogue != nullptr) {
    Result<std::vector<ApplicationRow>> all = AllApplications(catalogue);
    if (!all) return tl::unexpected(all.error());
    for (ApplicationRow& row : *all) {
      if (IsWatched(row, recordings, owner)) continue;
      if (owner == CatalogueOf::kServer) contents.recordings->Restore(row.key.id, row.location);
      rows.emplace(row.key.id, std::move(row));
    }
  }
  if (Result<void> scanned = contents.Scan(); !scanned) return tl::unexpected(scanned.error());
  StoreStatus status;
  for (const std::string& id : contents.recordings->Applications()) {
    const ApplicationFiles files = contents.Find(id);
    status.total.Add(files);
    const auto row = rows.find(id);
    if (row == rows.end() || row->second.version != VersionOf(files, owner)) ++status.behind;
    if (row == rows.end()) continue;
    status.groups[row->second.group].Add(files);
    rows.erase(row);
  }
  status.behind += static_cast<int64_t>(rows.size());
  status.incomplete = contents.recordings->IncompleteFiles(recordings);
  status.problems = contents.recordings->Problems(recordings, kMaxProblems);
  return status;
}

Result<std::vector<std::string>> VerifyStore(const InspectedStore& store, Catalogue* catalogue) {
  const std::string& recordings = store.recordings;
  std::vector<std::string> problems;
  const Result<std::vector<std::string>> paths = RecordingsBelow(recordings);
  if (!paths) return tl::unexpected(paths.error());
  for (const std::string& path : *paths) {
    for (std::string& damage : DamageOf(path)) problems.push_back(std::move(damage));
  }
  for (std::string& damage : DamagedSmallFiles(fs::path(recordings).parent_path())) {
    problems.push_back(std::move(damage));
  }
  if (catalogue == nullptr) return problems;
  return CompareCatalogue(store, catalogue, &problems).map([&] { return std::move(problems); });
}

Result<int64_t> FillCatalogue(const InspectedStore& store, Catalogue* catalogue) {
  const Result<std::unique_ptr<StoreContents>> contents = StoreContents::Open(store);
  if (!contents) return tl::unexpected(contents.error());
  int64_t applications = 0;
  return ForEachApplication(contents->get(),
                            [&](const std::vector<CatalogueEntry>& entries) {
                              applications += static_cast<int64_t>(entries.size());
                              return catalogue->PutAll(entries);
                            })
      .map([&] { return applications; });
}

}  // namespace sparkprof
