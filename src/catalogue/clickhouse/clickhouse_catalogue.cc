// SPDX-License-Identifier: Apache-2.0
#include "catalogue/clickhouse/clickhouse_catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <random>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/text/text.h"
#include "base/time.h"
#include "catalogue/catalogue_sql.h"
#include "catalogue/clickhouse/clickhouse_client.h"
#include "catalogue/clickhouse/clickhouse_tables.h"
#include "catalogue/group_sums.h"
#include "catalogue/stack_dictionary.h"

namespace sparkprof {
namespace {

struct HashedTotal {
  uint64_t stack = 0;
  int64_t weight = 0;
  int64_t count = 0;
};

constexpr int64_t kWriterMask = 4095;

using TotalsByUnit = std::map<std::string, std::vector<HashedTotal>>;

class ClickhouseCatalogue : public Catalogue {
 public:
  explicit ClickhouseCatalogue(const ClickhouseOptions& options, std::vector<Url> servers)
      : client_(std::move(servers), options.user, options.password),
        database_(fmt::format("{}_v{}", options.database, kTablesVersion)),
        cluster_(options.cluster),
        max_stacks_(options.max_stacks),
        stacks_(options.max_stacks) {
    for (const TableText& table : ClickhouseTables()) tables_[table.name] = database_ + "." + table.name;
    applications_ = tables_["applications"] + " FINAL";
    dialect_ = {.applications = applications_.c_str(),
                .current = "removed = 0",
                .findings = tables_["findings"].c_str(),
                .maxima = tables_["maxima"].c_str(),
                .contains = "position(lowerUTF8({}), lowerUTF8(?)) > 0",
                .has = "position({}, ?) > 0",
                .sum = "sum({})"};
  }

  Result<void> CreateTables();

  bool IsShared() const override { return true; }
  Result<void> PutAll(std::span<const CatalogueEntry> entries) override;
  Result<void> PutRow(const ApplicationRow& row) override;
  Result<void> Remove(const ApplicationKey& key) override;
  Result<void> RemoveLeftovers(int64_t before_ns) override;

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
  bool HasMacros(size_t server) const;
  // The table's name on each server.
  std::string LocalTable(const char* name) const { return tables_.at(name) + (cluster_.empty() ? "" : "_shard"); }
  Result<void> RemoveLeftoversOn(size_t server, const char* table, int64_t before_ns) const;
  Result<void> Read(const Sql& sql, const std::function<void(RowBinaryReader*)>& read) const;
  template <typename Row, typename Take>
  Result<std::vector<Row>> ListOf(const char* table, const char* columns, const ApplicationKey& key, Take take) const;
  // The stored row of an application.
  struct Stored {
    int64_t entry = 0;
    int64_t put = 0;
    bool is_removed = false;
  };
  int64_t NextNumber();
  Result<std::map<ApplicationKey, Stored>> StoredRows(std::span<const ApplicationKey> keys) const;
  Result<std::optional<Stored>> StoredRow(const ApplicationKey& key) const;
  // `replaced`: the row that this one replaces; null = none.
  void AddRow(const ApplicationRow& row, int64_t entry, bool removed, const Stored* replaced, RowBinaryWriter* rows);
  Result<void> InsertRow(const ApplicationRow& row, int64_t entry, bool removed, const Stored* replaced);
  // Adds an entry's content to the rows of each table except "applications".
  void AddContent(const CatalogueEntry& entry, int64_t number, std::map<std::string, RowBinaryWriter>* rows);
  // "1, 2, 3": current entries of a range; empty if there are none. Later queries list them explicitly: a subquery may
  // find an entry whose rows are not visible to the outer query yet.
  Result<std::string> EntriesOf(const GroupRange& range) const;
  Sql TotalsSql(const char* columns, const std::string& entries, const GroupRange& range,
                const std::string& event) const;
  Result<void> LoadStacks(const Sql& of_range);
  std::optional<std::vector<GroupEvent>> EventsOf(const TotalsByUnit& by_unit, uint64_t* missing) const;
  Result<std::vector<HashedTotal>> TotalsOfUnit(const std::string& entries, const GroupRange& range,
                                                const std::string& event, const std::string& unit);

  ClickhouseClient client_;
  std::string database_;
  std::string cluster_;
  std::map<std::string, std::string> tables_;  // name to "database.name"
  std::string applications_;
  SqlDialect dialect_;
  const size_t max_stacks_;

  const int64_t writer_ = std::random_device()() & kWriterMask;
  std::mutex write_;  // guards the following members
  int64_t last_number_ = 0;
  std::unordered_set<uint64_t> written_;  // hashes written by StackRows

  std::mutex stacks_mutex_;  // guards the following members: cache of stacks by hash
  StackDictionary stacks_;
  std::unordered_map<uint64_t, StackId> stack_numbers_;
};

// Whether the server has the macros by which replicas of a shard recognize each other.
bool ClickhouseCatalogue::HasMacros(size_t server) const {
  const Result<std::string> count =
      client_.QueryOn(server, "SELECT toInt64(count()) FROM system.macros WHERE macro IN ('shard', 'replica')");
  return count && RowBinaryReader(*count).Integer() == 2;
}

Result<void> ClickhouseCatalogue::CreateTables() {
  for (size_t server = 0; server < client_.ServerCount(); ++server) {
    const bool has_replicas = !cluster_.empty() && HasMacros(server);
    Result<void> done = client_.RunOn(server, fmt::format("CREATE DATABASE IF NOT EXISTS {}", database_));
    for (const TableText& table : ClickhouseTables()) {
      const bool sharded = !cluster_.empty();
      const auto create = [&](const std::string& name, const std::string& engine) {
        if (!done) return;
        done = client_.RunOn(
            server, fmt::format("CREATE TABLE IF NOT EXISTS {} ({}) ENGINE = {}", name, table.columns, engine));
      };
      create(LocalTable(table.name), has_replicas ? ReplicatedEngine(table, database_) : table.engine);
      if (!sharded) continue;
      create(tables_[table.name],
             fmt::format("Distributed({}, {}, {}_shard, shard)", QuoteText(cluster_), database_, table.name));
    }
    if (!done) return done;
  }
  return {};
}

Result<void> ClickhouseCatalogue::Read(const Sql& sql, const std::function<void(RowBinaryReader*)>& read) const {
  const Result<std::string> answer = client_.Query(sql);
  if (!answer) return tl::unexpected(answer.error());
  RowBinaryReader rows(*answer);
  while (!rows.AtEnd()) read(&rows);
  if (rows.Failed()) return Fail(fmt::format("ClickHouse: truncated answer of {} bytes", answer->size()));
  return {};
}

// Returns a number that no other entry has: the low bits are those of this process.
int64_t ClickhouseCatalogue::NextNumber() {
  return last_number_ = std::max((EpochNanos() & ~kWriterMask) | writer_, last_number_ + kWriterMask + 1);
}

Result<std::map<ApplicationKey, ClickhouseCatalogue::Stored>> ClickhouseCatalogue::StoredRows(
    std::span<const ApplicationKey> keys) const {
  std::map<ApplicationKey, Stored> stored;
  if (keys.empty()) return stored;
  Sql sql{fmt::format("SELECT id, attempt, entry, put, removed FROM {} WHERE id IN (", applications_)};
  for (const ApplicationKey& key : keys) sql.Add(&key == keys.data() ? "?" : ", ?", {ToUtf8(key.id)});
  sql.Add(")", {});
  return Read(sql,
              [&](RowBinaryReader* rows) {
                ApplicationKey key;
                key.id = rows->Text();
                key.attempt = rows->Text();
                Stored& row = stored[key];
                row.entry = rows->Integer();
                row.put = rows->Integer();
                row.is_removed = rows->Integer() != 0;
              })
      .map([&] { return std::move(stored); });
}

Result<std::optional<ClickhouseCatalogue::Stored>> ClickhouseCatalogue::StoredRow(const ApplicationKey& key) const {
  return StoredRows({&key, 1}).map([&](const std::map<ApplicationKey, Stored>& rows) {
    const auto row = rows.find({ToUtf8(key.id), ToUtf8(key.attempt)});
    return row == rows.end() ? std::nullopt : std::optional(row->second);
  });
}

void ClickhouseCatalogue::AddRow(const ApplicationRow& row, int64_t entry, bool removed, const Stored* replaced,
                                 RowBinaryWriter* rows) {
  const int64_t put = std::max(NextNumber(), replaced == nullptr ? 0 : replaced->put + 1);
  rows->Row(ShardOf(row.key), entry, put, int64_t{removed}, ToUtf8(row.key.id), ToUtf8(row.key.attempt),
            ToUtf8(row.name), ToUtf8(row.user), ToUtf8(row.group), static_cast<int64_t>(row.status), row.start_ns,
            row.end_ns, row.tasks, row.cpu_ns, row.findings, row.core_ms, row.memory_mib_s, row.saving_ns,
            int64_t{row.is_node}, ToUtf8(row.job_version), ToUtf8(row.spark_version), ToUtf8(row.location),
            ToUtf8(row.version), ToUtf8(row.viewers), ToUtf8(row.verdict), ToUtf8(row.top_finding));
}

Result<void> ClickhouseCatalogue::InsertRow(const ApplicationRow& row, int64_t entry, bool removed,
                                            const Stored* replaced) {
  RowBinaryWriter rows;
  AddRow(row, entry, removed, replaced, &rows);
  return client_.Insert(tables_["applications"], rows);
}

void ClickhouseCatalogue::AddContent(const CatalogueEntry& entry, int64_t number,
                                     std::map<std::string, RowBinaryWriter>* tables) {
  std::map<std::string, RowBinaryWriter>& rows = *tables;
  const uint64_t shard = ShardOf(entry.application.key);
  int64_t position = 0;
  for (const StageRow& stage : entry.stages) {
    rows["stages"].Row(shard, number, position++, stage.stage, stage.attempt, ToUtf8(stage.name), ToUtf8(stage.status),
                       stage.start_ns, stage.end_ns, stage.tasks, stage.failed_tasks, stage.run_ns, stage.cpu_ns);
  }
  for (const ExecutorRow& executor : entry.executors) {
    rows["executors"].Row(shard, number, position++, ToUtf8(executor.id), ToUtf8(executor.host), executor.cores,
                          executor.add_ns, executor.remove_ns);
  }
  for (const FindingRow& finding : entry.findings) {
    rows["findings"].Row(shard, number, position++, ToUtf8(finding.rule), ToUtf8(finding.severity),
                         ToUtf8(finding.title), finding.gain_ns);
  }
  for (const SeriesMaximum& maximum : entry.maxima) {
    rows["maxima"].Row(shard, number, ToUtf8(maximum.series), HourOf(maximum.hour_ns), maximum.value);
  }
  // The set of stored stacks is only a cache; clearing it causes duplicate rows, which the database merges.
  if (written_.size() > max_stacks_) written_.clear();
  StackRows stacks(entry.stacks, shard, &written_, &rows["frames"], &rows["stacks"]);
  std::unordered_map<StackId, uint64_t> hashes;
  for (const StackTotal& total : entry.totals) {
    const auto [place, is_new] = hashes.try_emplace(total.stack);
    if (is_new) place->second = stacks.Add(total.stack);
    const ProfileEvent& event = entry.stacks.events[total.event];
    rows["totals"].Row(shard, number, ToUtf8(event.name), ToUtf8(event.unit), HourOf(total.hour_ns), place->second,
                       total.weight, total.count);
  }
}

Result<void> ClickhouseCatalogue::PutAll(std::span<const CatalogueEntry> entries) {
  const std::scoped_lock lock(write_);
  std::vector<ApplicationKey> keys;
  keys.reserve(entries.size());
  for (const CatalogueEntry& entry : entries) keys.push_back(entry.application.key);
  const Result<std::map<ApplicationKey, Stored>> stored = StoredRows(keys);
  if (!stored) return tl::unexpected(stored.error());
  // One insert per table: ClickHouse creates a part per insert, and rejects inserts when there are too many parts.
  std::map<std::string, RowBinaryWriter> content;
  RowBinaryWriter applications;
  for (const CatalogueEntry& entry : entries) {
    const int64_t number = NextNumber();
    AddContent(entry, number, &content);
    const auto replaced = stored->find({ToUtf8(entry.application.key.id), ToUtf8(entry.application.key.attempt)});
    AddRow(entry.application, number, /*removed=*/false, replaced == stored->end() ? nullptr : &replaced->second,
           &applications);
  }
  for (const auto& [table, rows] : content) {
    if (const Result<void> inserted = client_.Insert(tables_[table], rows); !inserted) {
      written_.clear();
      return inserted;
    }
  }
  // This insert makes the entries visible.
  return client_.Insert(tables_["applications"], applications);
}

Result<void> ClickhouseCatalogue::PutRow(const ApplicationRow& row) {
  const std::scoped_lock lock(write_);
  const Result<std::optional<Stored>> known = StoredRow(row.key);
  if (!known) return tl::unexpected(known.error());
  const bool has_content = *known && !(*known)->is_removed;
  return InsertRow(row, has_content ? (*known)->entry : NextNumber(), /*removed=*/false, *known ? &**known : nullptr);
}

Result<void> ClickhouseCatalogue::Remove(const ApplicationKey& key) {
  const std::scoped_lock lock(write_);
  const Result<std::optional<Stored>> known = StoredRow(key);
  if (!known) return tl::unexpected(known.error());
  if (!*known || (*known)->is_removed) return {};
  return InsertRow({.key = key}, (*known)->entry, /*removed=*/true, &**known);
}

Result<void> ClickhouseCatalogue::RemoveLeftovers(int64_t before_ns) {
  Result<void> removed;  // the first failure: another server may still work
  for (size_t server = 0; server < client_.ServerCount(); ++server) {
    for (const TableText& table : ClickhouseTables()) {
      if (!table.has_contents) continue;
      Result<void> done = RemoveLeftoversOn(server, table.name, before_ns);
      if (!done && removed) removed = std::move(done);
    }
  }
  return removed;
}

Result<void> ClickhouseCatalogue::RemoveLeftoversOn(size_t server, const char* table, int64_t before_ns) const {
  constexpr size_t kAtOnce = 5000;  // a statement has at most 256 KiB
  int64_t last = INT64_MIN;
  for (size_t count = kAtOnce; count == kAtOnce;) {
    const Result<std::string> answer = client_.QueryOn(
        server, fmt::format("SELECT DISTINCT entry FROM {} WHERE entry > {} AND entry < {} AND entry NOT IN (SELECT "
                            "entry FROM {} WHERE removed = 0) ORDER BY entry LIMIT {}",
                            LocalTable(table), last, before_ns, applications_, kAtOnce));
    if (!answer) return tl::unexpected(answer.error());
    std::vector<int64_t> entries;
    for (RowBinaryReader rows(*answer); !rows.AtEnd();) entries.push_back(rows.Integer());
    count = entries.size();
    if (entries.empty()) return {};
    last = entries.back();
    // A list, since a replicated table accepts no subquery here.
    const Result<void> removed = client_.RunOn(
        server, fmt::format("ALTER TABLE {} DELETE WHERE entry IN ({})", LocalTable(table), fmt::join(entries, ", ")));
    if (!removed) return removed;
  }
  return {};
}

Result<ApplicationPage> ClickhouseCatalogue::Applications(const ApplicationQuery& query) {
  std::optional<ApplicationCursor> cursor;
  if (!query.cursor.empty()) {
    Result<ApplicationCursor> parsed = ParseCursor(query);
    if (!parsed) return tl::unexpected(parsed.error());
    cursor = std::move(*parsed);
  }
  ApplicationPage page;
  // One extra row shows whether there is another page.
  return Read(ApplicationsSql(dialect_, query, cursor ? &*cursor : nullptr, query.limit + 1),
              [&](RowBinaryReader* rows) { page.applications.push_back(TakeRow(rows)); })
      .and_then(
          [&] { return Read(CountSql(dialect_, query), [&](RowBinaryReader* rows) { page.total = rows->Integer(); }); })
      .map([&] {
        EndPage(query, &page);
        return std::move(page);
      });
}

Result<std::optional<ApplicationRow>> ClickhouseCatalogue::Find(const std::string& id,
                                                                std::optional<std::string> attempt) {
  std::optional<ApplicationRow> found;
  return Read(FindSql(dialect_, id, attempt), [&](RowBinaryReader* rows) { found = TakeRow(rows); }).map([&] {
    return std::move(found);
  });
}

Result<std::vector<SampledEvent>> ClickhouseCatalogue::SampledEvents(const ApplicationQuery& query) {
  constexpr size_t kAtOnce = 5000;  // a statement has at most 256 KiB
  std::vector<std::pair<int64_t, ApplicationKey>> entries;
  const Result<void> listed = Read(EntriesSql(dialect_, query), [&](RowBinaryReader* rows) {
    const int64_t entry = rows->Integer();
    const std::string id(rows->Text());
    entries.emplace_back(entry, ApplicationKey{id, std::string(rows->Text())});
  });
  if (!listed) return tl::unexpected(listed.error());
  std::vector<SampledEvent> events;
  for (size_t begin = 0; begin < entries.size(); begin += kAtOnce) {
    std::string list;
    std::unordered_map<int64_t, const ApplicationKey*> keys;
    for (size_t i = begin; i < std::min(begin + kAtOnce, entries.size()); ++i) {
      list += fmt::format("{}{}", list.empty() ? "" : ", ", entries[i].first);
      keys[entries[i].first] = &entries[i].second;
    }
    const Sql sql{
        fmt::format("SELECT DISTINCT entry, event, unit FROM {} WHERE entry IN ({})", tables_.at("totals"), list)};
    const Result<void> read = Read(sql, [&](RowBinaryReader* rows) {
      const auto key = keys.find(rows->Integer());
      const std::string event(rows->Text());
      const std::string unit(rows->Text());
      if (key != keys.end()) events.push_back({*key->second, event, unit});
    });
    if (!read) return tl::unexpected(read.error());
  }
  return events;
}

template <typename Row, typename Take>
Result<std::vector<Row>> ClickhouseCatalogue::ListOf(const char* table, const char* columns, const ApplicationKey& key,
                                                     Take take) const {
  const Result<std::optional<Stored>> stored = StoredRow(key);
  if (!stored) return tl::unexpected(stored.error());
  if (!*stored || (*stored)->is_removed) return std::vector<Row>();
  const Sql sql{fmt::format("SELECT {} FROM {} WHERE entry = ? ORDER BY position", columns, tables_.at(table)),
                {(*stored)->entry}};
  std::vector<Row> list;
  return Read(sql, [&](RowBinaryReader* rows) { list.push_back(take(rows)); }).map([&] { return std::move(list); });
}

// Braced initializers are evaluated in order, so the columns are read in order.
Result<std::vector<StageRow>> ClickhouseCatalogue::Stages(const ApplicationKey& key) {
  return ListOf<StageRow>(
      "stages", "stage, attempt, name, status, start_ns, end_ns, tasks, failed_tasks, run_ns, cpu_ns", key,
      [](RowBinaryReader* rows) {
        return StageRow{rows->Integer(), rows->Integer(), std::string(rows->Text()), std::string(rows->Text()),
                        rows->Integer(), rows->Integer(), rows->Integer(),           rows->Integer(),
                        rows->Integer(), rows->Integer()};
      });
}

Result<std::vector<ExecutorRow>> ClickhouseCatalogue::Executors(const ApplicationKey& key) {
  return ListOf<ExecutorRow>("executors", "id, host, cores, add_ns, remove_ns", key, [](RowBinaryReader* rows) {
    return ExecutorRow{std::string(rows->Text()), std::string(rows->Text()), rows->Integer(), rows->Integer(),
                       rows->Integer()};
  });
}

Result<std::vector<FindingRow>> ClickhouseCatalogue::Findings(const ApplicationKey& key) {
  return ListOf<FindingRow>("findings", "rule, severity, title, gain_ns", key, [](RowBinaryReader* rows) {
    return FindingRow{std::string(rows->Text()), std::string(rows->Text()), std::string(rows->Text()), rows->Integer()};
  });
}

Result<std::vector<GroupRow>> ClickhouseCatalogue::Groups(const std::optional<Viewer>& viewer) {
  std::vector<GroupRow> groups;
  return Read(GroupsSql(dialect_, viewer),
              [&](RowBinaryReader* rows) {
                groups.push_back({std::string(rows->Text()), rows->Integer(), rows->Integer(), rows->Integer(),
                                  rows->Integer(), rows->Integer(), rows->Integer(), rows->Integer(), rows->Integer()});
              })
      .map([&] { return std::move(groups); });
}

Result<std::vector<GroupFinding>> ClickhouseCatalogue::GroupFindings(const GroupRange& range) {
  GroupFindingSums sums;
  std::string entries;
  const Result<void> done = Read(RangeApplicationsSql(dialect_, range), [&](RowBinaryReader* rows) {
    const int64_t entry = rows->Integer();
    ApplicationKey key;
    key.id = rows->Text();
    key.attempt = rows->Text();
    sums.AddApplication(entry, std::move(key), rows->Integer());
    entries += fmt::format("{}{}", entries.empty() ? "" : ", ", entry);
  });
  if (!done) return tl::unexpected(done.error());
  if (entries.empty()) return std::vector<GroupFinding>();
  const Sql sql{fmt::format("SELECT entry, rule, severity, title, gain_ns FROM {} WHERE entry IN ({})",
                            tables_.at("findings"), entries)};
  return Read(sql,
              [&](RowBinaryReader* rows) {
                const int64_t entry = rows->Integer();
                const std::string_view rule = rows->Text();
                const std::string_view severity = rows->Text();
                const std::string_view title = rows->Text();
                sums.AddFinding(entry, rule, severity, title, rows->Integer());
              })
      .map([&] { return sums.Take(); });
}

Result<std::string> ClickhouseCatalogue::EntriesOf(const GroupRange& range) const {
  std::string entries;
  Sql sql{"SELECT entry"};
  AddRangeApplications(dialect_, range, /*ran=*/false, &sql);
  return Read(sql,
              [&](RowBinaryReader* rows) {
                entries += fmt::format("{}{}", entries.empty() ? "" : ", ", rows->Integer());
              })
      .map([&] { return std::move(entries); });
}

Result<std::vector<SeriesMaximum>> ClickhouseCatalogue::GroupMaxima(const GroupRange& range) {
  const Result<std::string> entries = EntriesOf(range);
  if (!entries) return tl::unexpected(entries.error());
  if (entries->empty()) return std::vector<SeriesMaximum>();
  const HourRange hours = HoursOf(range);
  const Sql sql{fmt::format("SELECT series, hour, max(value) FROM {} WHERE hour >= ? AND hour < ? AND entry IN ({}) "
                            "GROUP BY series, hour ORDER BY series, hour",
                            tables_.at("maxima"), *entries),
                {hours.first, hours.end}};
  std::vector<SeriesMaximum> maxima;
  return Read(sql,
              [&](RowBinaryReader* rows) {
                SeriesMaximum maximum;
                maximum.series = rows->Text();
                maximum.hour_ns = rows->Integer() * kHourNs;
                maximum.value = rows->Number();
                maxima.push_back(std::move(maximum));
              })
      .map([&] { return std::move(maxima); });
}

// Selects `columns` of the totals of a range.
Sql ClickhouseCatalogue::TotalsSql(const char* columns, const std::string& entries, const GroupRange& range,
                                   const std::string& event) const {
  const HourRange hours = HoursOf(range);
  return {fmt::format("SELECT {} FROM {} WHERE event = ? AND hour >= ? AND hour < ? AND entry IN ({})", columns,
                      tables_.at("totals"), entries),
          {ToUtf8(event), hours.first, hours.end}};
}

// Loads stacks into memory; `of_range` selects their hashes.
Result<void> ClickhouseCatalogue::LoadStacks(const Sql& of_range) {
  // If little room is left, the cache is cleared, and stacks are read again on demand.
  if (stacks_.Size() > max_stacks_ / 2) {
    stacks_ = StackDictionary(max_stacks_);
    stack_numbers_.clear();
  }
  Profile read;
  std::unordered_map<uint64_t, FrameId> frames;
  Result<void> done = Read({fmt::format("SELECT frame, function, file, kind FROM {}", tables_.at("frames"))},
                           [&](RowBinaryReader* rows) {
                             const uint64_t hash = rows->Word();
                             const StringId function = read.strings.Intern(rows->Text());
                             const StringId file = read.strings.Intern(rows->Text());
                             const auto kind = static_cast<FrameKind>(std::clamp<int64_t>(rows->Integer(), 0, 7));
                             frames[hash] = read.frames.Intern({function, file, 0, kind});
                           });
  if (!done) return done;
  Sql sql{fmt::format("SELECT stack, frames FROM {} WHERE stack IN (", tables_.at("stacks"))};
  sql.text += of_range.text + ")";
  sql.values = of_range.values;
  std::vector<uint64_t> hashes;
  std::vector<StackId> stacks;
  done = Read(sql, [&](RowBinaryReader* rows) {
    hashes.push_back(rows->Word());
    StackId stack = 0;
    for (const uint64_t frame : rows->Words()) stack = read.stacks.Push(stack, frames[frame]);
    stacks.push_back(stack);
  });
  if (!done) return done;
  const std::vector<StackId> numbers = stacks_.Add(read, stacks);
  for (size_t i = 0; i < numbers.size(); ++i) stack_numbers_[hashes[i]] = numbers[i];
  return {};
}

// Queries one unit at a time: ClickHouse groups by a number twice as fast as by a number and a text.
Result<std::vector<HashedTotal>> ClickhouseCatalogue::TotalsOfUnit(const std::string& entries, const GroupRange& range,
                                                                   const std::string& event, const std::string& unit) {
  Sql sql =
      TotalsSql("stack, sum(weight), sum(toFloat64(weight)), sum(count), sum(toFloat64(count))", entries, range, event);
  sql.Add(" AND unit = ? GROUP BY stack", {ToUtf8(unit)});
  std::vector<HashedTotal> totals;
  return Read(sql,
              [&](RowBinaryReader* rows) {
                HashedTotal total{.stack = rows->Word()};
                const int64_t weight = rows->Integer();
                total.weight = Saturated(weight, rows->Number());
                const int64_t count = rows->Integer();
                total.count = Saturated(count, rows->Number());
                totals.push_back(total);
              })
      .map([&] { return std::move(totals); });
}

// The totals by number in stacks_; nullopt if a stack is not in memory.
std::optional<std::vector<GroupEvent>> ClickhouseCatalogue::EventsOf(const TotalsByUnit& by_unit,
                                                                     uint64_t* missing) const {
  std::vector<GroupEvent> events;
  for (const auto& [unit, totals] : by_unit) {
    StackSums sums(stacks_.Size());
    for (const HashedTotal& total : totals) {
      const auto stack = stack_numbers_.find(total.stack);
      if (stack == stack_numbers_.end()) {
        *missing = total.stack;
        return std::nullopt;
      }
      sums.Add(stack->second, total.weight, total.count);
    }
    events.push_back({unit, std::move(sums)});
  }
  return events;
}

Result<Profile> ClickhouseCatalogue::GroupSamples(const GroupRange& range, const std::string& event) {
  const Result<std::string> entries = EntriesOf(range);
  if (!entries) return tl::unexpected(entries.error());
  if (entries->empty()) return GroupProfile(range, event, {}, stacks_);
  TotalsByUnit by_unit;
  const Result<void> done = Read(TotalsSql("DISTINCT unit", *entries, range, event),
                                 [&](RowBinaryReader* rows) { by_unit.try_emplace(std::string(rows->Text())); });
  if (!done) return tl::unexpected(done.error());
  for (auto& [unit, totals] : by_unit) {
    Result<std::vector<HashedTotal>> read = TotalsOfUnit(*entries, range, event, unit);
    if (!read) return tl::unexpected(read.error());
    totals = std::move(*read);
  }

  const std::scoped_lock lock(stacks_mutex_);
  uint64_t missing = 0;
  std::optional<std::vector<GroupEvent>> events = EventsOf(by_unit, &missing);
  if (!events) {
    if (Result<void> loaded = LoadStacks(TotalsSql("stack", *entries, range, event)); !loaded)
      return tl::unexpected(loaded.error());
    events = EventsOf(by_unit, &missing);
  }
  if (!events) {
    return Fail(
        fmt::format("ClickHouse: stack {:016x} of {} is missing (drop the database {}: it is rebuilt from the "
                    "recordings)",
                    missing, range.group, database_));
  }
  return GroupProfile(range, event, *events, stacks_);
}

}  // namespace

Result<std::unique_ptr<Catalogue>> OpenClickhouseCatalogue(const ClickhouseOptions& options) {
  constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if (options.database.empty() || options.database.find_first_not_of(kLetters) != std::string::npos) {
    return Fail(fmt::format("ClickHouse: database {} is not a name of letters, digits and _",
                            ToOneLine(ToUtf8(options.database))));
  }
  if (options.servers.empty()) return Fail("ClickHouse: no server is given");
  std::vector<Url> servers;
  for (const std::string& server : options.servers) {
    Result<Url> url = ParseUrl(server);
    if (!url) return tl::unexpected(url.error());
    servers.push_back(std::move(*url));
  }
  auto catalogue = std::make_unique<ClickhouseCatalogue>(options, std::move(servers));
  if (const Result<void> ready = catalogue->CreateTables(); !ready) return tl::unexpected(ready.error());
  return catalogue;
}

}  // namespace sparkprof
