// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/machines/node_use.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "server/folders/node_recordings.h"
#include "server/responses.h"
#include "server/routes/answers.h"
#include "server/routes/query.h"

namespace sparkprof {
namespace {

constexpr int64_t kDefaultRangeNs = 3600 * kNanosPerSecond;
constexpr int64_t kMaxRangeNs = 31 * 24 * 3600 * kNanosPerSecond;
constexpr int64_t kDefaultSpans = 48;
constexpr int64_t kMaxSpans = 200;
constexpr size_t kMaxHosts = 200;
constexpr int64_t kDefaultProcesses = 50;
constexpr int64_t kMaxProcesses = 500;
// Maximum size of the recordings that one request reads.
constexpr int64_t kMaxReadBytes = int64_t{256} << 20;

struct NodeRange {
  int64_t begin_ns = 0, end_ns = 0;
};

// The range from `from` to `to`; by default, the last hour.
Result<NodeRange> RangeOfNodes(const HttpRequest& request) {
  const Result<TimeParameters> asked = RangeParameters(request);
  if (!asked) return tl::unexpected(asked.error());
  NodeRange range;
  range.end_ns = asked->to_ns.value_or(EpochNanos());
  range.begin_ns = asked->from_ns.value_or(std::max<int64_t>(0, range.end_ns - kDefaultRangeNs));
  if (range.begin_ns >= range.end_ns) return Fail("from: must be before 'to'");
  if (range.end_ns - range.begin_ns > kMaxRangeNs) return Fail("from: at most 31 days before 'to'");
  return range;
}

Result<int64_t> NumberParameter(const HttpRequest& request, std::string_view name, int64_t otherwise, int64_t most) {
  const std::string_view text = request.Parameter(name);
  if (text.empty()) return otherwise;
  const std::optional<int64_t> number = ParseInteger(text);
  if (!number || *number < 1 || *number > most) return Fail(fmt::format("{}: expected 1 to {}", name, most));
  return *number;
}

// Daily recordings by host.
std::map<std::string, std::vector<std::string>> DaysOfHosts(const ServerParts& parts, NodeRange range) {
  std::map<std::string, std::vector<std::string>> days;
  for (const std::string& id : parts.recordings->Applications()) {
    const std::string host = HostOfDay(parts.entries->ApplicationOf(id), range.begin_ns, range.end_ns);
    if (!host.empty()) days[host].push_back(id);
  }
  return days;
}

class NodeReader {
 public:
  explicit NodeReader(ServerParts* parts) : parts_(parts) {}

  // The attempts in a host's daily recordings; they stay loaded while `days` exists. Fails if they exceed the limit.
  struct Days {
    std::vector<std::shared_ptr<const CachedApplication>> loaded;
    std::vector<const Application*> attempts;
  };
  Result<Days> Read(const std::vector<std::string>& ids) {
    int64_t bytes = 0;
    for (const std::string& id : ids) {
      const std::optional<RecordedFiles> found = parts_->recordings->Find(id);
      if (!found) continue;
      for (const StoredFile& file : found->files) bytes += file.size;
    }
    if (bytes > kMaxReadBytes - read_bytes_) {
      return Fail(
          fmt::format("its recordings of this time have {}, more than the {} that one request reads; choose a "
                      "shorter time",
                      FormatBytes(bytes), FormatBytes(kMaxReadBytes)));
    }
    read_bytes_ += bytes;
    Days days;
    for (const std::string& id : ids) {
      auto application = parts_->cache->Get(id);
      if (!application) return tl::unexpected(application.error());
      if (*application == nullptr) continue;  // removed meanwhile
      days.loaded.push_back(*application);
      for (const auto& attempt : (*application)->attempts) days.attempts.push_back(&attempt->Recorded());
    }
    return days;
  }

 private:
  ServerParts* parts_;
  int64_t read_bytes_ = 0;
};

void WriteProcess(const ProcessUse& use, JsonWriter* json) {
  json->BeginObject()
      .Member("pid", use.pid)
      .Member("type", use.type)
      .Member("user", use.user)
      .Member("application", use.application_id)
      .Member("executor", use.executor_id)
      .Member("name", use.name)
      .Member("command", use.command)
      .Member("startTime", use.start_ns / kNanosPerMilli)
      .Member("endTime", use.end_ns / kNanosPerMilli)
      .Member("cpuSeconds", use.cpu_ns / kNanosPerSecond)
      .Member("cores", use.cores)
      .Member("maxRssBytes", use.max_rss_bytes)
      .Member("readBytes", use.read_bytes)
      .Member("writeBytes", use.write_bytes)
      .EndObject();
}

}  // namespace

HttpResponse ListNodes(ServerParts* parts, const HttpRequest& request, const Captured&) {
  if (const Result<void> known = CheckParametersAndValues(request, "from to spans"); !known) {
    return ErrorResponse(400, known.error().message);
  }
  const Result<NodeRange> range = RangeOfNodes(request);
  if (!range) return ErrorResponse(400, range.error().message);
  const Result<int64_t> spans = NumberParameter(request, "spans", kDefaultSpans, kMaxSpans);
  if (!spans) return ErrorResponse(400, spans.error().message);
  const TimeSteps steps{range->begin_ns, range->end_ns, static_cast<size_t>(*spans)};
  NodeReader reader(parts);
  JsonWriter json;
  json.BeginObject().Member("from", range->begin_ns / kNanosPerMilli).Member("to", range->end_ns / kNanosPerMilli);
  json.Member("spans", *spans).Key("nodes").BeginArray();
  std::vector<std::pair<std::string, std::string>> omitted;  // host and reason
  size_t hosts = 0;
  for (const auto& [host, ids] : DaysOfHosts(*parts, *range)) {
    if (++hosts > kMaxHosts) {
      omitted.emplace_back(host, fmt::format("more than {} hosts", kMaxHosts));
      continue;
    }
    const Result<NodeReader::Days> days = reader.Read(ids);
    if (!days) {
      omitted.emplace_back(host, days.error().message);
      continue;
    }
    const HostUse use = UseOfHost(days->attempts, steps);
    json.BeginObject().Member("host", host).Member("cores", use.cores).Member("memoryBytes", use.memory_bytes);
    json.Member("cpu", use.cpu);
    json.Member("memory", use.memory);
    json.Member("disk", use.disk);
    json.Member("network", use.network);
    json.EndObject();
  }
  json.EndArray().Key("omitted").BeginArray();
  for (const auto& [host, reason] : omitted)
    json.BeginObject().Member("host", host).Member("reason", reason).EndObject();
  json.EndArray().EndObject();
  return JsonResponse(std::move(json));
}

HttpResponse ListNodeProcesses(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  if (const Result<void> known = CheckParametersAndValues(request, "from to sort limit"); !known) {
    return ErrorResponse(400, known.error().message);
  }
  const Result<NodeRange> range = RangeOfNodes(request);
  if (!range) return ErrorResponse(400, range.error().message);
  const Result<int64_t> limit = NumberParameter(request, "limit", kDefaultProcesses, kMaxProcesses);
  if (!limit) return ErrorResponse(400, limit.error().message);
  const std::string_view sort = request.Parameter("sort");
  if (!sort.empty() && sort != "cpu" && sort != "memory") return ErrorResponse(400, "sort: expected cpu or memory");
  const auto all = DaysOfHosts(*parts, *range);
  const auto found = all.find(captured[0]);
  if (found == all.end()) {
    return ErrorResponse(404, fmt::format("no monitor of {} recorded in this time", ToOneLine(captured[0])));
  }
  const Result<NodeReader::Days> days = NodeReader(parts).Read(found->second);
  if (!days) return ErrorResponse(503, days.error().message);
  const std::vector<ProcessUse> uses = UseOfProcesses(days->attempts, range->begin_ns, range->end_ns,
                                                      sort == "memory" ? ProcessOrder::kMemory : ProcessOrder::kCpu);
  JsonWriter json;
  json.BeginObject().Member("host", found->first).Member("total", uses.size()).Key("processes").BeginArray();
  for (size_t i = 0; i < std::min(uses.size(), static_cast<size_t>(*limit)); ++i) WriteProcess(uses[i], &json);
  json.EndArray().EndObject();
  return JsonResponse(std::move(json));
}

}  // namespace sparkprof
