// SPDX-License-Identifier: Apache-2.0
#include "catalogue/duckdb/duckdb_catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/text/text.h"
#include "catalogue/catalogue_sql.h"
#include "catalogue/duckdb/duckdb_database.h"
#include "catalogue/duckdb/duckdb_dictionaries.h"
#include "catalogue/duckdb/duckdb_rows.h"
#include "catalogue/group_sums.h"

namespace sparkprof {
namespace {

constexpr SqlDialect kDuckdb{.applications = "applications",
                             .current = "TRUE",
                             .findings = "findings",
                             .maxima = "maxima",
                             .contains = "contains(lower({}), lower(?))",
                             .has = "contains({}, ?)",
                             .sum = "CAST(least(sum({}), 9223372036854775807) AS BIGINT)"};

constexpr const char* kTablesOfEntries[] = {"applications", "stages", "executors", "findings", "maxima", "totals"};

// Minimum free disk space for a transaction and the following checkpoint.
constexpr uint64_t kLeastSpace = uint64_t{64} << 20;

// DuckDB 1.4 corrupts texts after a failed commit, so a full or read-only disk is detected before a transaction starts.
Result<void> CheckDisk(const std::string& path) {
  if (access(path.c_str(), W_OK) != 0 && errno != ENOENT) {
    return Fail(fmt::format("{}: cannot write: {}", path, std::strerror(errno)));
  }
  struct statvfs space {};
  if (statvfs(path.c_str(), &space) != 0) return {};
  const uint64_t left = space.f_bavail * space.f_frsize;
  if (left >= kLeastSpace) return {};
  return Fail(fmt::format("{}: not updated: {} MiB of disk space are left, at least {} are needed", path, left >> 20,
                          kLeastSpace >> 20));
}

ApplicationKey StoredKey(const ApplicationKey& key) { return {ToUtf8(key.id), ToUtf8(key.attempt)}; }

class DuckdbCatalogue : public Catalogue {
 public:
  DuckdbCatalogue(std::string path, std::unique_ptr<DuckdbDatabase> database, size_t max_stacks)
      : path_(std::move(path)), database_(std::move(database)), dictionaries_(max_stacks), max_stacks_(max_stacks) {}

  Result<void> Load();

  Result<void> PutAll(std::span<const CatalogueEntry> entries) override;
  Result<void> PutRow(const ApplicationRow& row) override;
  Result<void> Remove(const ApplicationKey& key) override;
  Result<void> RemoveLeftovers(int64_t /*before_ns*/) override { return {}; }  // there are none

  Result<ApplicationPage> Applications(const ApplicationQuery& query) override;
  Result<std::optional<ApplicationRow>> Find(const std::string& id, std::optional<std::string> attempt) override;
  Result<std::vector<SampledEvent>> SampledEvents(const ApplicationQuery& query) override;
  Result<std::vector<StageRow>> Stages(const ApplicationKey& key) override;
  Result<std::vector<ExecutorRow>> Executors(const ApplicationKey& key) override;
  Result<std::vector<FindingRow>> Findings(const ApplicationKey& key) override;

  Result<std::vector<GroupRow>> Groups(const std::optional<Viewer>& viewer) override;
  Result<std::vector<GroupFinding>> GroupFindings(const GroupRange& range) override;
  Result<std::vector<SeriesMaximum>> GroupMaxima(const GroupRange& range) override;
  Result<Profile> GroupSamples(const GroupRange& range, const std::string& event) override;

 private:
  DuckdbConnection* writer() { return database_->Writer(); }
  Result<void> LoadEntries();
  Result<void> RemoveEntries(const std::vector<int32_t>& entries);
  Result<void> PutNewRow(const ApplicationRow& row);
  void AppendTotals(int32_t entry, const CatalogueEntry& content, DuckdbAppender* rows);

  const std::string path_;
  std::unique_ptr<DuckdbDatabase> database_;
  DuckdbDictionaries dictionaries_;
  const size_t max_stacks_;
  std::mutex write_;  // guards the writer's connection and the following members
  std::map<ApplicationKey, int32_t> entries_;
  int32_t next_entry_ = 1;
};

Result<void> DuckdbCatalogue::Load() {
  return LoadEntries().and_then([&] { return dictionaries_.Load(writer()); });
}

Result<void> DuckdbCatalogue::LoadEntries() {
  return writer()->Query({"SELECT id, attempt, entry FROM applications"}, [&](const SqlChunk& rows) {
    for (size_t row = 0; row < rows.Size(); ++row) {
      const int32_t entry = rows.Column<int32_t>(2)[row];
      entries_[{std::string(rows.Text(0, row)), std::string(rows.Text(1, row))}] = entry;
      next_entry_ = std::max(next_entry_, entry + 1);
    }
  });
}

Result<void> DuckdbCatalogue::RemoveEntries(const std::vector<int32_t>& entries) {
  if (entries.empty()) return {};
  // One statement for all entries, because each scans the whole table.
  const std::string list = fmt::format("{}", fmt::join(entries, ", "));
  for (const char* table : kTablesOfEntries) {
    const Sql sql{fmt::format("DELETE FROM {} WHERE entry IN ({})", table, list), {}};
    if (Result<void> removed = writer()->Run(sql); !removed) return removed;
  }
  return {};
}

void DuckdbCatalogue::AppendTotals(int32_t entry, const CatalogueEntry& content, DuckdbAppender* rows) {
  std::vector<StackId> stacks;
  stacks.reserve(content.totals.size());
  for (const StackTotal& total : content.totals) stacks.push_back(total.stack);
  int32_t group = 0;
  std::vector<int32_t> events;
  {
    const std::unique_lock lock(dictionaries_.mutex);
    stacks = dictionaries_.stacks.Add(content.stacks, stacks);
    group = dictionaries_.Group(ToUtf8(content.application.group));
    for (const ProfileEvent& event : content.stacks.events) {
      events.push_back(dictionaries_.Event({ToUtf8(event.name), ToUtf8(event.unit)}));
    }
  }
  // Sorting by these columns makes neighbors similar and the columns small.
  struct Total {
    int32_t event, hour, stack;
    int64_t weight, count;
  };
  std::vector<Total> totals;
  totals.reserve(stacks.size());
  for (size_t row = 0; row < stacks.size(); ++row) {
    const StackTotal& total = content.totals[row];
    totals.push_back({events[total.event], static_cast<int32_t>(HourOf(total.hour_ns)),
                      static_cast<int32_t>(stacks[row]), total.weight, total.count});
  }
  std::sort(totals.begin(), totals.end(), [](const Total& a, const Total& b) {
    return std::tie(a.event, a.hour, a.stack) < std::tie(b.event, b.hour, b.stack);
  });
  for (const Total& total : totals) {
    rows->Row(entry, group, total.hour, total.event, total.stack, total.weight, total.count);
  }
}

Result<void> DuckdbCatalogue::PutAll(std::span<const CatalogueEntry> entries) {
  const std::scoped_lock lock(write_);
  if (Result<void> ready = CheckDisk(path_); !ready) return ready;
  std::map<ApplicationKey, const CatalogueEntry*> last;
  for (const CatalogueEntry& entry : entries) last[StoredKey(entry.application.key)] = &entry;
  Result<DuckdbTransaction> transaction = DuckdbTransaction::Begin(writer());
  if (!transaction) return tl::unexpected(transaction.error());
  std::vector<int32_t> replaced;
  for (const auto& [key, entry] : last) {
    if (const auto old = entries_.find(key); old != entries_.end()) replaced.push_back(old->second);
  }
  if (Result<void> removed = RemoveEntries(replaced); !removed) return removed;
  std::map<ApplicationKey, int32_t> numbers;
  EntryAppenders appenders(writer());
  for (const auto& [key, entry] : last) {
    const int32_t number = numbers[key] = next_entry_++;
    AppendRow(number, entry->application, &appenders.applications);
    AppendLists(number, *entry, &appenders);
    AppendTotals(number, *entry, &appenders.totals);
  }
  Result<void> put = appenders.Finish().and_then([&] { return dictionaries_.Append(writer()); }).and_then([&] {
    return transaction->Commit();
  });
  if (!put) return put;
  dictionaries_.SetStored();
  for (const auto& [key, number] : numbers) entries_[key] = number;
  return {};
}

Result<void> DuckdbCatalogue::PutNewRow(const ApplicationRow& row) {
  const int32_t entry = next_entry_++;
  DuckdbAppender rows(writer(), "applications");
  AppendRow(entry, row, &rows);
  return rows.Finish().map([&] { entries_[StoredKey(row.key)] = entry; });
}

Result<void> DuckdbCatalogue::PutRow(const ApplicationRow& row) {
  const std::scoped_lock lock(write_);
  if (Result<void> ready = CheckDisk(path_); !ready) return ready;
  const auto known = entries_.find(StoredKey(row.key));
  if (known == entries_.end()) return PutNewRow(row);
  const int64_t entry = known->second;
  Result<DuckdbTransaction> transaction = DuckdbTransaction::Begin(writer());
  if (!transaction) return tl::unexpected(transaction.error());
  int64_t group = 0;
  {
    const std::unique_lock dictionaries_lock(dictionaries_.mutex);
    group = dictionaries_.Group(ToUtf8(row.group));
  }
  const Sql update{
      "UPDATE applications SET name = ?, user_name = ?, group_name = ?, status = ?, start_ns = ?, end_ns = ?, tasks = "
      "?, cpu_ns = ?, findings = ?, core_ms = ?, memory_mib_s = ?, saving_ns = ?, is_node = ?, job_version = ?, "
      "spark_version = ?, location = ?, version = ?, viewers = ?, verdict = ?, top_finding = ? WHERE entry = ?",
      {ToUtf8(row.name),
       ToUtf8(row.user),
       ToUtf8(row.group),
       static_cast<int64_t>(row.status),
       row.start_ns,
       row.end_ns,
       row.tasks,
       row.cpu_ns,
       row.findings,
       row.core_ms,
       row.memory_mib_s,
       row.saving_ns,
       int64_t{row.is_node},
       ToUtf8(row.job_version),
       ToUtf8(row.spark_version),
       ToUtf8(row.location),
       ToUtf8(row.version),
       ToUtf8(row.viewers),
       ToUtf8(row.verdict),
       ToUtf8(row.top_finding),
       entry}};
  const Sql regroup{"UPDATE totals SET group_id = ? WHERE entry = ? AND group_id <> ?", {group, entry, group}};
  Result<void> put = writer()
                         ->Run(update)
                         .and_then([&] { return writer()->Run(regroup); })
                         .and_then([&] { return dictionaries_.Append(writer()); })
                         .and_then([&] { return transaction->Commit(); });
  if (put) dictionaries_.SetStored();
  return put;
}

Result<void> DuckdbCatalogue::Remove(const ApplicationKey& key) {
  const std::scoped_lock lock(write_);
  const auto known = entries_.find(StoredKey(key));
  if (known == entries_.end()) return {};
  if (Result<void> ready = CheckDisk(path_); !ready) return ready;
  Result<DuckdbTransaction> transaction = DuckdbTransaction::Begin(writer());
  if (!transaction) return tl::unexpected(transaction.error());
  return RemoveEntries({known->second}).and_then([&] { return transaction->Commit(); }).map([&] {
    entries_.erase(known);
  });
}

Result<ApplicationPage> DuckdbCatalogue::Applications(const ApplicationQuery& query) {
  std::optional<ApplicationCursor> cursor;
  if (!query.cursor.empty()) {
    Result<ApplicationCursor> parsed = ParseCursor(query);
    if (!parsed) return tl::unexpected(parsed.error());
    cursor = std::move(*parsed);
  }
  DuckdbDatabase::Reader reader(database_.get());
  // The page and the total must cover the same applications.
  const Result<DuckdbTransaction> snapshot = DuckdbTransaction::Begin(reader.operator->());
  if (!snapshot) return tl::unexpected(snapshot.error());
  ApplicationPage page;
  // One extra row shows whether there is another page.
  const Sql sql = ApplicationsSql(kDuckdb, query, cursor ? &*cursor : nullptr, query.limit + 1);
  return reader
      ->Query(sql,
              [&](const SqlChunk& rows) {
                for (size_t row = 0; row < rows.Size(); ++row) page.applications.push_back(RowOf(rows, row));
              })
      .and_then([&] {
        return reader->Query(CountSql(kDuckdb, query), [&](const SqlChunk& rows) { page.total = rows.Integer(0, 0); });
      })
      .map([&] {
        EndPage(query, &page);
        return std::move(page);
      });
}

Result<std::optional<ApplicationRow>> DuckdbCatalogue::Find(const std::string& id, std::optional<std::string> attempt) {
  DuckdbDatabase::Reader reader(database_.get());
  std::optional<ApplicationRow> found;
  return reader->Query(FindSql(kDuckdb, id, attempt), [&](const SqlChunk& rows) { found = RowOf(rows, 0); }).map([&] {
    return std::move(found);
  });
}

Result<std::vector<SampledEvent>> DuckdbCatalogue::SampledEvents(const ApplicationQuery& query) {
  DuckdbDatabase::Reader reader(database_.get());
  // Both queries must see the same applications.
  const Result<DuckdbTransaction> snapshot = DuckdbTransaction::Begin(reader.operator->());
  if (!snapshot) return tl::unexpected(snapshot.error());
  std::unordered_map<int32_t, ApplicationKey> keys;
  std::vector<std::pair<int32_t, int32_t>> sampled;  // entry and number of the event
  const Sql matching = EntriesSql(kDuckdb, query);
  Sql events{"SELECT DISTINCT entry, event FROM totals WHERE entry IN (SELECT entry FROM (" + matching.text + "))",
             matching.values};
  const Result<void> read =
      reader
          ->Query(
              matching,
              [&](const SqlChunk& rows) {
                for (size_t row = 0; row < rows.Size(); ++row) {
                  keys[rows.Column<int32_t>(0)[row]] = {std::string(rows.Text(1, row)), std::string(rows.Text(2, row))};
                }
              })
          .and_then([&] {
            return reader->Query(events, [&](const SqlChunk& rows) {
              for (size_t row = 0; row < rows.Size(); ++row) {
                sampled.emplace_back(rows.Column<int32_t>(0)[row], rows.Column<int32_t>(1)[row]);
              }
            });
          });
  if (!read) return tl::unexpected(read.error());
  std::unordered_map<int32_t, DuckdbDictionaries::EventKey> names;
  {
    const std::shared_lock lock(dictionaries_.mutex);
    for (const auto& [name, number] : dictionaries_.events) names[number] = name;
  }
  std::vector<SampledEvent> found;
  for (const auto& [entry, event] : sampled) found.push_back({keys[entry], names[event].first, names[event].second});
  return found;
}

constexpr const char* kOfKey =
    "WHERE entry IN (SELECT entry FROM applications WHERE id = ? AND attempt = ?) ORDER BY rowid";

// The rows of `key` in `table`, in insertion order.
template <typename Row, typename Read>
Result<std::vector<Row>> ListOf(DuckdbDatabase* database, const char* columns_and_table, const ApplicationKey& key,
                                Read&& read) {
  DuckdbDatabase::Reader reader(database);
  std::vector<Row> list;
  const Sql sql{fmt::format("SELECT {} {}", columns_and_table, kOfKey), {ToUtf8(key.id), ToUtf8(key.attempt)}};
  return reader
      ->Query(sql,
              [&](const SqlChunk& rows) {
                for (size_t row = 0; row < rows.Size(); ++row) list.push_back(read(rows, row));
              })
      .map([&] { return std::move(list); });
}

Result<std::vector<StageRow>> DuckdbCatalogue::Stages(const ApplicationKey& key) {
  return ListOf<StageRow>(
      database_.get(),
      "stage, attempt, name, status, start_ns, end_ns, tasks, failed_tasks, run_ns, cpu_ns FROM stages", key,
      [](const SqlChunk& rows, size_t row) {
        return StageRow{
            rows.Integer(0, row), rows.Integer(1, row), std::string(rows.Text(2, row)), std::string(rows.Text(3, row)),
            rows.Integer(4, row), rows.Integer(5, row), rows.Integer(6, row),           rows.Integer(7, row),
            rows.Integer(8, row), rows.Integer(9, row)};
      });
}

Result<std::vector<ExecutorRow>> DuckdbCatalogue::Executors(const ApplicationKey& key) {
  return ListOf<ExecutorRow>(database_.get(), "id, host, cores, add_ns, remove_ns FROM executors", key,
                             [](const SqlChunk& rows, size_t row) {
                               return ExecutorRow{std::string(rows.Text(0, row)), std::string(rows.Text(1, row)),
                                                  rows.Integer(2, row), rows.Integer(3, row), rows.Integer(4, row)};
                             });
}

Result<std::vector<FindingRow>> DuckdbCatalogue::Findings(const ApplicationKey& key) {
  return ListOf<FindingRow>(database_.get(), "rule, severity, title, gain_ns FROM findings", key,
                            [](const SqlChunk& rows, size_t row) {
                              return FindingRow{std::string(rows.Text(0, row)), std::string(rows.Text(1, row)),
                                                std::string(rows.Text(2, row)), rows.Integer(3, row)};
                            });
}

Result<std::vector<GroupRow>> DuckdbCatalogue::Groups(const std::optional<Viewer>& viewer) {
  DuckdbDatabase::Reader reader(database_.get());
  std::vector<GroupRow> groups;
  return reader
      ->Query(GroupsSql(kDuckdb, viewer),
              [&](const SqlChunk& rows) {
                for (size_t row = 0; row < rows.Size(); ++row) {
                  groups.push_back({std::string(rows.Text(0, row)), rows.Integer(1, row), rows.Integer(2, row),
                                    rows.Integer(3, row), rows.Integer(4, row), rows.Integer(5, row),
                                    rows.Integer(6, row), rows.Integer(7, row), rows.Integer(8, row)});
                }
              })
      .map([&] { return std::move(groups); });
}

Result<std::vector<GroupFinding>> DuckdbCatalogue::GroupFindings(const GroupRange& range) {
  DuckdbDatabase::Reader reader(database_.get());
  // Both queries must see the same applications.
  const Result<DuckdbTransaction> snapshot = DuckdbTransaction::Begin(reader.operator->());
  if (!snapshot) return tl::unexpected(snapshot.error());
  GroupFindingSums sums;
  return reader
      ->Query(RangeApplicationsSql(kDuckdb, range),
              [&](const SqlChunk& rows) {
                for (size_t row = 0; row < rows.Size(); ++row) {
                  sums.AddApplication(rows.Column<int32_t>(0)[row],
                                      {std::string(rows.Text(1, row)), std::string(rows.Text(2, row))},
                                      rows.Integer(3, row));
                }
              })
      .and_then([&] {
        return reader->Query(RangeFindingsSql(kDuckdb, range), [&](const SqlChunk& rows) {
          for (size_t row = 0; row < rows.Size(); ++row) {
            sums.AddFinding(rows.Column<int32_t>(0)[row], rows.Text(1, row), rows.Text(2, row), rows.Text(3, row),
                            rows.Integer(4, row));
          }
        });
      })
      .map([&] { return sums.Take(); });
}

Result<std::vector<SeriesMaximum>> DuckdbCatalogue::GroupMaxima(const GroupRange& range) {
  DuckdbDatabase::Reader reader(database_.get());
  std::vector<SeriesMaximum> maxima;
  return reader
      ->Query(GroupMaximaSql(kDuckdb, range),
              [&](const SqlChunk& rows) {
                for (size_t row = 0; row < rows.Size(); ++row) {
                  maxima.push_back(
                      {std::string(rows.Text(0, row)), rows.Integer(1, row) * kHourNs, rows.Column<double>(2)[row]});
                }
              })
      .map([&] { return std::move(maxima); });
}

Result<Profile> DuckdbCatalogue::GroupSamples(const GroupRange& range, const std::string& event) {
  std::optional<int32_t> group;
  std::vector<std::pair<int32_t, std::string>> events;  // number and unit
  {
    const std::shared_lock lock(dictionaries_.mutex);
    const auto found = dictionaries_.groups.find(ToUtf8(range.group));
    if (found != dictionaries_.groups.end()) group = found->second;
    for (const auto& [key, number] : dictionaries_.events) {
      if (key.first == ToUtf8(event)) events.emplace_back(number, key.second);
    }
  }
  std::vector<GroupEvent> sums;
  for (const auto& [number, unit] : events) {
    if (!group) break;
    const HourRange hours = HoursOf(range);
    Sql sql{"SELECT stack, weight, count FROM totals WHERE group_id = ? AND event = ? AND hour >= ? AND hour < ?",
            {int64_t{*group}, int64_t{number}, hours.first, hours.end}};
    if (range.application || range.viewer) {
      sql.Add(" AND entry IN (SELECT entry");
      AddRangeApplications(kDuckdb, range, /*ran=*/false, &sql);
      sql.Add(")");
    }
    StackSums of_unit(max_stacks_ * 2);
    DuckdbDatabase::Reader reader(database_.get());
    const Result<void> read = reader->Query(sql, [&](const SqlChunk& rows) {
      const auto* const stacks = rows.Column<int32_t>(0);
      const auto* const weights = rows.Column<int64_t>(1);
      const auto* const counts = rows.Column<int64_t>(2);
      for (size_t row = 0; row < rows.Size(); ++row) {
        of_unit.Add(static_cast<StackId>(stacks[row]), weights[row], counts[row]);
      }
    });
    if (!read) return tl::unexpected(read.error());
    sums.push_back({unit, std::move(of_unit)});
  }
  const std::shared_lock lock(dictionaries_.mutex);
  for (const GroupEvent& sum : sums) {
    if (sum.stacks.AreIn(dictionaries_.stacks)) continue;
    return Fail(UnusableText(writer()->ErrorOf("its totals have unknown stacks").message));
  }
  return GroupProfile(range, event, sums, dictionaries_.stacks);
}

}  // namespace

Result<std::unique_ptr<Catalogue>> OpenDuckdbCatalogue(const std::string& path, const DuckdbOptions& options,
                                                       CatalogueProblem* problem) {
  CatalogueProblem ignored = CatalogueProblem::kNone;
  CatalogueProblem* const why = problem == nullptr ? &ignored : problem;
  Result<std::unique_ptr<DuckdbDatabase>> database = DuckdbDatabase::Open(path, options, why);
  if (!database) return tl::unexpected(database.error());
  auto catalogue = std::make_unique<DuckdbCatalogue>(path, std::move(*database), options.max_stacks);
  if (const Result<void> loaded = catalogue->Load(); !loaded) {
    *why = CatalogueProblem::kUnusable;
    return Fail(UnusableText(loaded.error().message));
  }
  return catalogue;
}

Result<void> RemoveDuckdbCatalogue(const std::string& path) {
  for (const char* ending : {"", ".wal", ".tmp"}) {
    std::error_code error;
    std::filesystem::remove_all(path + ending, error);
    if (error) return Fail(fmt::format("cannot remove {}{}: {}", path, ending, error.message()));
  }
  return {};
}

}  // namespace sparkprof
