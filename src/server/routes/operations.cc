// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "base/text/json_writer.h"
#include "base/time.h"
#include "server/openapi_document.h"
#include "server/responses.h"
#include "server/routes/answers.h"

namespace sparkprof {
namespace {

// Less free disk space than this is reported as a problem.
constexpr uint64_t kLittleSpace = uint64_t{256} << 20;

std::vector<const BackgroundTask*> TasksOf(const ServerParts& parts) {
  std::vector<const BackgroundTask*> tasks = {&parts.store_scan, &parts.cataloguer->Task(), &parts.retention->Task(),
                                              &parts.notifications->Task()};
  for (const auto& watcher : parts.watchers) tasks.push_back(&watcher->Task());
  if (parts.quotas) tasks.push_back(&parts.quotas->Task());
  if (parts.replica) {
    for (const BackgroundTask* task : parts.replica->Tasks()) tasks.push_back(task);
  }
  return tasks;
}

void WriteTask(const BackgroundTask::State& state, JsonWriter* json) {
  json->BeginObject().Member("name", state.name).Member("status", state.problem.empty() ? "ok" : "failing");
  json->Member("failures", state.failures).Member("lastError", state.last_error);
  json->MemberOrNull("failingSince", state.since_ns != 0, state.since_ns / kNanosPerMilli);
  json->EndObject();
}

std::vector<std::string> ProblemsOf(ServerParts* parts) {
  std::vector<std::string> problems;
  const auto add = [&](const std::string& problem) {
    if (!problem.empty()) problems.push_back(problem);
  };
  add(parts->store->Problem());
  if (parts->replica) add(parts->replica->Problem());
  add(parts->cataloguer->Problem());
  add(parts->entries->Problem());
  add(parts->retention->Problem());
  struct statvfs space {};
  if (statvfs(parts->store->Folder().c_str(), &space) != 0) {
    add(fmt::format("{}: the folder cannot be reached", parts->store->Folder()));
  } else if (space.f_bavail * space.f_frsize < kLittleSpace) {
    add(fmt::format("{}: only {} MiB of disk space left", parts->store->Folder(),
                    space.f_bavail * space.f_frsize >> 20));
  }
  for (const auto& watcher : parts->watchers) add(watcher->State().problem);
  for (const BackgroundTask* task : TasksOf(*parts)) add(ProblemText(task->Get()));
  return problems;
}

// Problems that do not stop the server from working.
std::vector<std::string> WarningsOf(const ServerParts& parts) {
  std::vector<std::string> warnings = parts.marks->SetAside();
  for (std::string& problem : parts.runs->Problems()) warnings.push_back(std::move(problem));
  for (std::string& problem : parts.configurations->Problems()) warnings.push_back(std::move(problem));
  for (std::string& problem : parts.proofs->Problems()) warnings.push_back(std::move(problem));
  if (parts.replica) {
    for (std::string& damage : parts.replica->Damage()) warnings.push_back(std::move(damage));
  }
  if (std::string damage = parts.entries->Damage(); !damage.empty()) warnings.push_back(std::move(damage));
  if (const uint64_t blocks = parts.renumbered_blocks; blocks > 0) {
    warnings.push_back(fmt::format(
        "{} blocks had the number of another block of their process: both are stored and shown; two senders claim to "
        "be one process",
        blocks));
  }
  return warnings;
}

uint64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

class MetricsText {
 public:
  void Add(std::string_view name, std::string_view type, std::string_view help, double value) {
    text_ += fmt::format("# HELP sparkprof_{} {}\n# TYPE sparkprof_{} {}\nsparkprof_{} {}\n", name, help, name, type,
                         name, value);
  }
  void Counter(std::string_view name, std::string_view help, uint64_t value) {
    Add(name, "counter", help, static_cast<double>(value));
  }
  void Gauge(std::string_view name, std::string_view help, double value) { Add(name, "gauge", help, value); }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

void WriteFolder(const FolderState& state, JsonWriter* json) {
  const std::string_view status = !state.problem.empty() ? "unreachable" : state.last_scan_ns == 0 ? "starting" : "ok";
  json->BeginObject().Member("location", state.location).Member("status", status).Member("problem", state.problem);
  json->Member("lastScanTime", state.last_scan_ns / kNanosPerMilli).Member("files", state.files);
  json->Member("recordings", state.recordings).Member("eventLogs", state.event_logs);
  json->Member("unreadable", state.unreadable).Member("duplicates", state.duplicates);
  json->Member("notListed", state.not_listed).Member("examples", state.examples).EndObject();
}

// Lists the other nodes on the store, and counts forwarded requests.
void WriteNodes(ServerParts* parts, JsonWriter* json) {
  json->BeginObject().Key("others").BeginArray();
  for (const LiveNodes::State& state : parts->replica->Nodes()->States()) {
    json->BeginObject().Member("url", state.url).Member("status", state.is_alive ? "alive" : "gone");
    json->Member("problem", state.problem).EndObject();
  }
  const Forwarding& forwarding = *parts->forwarding;
  json->EndArray().Member("answeredByOthers", forwarding.answered.load());
  json->Member("notAnsweredByOthers", forwarding.unanswered.load());
  json->Member("answeredForOthers", forwarding.answered_for_others.load()).EndObject();
}

}  // namespace

HttpResponse GetHealth(ServerParts* parts, const HttpRequest& request, const Captured&) {
  const std::vector<std::string> problems = ProblemsOf(parts);
  JsonWriter json;
  json.BeginObject().Member("status", problems.empty() ? "ok" : "degraded");
  // Load balancers have no token. Names of files and hosts are not public.
  const Access& access = parts->options.access;
  const bool may_read = !access.HasTokens() || Includes(access.RoleOf(request), Role::kRead);
  if (may_read && !access.ViewerOf(request)) {
    json.Key("problems").BeginArray();
    for (const std::string& problem : problems) json.Value(problem);
    // Folder and task problems are no reason to stop sending requests to this server.
    json.EndArray().Key("folders").BeginArray();
    for (const auto& watcher : parts->watchers) WriteFolder(watcher->State(), &json);
    json.EndArray().Key("tasks").BeginArray();
    for (const BackgroundTask* task : TasksOf(*parts)) WriteTask(task->Get(), &json);
    json.EndArray().Member("warnings", WarningsOf(*parts));
    if (parts->replica) WriteNodes(parts, &json.Key("nodes"));
  }
  json.EndObject();
  return MakeResponse(problems.empty() ? 200 : 503, "application/json", json.Take() + "\n");
}

HttpResponse GetLiveness(ServerParts*, const HttpRequest&, const Captured&) {
  return MakeResponse(200, "application/json", "{\"status\":\"ok\"}\n");
}

HttpResponse GetReadiness(ServerParts* parts, const HttpRequest& request, const Captured&) {
  const bool is_ready = parts->store->Problem().empty() && parts->cataloguer->Problem().empty() &&
                        (!parts->replica || parts->replica->Problem().empty());
  HttpResponse response = MakeResponse(is_ready ? 200 : 503, "application/json",
                                       fmt::format("{{\"status\":\"{}\"}}\n", is_ready ? "ready" : "not ready"));
  if (parts->replica) parts->replica->Nodes()->AddProof(request, &response);
  return response;
}

HttpResponse GetMetrics(ServerParts* parts, const HttpRequest&, const Captured&) {
  MetricsText metrics;
  const HttpServerCounters http = parts->http->Counters();
  metrics.Counter("http_requests_total", "Requests.", http.requests);
  metrics.Counter("http_refused_total", "Requests refused by limits or invalid.", http.refused);
  metrics.Counter("http_timeouts_total", "Clients disconnected because they were too slow.", http.timeouts);
  metrics.Counter("http_evicted_total",
                  "Idle and slow clients disconnected because others needed their place or memory.", http.evicted);
  metrics.Gauge("http_waiting_requests", "Requests that wait for a thread.", static_cast<double>(http.waiting));
  metrics.Gauge("http_connections", "Open connections.", static_cast<double>(http.connections));
  metrics.Gauge("http_body_bytes", "Bytes of request bodies being received.",
                static_cast<double>(http.bytes_in_flight));
  metrics.Counter("received_blocks_total", "Blocks received.", parts->received_blocks);
  metrics.Counter("duplicate_blocks_total", "Blocks received that were stored already.", parts->duplicate_blocks);
  metrics.Counter("renumbered_blocks_total", "Blocks received with the number of another block of their process.",
                  parts->renumbered_blocks);
  metrics.Counter("received_samples_total", "Samples received.", parts->received_samples);
  metrics.Counter("received_bytes_total", "Bytes of recordings received.", parts->received_bytes);
  if (parts->replica) {
    const BlockObjectWriter& writer = parts->replica->Writer();
    metrics.Counter("store_written_objects_total", "Objects of blocks that this node wrote to the store.",
                    writer.objects);
    metrics.Counter("store_written_bytes_total", "Their bytes.", writer.bytes);
    metrics.Gauge("store_waiting_bytes", "Bytes of blocks that wait for the store.",
                  static_cast<double>(writer.WaitingBytes()));
    metrics.Counter("store_read_objects_total", "Objects of blocks that this node read from the store.",
                    parts->replica->read_objects);
    metrics.Counter("store_read_bytes_total", "Their bytes.", parts->replica->read_bytes);
    const CountedStorage& requests = parts->replica->Requests();
    metrics.Counter("store_puts_total", "Objects that this node created in the store, or tried to.", requests.creates);
    metrics.Counter("store_gets_total", "Objects that this node asked the store for.", requests.reads);
    metrics.Counter("store_lists_total", "Folders of the store that this node listed.", requests.lists);
    metrics.Counter("store_deletes_total", "Objects that this node deleted from the store.", requests.removes);
    metrics.Counter("answered_by_others_total", "Requests that the node with the application in memory answered.",
                    parts->forwarding->answered);
    metrics.Counter("not_answered_by_others_total", "Requests that this node answered because that node did not.",
                    parts->forwarding->unanswered);
    metrics.Counter("answered_for_others_total", "Requests that this node answered for other nodes.",
                    parts->forwarding->answered_for_others);
  }
  const RecordingDirectory::Counts recordings = parts->recordings->CountBelow({});
  metrics.Gauge("recording_files", "Files with recordings.", static_cast<double>(recordings.files));
  metrics.Gauge("unreadable_files", "Files that cannot be read or are damaged.",
                static_cast<double>(recordings.unreadable));
  metrics.Gauge("catalogue_waiting_applications", "Applications whose catalogue entry is not up to date.",
                static_cast<double>(parts->cataloguer->Waiting()));
  metrics.Counter("notifications_sent_total", "Notifications that the webhook accepted.", parts->notifications->sent);
  metrics.Counter("notifications_failed_total", "Notifications that the webhook did not accept.",
                  parts->notifications->failed);
  metrics.Counter("notifications_dropped_total", "Notifications that did not fit into the queue.",
                  parts->notifications->dropped);
  metrics.Gauge("notifications_waiting", "Applications in the queue for notifications.",
                static_cast<double>(parts->notifications->Waiting()));
  metrics.Counter("removed_applications_total", "Applications removed by age or size.",
                  parts->retention->removed_applications);
  metrics.Counter("removed_bytes_total", "Bytes of recordings removed by age or size.",
                  parts->retention->removed_bytes);
  metrics.Counter("coarsened_applications_total", "Applications whose samples were coarsened.",
                  parts->retention->coarsened_applications);
  metrics.Gauge("cache_bytes", "Memory of loaded applications.",
                static_cast<double>(parts->cache->Bytes() + parts->histories->Bytes()));
  metrics.Gauge("resident_bytes", "Memory of the process.", static_cast<double>(ResidentBytes()));
  if (parts->options.inject) {
    metrics.Counter("injected_pods_total", "Pods that got the plugin.", parts->injected_pods);
    metrics.Counter("skipped_pods_total", "Drivers that keep their own environment.", parts->skipped_pods);
    metrics.Counter("malformed_reviews_total", "Admission reviews that cannot be read.", parts->malformed_reviews);
  }
  uint64_t task_failures = 0;
  for (const BackgroundTask* task : TasksOf(*parts)) task_failures += task->Get().failures;
  metrics.Counter("task_failures_total", "Exceptions in background tasks, which continued.", task_failures);
  metrics.Gauge("problems", "Problems that /healthz lists.", static_cast<double>(ProblemsOf(parts).size()));
  const auto start = std::chrono::duration_cast<std::chrono::seconds>(parts->start.time_since_epoch());
  metrics.Gauge("start_time_seconds", "Start of the server.", static_cast<double>(start.count()));
  return MakeResponse(200, "text/plain; version=0.0.4; charset=utf-8", metrics.Take());
}

HttpResponse GetJobMetrics(ServerParts* parts, const HttpRequest& request, const Captured&) {
  // The metrics include groups of all users.
  if (parts->options.access.ViewerOf(request)) {
    return ErrorResponse(403, "with access lists, the metrics of jobs are for administrators");
  }
  const bool open_metrics = request.Header("accept").find("application/openmetrics-text") != std::string_view::npos;
  return MakeResponse(200,
                      open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                   : "text/plain; version=0.0.4; charset=utf-8",
                      parts->job_metrics.Text(open_metrics));
}

HttpResponse GetOpenApi(ServerParts*, const HttpRequest&, const Captured&) {
  return MakeResponse(200, "application/json", OpenApiDocument());
}

}  // namespace sparkprof
