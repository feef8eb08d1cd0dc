// SPDX-License-Identifier: Apache-2.0
#include "catalogue/clickhouse/clickhouse_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "http/signing.h"
#include "model/hash_bytes.h"

namespace sparkprof {
namespace {

constexpr TableText kClickhouseTables[] = {
    {"applications",
     "shard UInt64, entry Int64, put Int64, removed Int64, id String, attempt String, name String, user_name String, "
     "group_name String, status Int64, start_ns Int64, end_ns Int64, tasks Int64, cpu_ns Int64, findings Int64, "
     "core_ms Int64, memory_mib_s Int64, saving_ns Int64, is_node Int64, job_version String, spark_version String, "
     "location String, version String, viewers String, verdict String, top_finding String",
     "ReplacingMergeTree(put) ORDER BY (id, attempt)"},
    {"stages",
     "shard UInt64, entry Int64, position Int64, stage Int64, attempt Int64, name String, status String, start_ns "
     "Int64, "
     "end_ns Int64, tasks Int64, failed_tasks Int64, run_ns Int64, cpu_ns Int64",
     "MergeTree ORDER BY (entry, position)", true},
    {"executors",
     "shard UInt64, entry Int64, position Int64, id String, host String, cores Int64, add_ns Int64, remove_ns Int64",
     "MergeTree ORDER BY (entry, position)", true},
    {"findings", "shard UInt64, entry Int64, position Int64, rule String, severity String, title String, gain_ns Int64",
     "MergeTree ORDER BY (entry, position)", true},
    {"maxima", "shard UInt64, entry Int64, series String, hour Int64, value Float64",
     "MergeTree ORDER BY (entry, series, hour)", true},
    {"totals",
     "shard UInt64, entry Int64, event String, unit String, hour Int64, stack UInt64, weight Int64, count Int64",
     "MergeTree ORDER BY (entry, event, hour, stack)", true},
    // Stored on the shard of each application that has them.
    {"frames", "shard UInt64, frame UInt64, function String, file String, kind Int64",
     "ReplacingMergeTree ORDER BY frame"},
    {"stacks", "shard UInt64, stack UInt64, frames Array(UInt64)", "ReplacingMergeTree ORDER BY stack"},
};

// Frames and stacks of all senders have one space of hashes: nobody can make a name that stands for another's.
uint64_t HashOf(std::string_view bytes) { return std::stoull(Sha256Hex(bytes).substr(0, 16), nullptr, 16); }

}  // namespace

std::string ReplicatedEngine(const TableText& table, const std::string& database) {
  const std::string_view engine = table.engine;
  const size_t name_end = std::min(engine.find_first_of("( "), engine.size());
  const bool has_parameters = name_end < engine.size() && engine[name_end] == '(';
  return fmt::format("Replicated{}('/clickhouse/tables/{{shard}}/{}/{}', '{{replica}}'{}{}", engine.substr(0, name_end),
                     database, table.name, has_parameters ? ", " : ")",
                     engine.substr(name_end + (has_parameters ? 1 : 0)));
}

std::span<const TableText> ClickhouseTables() { return kClickhouseTables; }

uint64_t ShardOf(const ApplicationKey& key) { return HashBytes(ToUtf8(key.id) + '\0' + ToUtf8(key.attempt)); }

ApplicationRow TakeRow(RowBinaryReader* rows) {
  const auto text = [&] { return std::string(rows->Text()); };
  ApplicationRow row;
  row.key.id = text();
  row.key.attempt = text();
  row.name = text();
  row.user = text();
  row.group = text();
  row.status = static_cast<ApplicationStatus>(std::clamp<int64_t>(rows->Integer(), 0, 3));
  row.start_ns = rows->Integer();
  row.end_ns = rows->Integer();
  row.tasks = rows->Integer();
  row.cpu_ns = rows->Integer();
  row.findings = rows->Integer();
  row.core_ms = rows->Integer();
  row.memory_mib_s = rows->Integer();
  row.saving_ns = rows->Integer();
  row.is_node = rows->Integer() != 0;
  row.job_version = text();
  row.spark_version = text();
  row.location = text();
  row.version = text();
  row.viewers = text();
  row.verdict = text();
  row.top_finding = text();
  return row;
}

int64_t Saturated(int64_t exact, double about) {
  return about >= 9.2e18 ? INT64_MAX : about <= -9.2e18 ? INT64_MIN : exact;
}

uint64_t StackRows::Add(StackId stack) {
  profile_.stacks.Unwind(stack, &ids_);
  std::vector<uint64_t> hashes;
  hashes.reserve(ids_.size());
  for (const FrameId id : ids_) hashes.push_back(AddFrame(id));
  const uint64_t hash = HashOf({reinterpret_cast<const char*>(hashes.data()), hashes.size() * sizeof(uint64_t)});
  if (known_->insert(hash ^ shard_).second) stacks_->Row(shard_, hash, hashes);
  return hash;
}

uint64_t StackRows::AddFrame(FrameId id) {
  if (frames_of_id_[id] == 0) {
    const Frame& frame = profile_.frames.Get(id);
    const std::string function = ToUtf8(profile_.strings.Get(frame.name));
    const std::string file = ToUtf8(profile_.strings.Get(frame.file));
    const auto kind = static_cast<int64_t>(frame.kind);
    const uint64_t hash = HashOf(fmt::format("{}\n{}:{}{}", kind, function.size(), function, file));
    if (known_->insert(hash ^ shard_).second) frames_->Row(shard_, hash, function, file, kind);
    frames_of_id_[id] = hash;
  }
  return frames_of_id_[id];
}

}  // namespace sparkprof
