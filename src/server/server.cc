// SPDX-License-Identifier: Apache-2.0
#include "server/server.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "base/answer_limit.h"
#include "base/io/private_file.h"
#include "base/system.h"
#include "server/responses.h"
#include "server/routes/answers.h"
#include "server/routes/routes.h"
#include "server/upkeep/store_inspection.h"
#include "storage/storages.h"

namespace sparkprof {
namespace {

// Pause after a failed scan of the store.
constexpr std::chrono::milliseconds kScanPause{10'000};
constexpr std::chrono::milliseconds kServerStopPoll{100};
constexpr size_t kMaxAnswerBytes = size_t{64} << 20;  // before compression
constexpr size_t kMaxParameters = 100;

}  // namespace

Result<std::unique_ptr<Server>> Server::Open(ServerOptions options, std::unique_ptr<Catalogue> catalogue) {
  std::unique_ptr<Server> server(new Server);
  ServerParts& parts = server->parts_;
  parts.options = std::move(options);
  parts.catalogue = std::move(catalogue);
  if (Result<void> made = CreateFolders(parts.options.data); !made) return tl::unexpected(made.error());
  parts.audit = std::make_unique<AuditLog>(parts.options.data);
  if (Result<void> opened = server->OpenEntries(); !opened) return tl::unexpected(opened.error());
  Result<std::unique_ptr<OpeningMarks>> marks = OpeningMarks::Open(parts.options.data);
  if (!marks) return tl::unexpected(marks.error());
  parts.marks = std::move(*marks);
  parts.fetched = std::make_unique<FetchedFiles>(parts.options.data + "/fetched", parts.options.max_fetched_bytes);
  parts.recordings = std::make_unique<RecordingDirectory>(parts.fetched.get(), parts.entries.get(),
                                                          parts.options.data + "/recordings", parts.marks.get());
  parts.event_logs = std::make_unique<EventLogDirectory>(parts.fetched.get(), parts.entries.get());
  if (Result<void> opened = server->OpenFolders(); !opened) return tl::unexpected(opened.error());
  parts.fleet = std::make_unique<FleetFolder>(parts.options.fleet, parts.options.prices);
  Result<std::unique_ptr<RecordingStore>> store = RecordingStore::Open(
      parts.options.data,
      [&parts](const std::map<std::string, std::string>& changed) {
        parts.recordings->Note(changed);
        parts.cataloguer->Wake();
      },
      parts.entries.get());
  if (!store) return tl::unexpected(store.error());
  parts.store = std::move(*store);
  if (parts.options.quotas.IsOn()) {
    parts.quotas = std::make_unique<TenantQuotas>(parts.options.quotas, parts.recordings.get(), parts.entries.get());
    parts.store->SetQuotas(parts.quotas.get());
  }
  parts.configurations = std::make_unique<GroupConfigurations>(parts.options.data);
  if (parts.replica) {
    parts.replica->SetStore(parts.store.get());
    parts.forwarding = std::make_unique<Forwarding>(parts.replica->Nodes(), parts.options.access.IdentityHeaders());
    parts.configurations->SetWriteShared([&parts](const std::string& path, const std::string& content) {
      return parts.replica->WriteFile(path, content);
    });
  }
  Result<std::unique_ptr<RunStore>> runs = RunStore::Open(parts.options.data);
  if (!runs) return tl::unexpected(runs.error());
  parts.runs = std::move(*runs);
  Result<std::unique_ptr<ProofStore>> proofs = ProofStore::Open(parts.options.data);
  if (!proofs) return tl::unexpected(proofs.error());
  parts.proofs = std::move(*proofs);
  Result<std::unique_ptr<HttpServer>> http = HttpServer::Listen(parts.options.http, server.get());
  if (!http) return tl::unexpected(http.error());
  server->http_ = std::move(*http);
  parts.http = server->http_.get();
  parts.cache = std::make_unique<ApplicationCache>(parts.recordings.get(), parts.event_logs.get(), parts.fetched.get(),
                                                   parts.entries.get(), parts.marks.get(), parts.options.prices,
                                                   parts.options.max_cache_bytes / 2);
  parts.automatic = std::make_unique<AutoDecisions>(parts.options.data, parts.options.auto_policy,
                                                    parts.catalogue.get(), parts.cache.get());
  parts.histories = std::make_unique<HistoryCache>(parts.options.max_cache_bytes / 2);
  std::vector<std::string> roots;
  for (const auto& watcher : parts.watchers) roots.push_back(watcher->Root());
  if (parts.options.notifications.page.empty()) parts.options.notifications.page = server->Address();
  parts.options.notifications.prices = parts.options.prices;
  Result<std::unique_ptr<Notifications>> notifications =
      Notifications::Open(parts.options.notifications, parts.options.data, parts.catalogue.get(), parts.options.log);
  if (!notifications) return tl::unexpected(notifications.error());
  parts.notifications = std::move(*notifications);
  if (parts.replica) {
    parts.notifications->SetClaim(
        [&parts](const ApplicationKey& key) { return parts.replica->Claim(key.id + "\n" + key.attempt); });
  }
  Cataloguer::IsOurs is_ours;
  if (parts.replica && parts.catalogue->IsShared()) {
    is_ours = [&parts](const std::string& id) {
      const bool has_all = parts.replica->Problem().empty();
      return has_all ? std::optional(parts.replica->Nodes()->OwnerOf(id) == nullptr) : std::nullopt;
    };
  }
  parts.cataloguer = std::make_unique<Cataloguer>(
      std::move(roots), parts.recordings.get(), parts.event_logs.get(), parts.cache.get(), parts.entries.get(),
      parts.catalogue.get(),
      [&parts](const ApplicationRow& row, int64_t changed_ns) {
        parts.job_metrics.Consider(row, changed_ns);
        parts.notifications->Consider(row, changed_ns);
      },
      std::move(is_ours));
  Retention::Unshare unshare;
  if (parts.replica) unshare = [&parts](const std::string& entry) { return parts.replica->Remove(entry); };
  parts.retention = std::make_unique<Retention>(parts.options.retention, parts.store.get(), parts.recordings.get(),
                                                parts.catalogue.get(), parts.audit.get(), parts.marks.get(),
                                                parts.options.log, std::move(unshare));
  server->store_scan_ = std::thread([&server = *server] { server.ScanStore(); });
  for (const auto& watcher : parts.watchers) {
    watcher->Start(parts.options.scan_interval, [&parts] { parts.cataloguer->Wake(); });
  }
  return server;
}

Result<void> Server::OpenEntries() {
  ServerOptions& options = parts_.options;
  const bool is_enforced = options.access.HasAcls();
  if (options.store.empty()) {
    return ApplicationEntries::Open(options.data, parts_.audit.get(), is_enforced, options.access.HasTenants())
        .map([this](std::unique_ptr<ApplicationEntries> entries) { parts_.entries = std::move(entries); });
  }
  Result<std::unique_ptr<StoreReplica>> replica =
      StoreReplica::Open(options.store, options.data, options.log, options.ack_locally);
  if (!replica) return tl::unexpected(replica.error());
  parts_.replica = std::move(*replica);
  parts_.entries = ApplicationEntries::OfStore(parts_.replica->Changes(), parts_.audit.get(), is_enforced,
                                               options.access.HasTenants());
  return parts_.replica->Attach(parts_.entries.get(), parts_.audit.get());
}

Result<void> Server::OpenFolders() {
  for (const std::string& location : parts_.options.watched) {
    Result<std::unique_ptr<FolderWatcher>> watcher =
        FolderWatcher::Open(location, parts_.options.watch_owner_of_file, parts_.recordings.get(),
                            parts_.event_logs.get(), parts_.fetched.get());
    if (!watcher) return tl::unexpected(watcher.error());
    parts_.watchers.push_back(std::move(*watcher));
  }
  return {};
}

Server::~Server() {
  stop_ = true;
  // The cataloguer may be waiting for a folder.
  for (const auto& watcher : parts_.watchers) watcher->Stop();
  for (const auto& watcher : parts_.watchers) watcher->Join();
  if (store_scan_.joinable()) store_scan_.join();
  parts_.retention.reset();
  if (parts_.replica) parts_.replica->Stop();
  parts_.cataloguer.reset();
}

std::string Server::Address() const {
  const HttpServerOptions& options = parts_.options.http;
  const std::string& host = options.address.host;
  return fmt::format("{}://{}:{}", options.certificate_file.empty() ? "http" : "https",
                     host.find(':') == std::string::npos ? host : "[" + host + "]", http_->Port());
}

// The URL at which other nodes on the store reach this one.
std::string Server::NodeUrl() const {
  const HttpServerOptions& options = parts_.options.http;
  const bool is_any = options.address.host == "0.0.0.0" || options.address.host == "::";
  Url url = parts_.options.node_url;
  if (url.scheme.empty()) url.scheme = options.certificate_file.empty() ? "http" : "https";
  if (url.host.empty()) url.host = is_any ? HostName() : options.address.host;
  if (url.port == 0) url.port = http_->Port();
  return url.scheme + "://" + url.Authority();
}

// Resumes notifications that an earlier server did not finish.
void Server::ConsiderNotifications() {
  if (!parts_.options.notifications.webhook) return;
  const Result<std::vector<ApplicationRow>> rows = AllApplications(parts_.catalogue.get());
  if (!rows) return;  // the cataloguer reports the error
  for (const ApplicationRow& row : *rows) {
    const std::optional<RecordedFiles> files = parts_.recordings->Find(row.key.id);
    if (files) parts_.notifications->Consider(row, files->changed_ns);
  }
}

void Server::ScanStore() {
  parts_.store_scan.NameThread();
  bool damage_is_logged = false;
  const auto scan = [&] {
    // Logged here and not in Open, because the caller prints its own lines first.
    if (!damage_is_logged) {
      if (const std::string damage = parts_.entries->Damage(); !damage.empty()) parts_.options.log(damage);
      damage_is_logged = true;
    }
    ScanStoreOnce();
  };
  while (!parts_.store_scan.Attempt(scan)) {
    for (auto waited = kServerStopPoll; waited < kScanPause; waited += kServerStopPoll) {
      if (stop_) return;
      std::this_thread::sleep_for(kServerStopPoll);
    }
  }
}

void Server::ScanStoreOnce() {
  const std::string& folder = parts_.store->Folder();
  const std::unique_ptr<Storage> storage = OpenLocalStorage(folder, {});
  if (const Result<StorageListing> listing = storage->List()) parts_.recordings->Update(folder, *listing, stop_);
  for (const std::string& path : parts_.recordings->IncompleteFiles(folder)) {
    if (stop_) return;
    const Result<void> repaired = Guarded([&]() -> Result<void> {
      parts_.store->Repair(path);
      parts_.recordings->Update(path);
      return {};
    });
    if (!repaired) parts_.options.log(fmt::format("{}: cannot be repaired: {}", path, repaired.error().message));
  }
  if (parts_.replica) {
    const Result<void> loaded = parts_.replica->Load(stop_);
    if (!loaded) throw std::runtime_error(loaded.error().message);  // the task starts again
    if (stop_) return;
    parts_.replica->Start();
    parts_.replica->Nodes()->Start(NodeUrl(), [this] { return parts_.replica->Problem().empty(); });
  }
  if (parts_.quotas) parts_.quotas->Start();
  ConsiderNotifications();
  parts_.cataloguer->CatchUp(stop_);
  parts_.retention->Start();
}

HttpAdmission Server::Admit(const HttpRequest& sent) {
  HttpAdmission admission;
  const bool is_forwarded = parts_.forwarding && Forwarding::IsMarked(sent);
  const std::optional<HttpRequest> received = is_forwarded ? parts_.forwarding->Received(sent) : std::nullopt;
  const HttpRequest& head = received ? *received : sent;
  const FoundRoute found = FindRoute(head);
  const bool loopback_only = parts_.options.http.address.IsLoopback() && !parts_.options.access.HasTokens();
  const Role role = parts_.options.access.RoleOf(head);
  HttpResponse refusal;
  if (is_forwarded && !received) {
    refusal = ErrorResponse(401, "the request claims to come from another server on this store, and cannot prove it");
  } else if (IsForged(head, loopback_only)) {
    refusal = ErrorResponse(403, "the request comes from another site");
  } else if (found.route == nullptr && !found.allowed.empty()) {
    refusal = ErrorResponse(405, fmt::format("{} is not allowed here", head.method));
    refusal.headers.emplace_back("allow", found.allowed);
  } else if (found.route == nullptr || (found.route->answer == PostMutate && !parts_.options.inject)) {
    refusal = ErrorResponse(404, "nothing found at this address");
  } else if (!Includes(role, found.route->role)) {
    const unsigned status = role == Role::kNone ? 401 : 403;
    const std::string_view problem = role == Role::kNone
                                         ? "a token is required: send a bearer token in the Authorization header"
                                         : "the token's role does not allow this";
    refusal =
        found.route->error == nullptr ? ErrorResponse(status, problem) : found.route->error(head, status, problem);
  } else if (const Result<std::string> tenant = parts_.options.access.TenantOf(head);
             !tenant && found.route->role != Role::kNone) {
    refusal = ErrorResponse(403, tenant.error().message);
  } else if (found.route->audience == Audience::kServer && !tenant.value_or("").empty()) {
    refusal = ErrorResponse(403, "tenants have no access: this belongs to the whole server");
  } else if (found.route->audience == Audience::kOperators && parts_.options.access.ViewerOf(head)) {
    refusal = ErrorResponse(403, "only administrators may read this: it belongs to no application");
  } else if (const Result<void> taken = TakeQuery(*found.route, received.has_value(), tenant.value_or("")); !taken) {
    refusal = found.route->error == nullptr ? ErrorResponse(429, taken.error().message)
                                            : found.route->error(head, 429, taken.error().message);
  } else {
    admission.max_body_bytes = found.route->max_body_bytes;
    admission.lane = found.route->lane;
    admission.lane_of = found.route->lane_of;
    admission.client = parts_.options.access.ClientOf(head);
    const std::string_view application = ApplicationInMemory(found);
    if (!application.empty() && !received && parts_.forwarding && parts_.forwarding->IsElsewhere(application)) {
      admission.lane = HttpLane::kRemote;
    }
    return admission;
  }
  Finish(head, &refusal);
  admission.refusal = std::move(refusal);
  return admission;
}

// Another node has counted a request that it passed on.
Result<void> Server::TakeQuery(const Route& route, bool is_passed_on, const std::string& tenant) {
  const bool counts = parts_.quotas && route.role == Role::kRead && !is_passed_on;
  return counts ? parts_.quotas->TakeQuery(tenant) : Result<void>();
}

HttpResponse Server::Answer(const HttpRequest& request) {
  const FoundRoute found = FindRoute(request);
  const std::string_view application = parts_.forwarding ? ApplicationInMemory(found) : std::string_view();
  if (application.empty()) return AnswerHere(request, found);
  if (Forwarding::IsMarked(request)) {
    const std::optional<HttpRequest> received = parts_.forwarding->Received(request);
    if (!received) return Refuse(401, "the request is not from another server on this store");
    ++parts_.forwarding->answered_for_others;
    return AnswerHere(*received, found);
  }
  if (std::optional<HttpResponse> response = parts_.forwarding->Answer(application, request)) {
    Finish(request, &*response);
    if (answers_.Hold(&*response)) return std::move(*response);
  }
  return AnswerHere(request, found);
}

HttpResponse Server::AnswerHere(const HttpRequest& request, const FoundRoute& found) {
  const auto refuse = [&](unsigned status, const std::string& message) {
    HttpResponse refusal =
        found.route->error == nullptr ? ErrorResponse(status, message) : found.route->error(request, status, message);
    Finish(request, &refusal);
    return refusal;
  };
  if (request.parameters.size() > kMaxParameters) {
    return refuse(400, fmt::format("the request has {} parameters, at most {} are allowed", request.parameters.size(),
                                   kMaxParameters));
  }
  HttpResponse response;
  const OpeningMarks::Scope marks;
  try {
    const AnswerLimit limit(kMaxAnswerBytes);
    response = found.route->answer(&parts_, request, found.captured);
    Finish(request, &response);
  } catch (const AnswerTooLarge& problem) {
    return refuse(413, fmt::format("{}; ask for less: a selection, a larger minwidth, a smaller limit or length",
                                   problem.what()));
  }
  if (!answers_.Hold(&response)) {
    return refuse(503, "too many answers wait for their readers; ask again later");
  }
  return response;
}

HttpResponse Server::Refuse(unsigned status, const std::string& message) {
  HttpResponse response = ErrorResponse(status, message);
  Finish({}, &response);
  return response;
}

}  // namespace sparkprof
