// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/background_task.h"
#include "base/result.h"
#include "catalogue/catalogue.h"
#include "http/url.h"
#include "http_server/http_server.h"
#include "inject/inject_options.h"
#include "mcp/running_calls.h"
#include "server/access/access.h"
#include "server/access/audit_log.h"
#include "server/applications/answer_budget.h"
#include "server/applications/application_cache.h"
#include "server/applications/history_cache.h"
#include "server/folders/application_entries.h"
#include "server/folders/event_log_directory.h"
#include "server/folders/fetched_files.h"
#include "server/folders/fleet_folder.h"
#include "server/folders/folder_watcher.h"
#include "server/folders/opening_marks.h"
#include "server/folders/recording_directory.h"
#include "server/ingest/recording_store.h"
#include "server/ingest/tenant_quotas.h"
#include "server/proofs/proof_store.h"
#include "server/runs/group_configurations.h"
#include "server/runs/run_store.h"
#include "server/shared/forwarding.h"
#include "server/upkeep/auto_decisions.h"
#include "server/upkeep/cataloguer.h"
#include "server/upkeep/job_metrics.h"
#include "server/upkeep/notifications.h"
#include "server/upkeep/retention.h"
#include "server/upkeep/store_replica.h"

namespace sparkprof {

struct FoundRoute;
struct Route;

struct ServerOptions {
  HttpServerOptions http;
  std::string data;          // folder of the recordings; with `store`, of this node's copy
  std::string store;         // location of a store that nodes share (StoreReplica); empty = `data` is all
  bool ack_locally = false;  // acknowledge blocks when a file in `data` has them, before the store does
  Url node_url;  // this server's URL for other nodes on the store; unset = derived from the listening address
  std::vector<std::string> watched;  // folders of recordings and event logs that are read in place; see OpenStorage
  bool watch_owner_of_file = false;  // watched files belong to the file's owner, whatever their events contain
  std::string fleet;                 // result of `sparkprof fleet analyze`, for the fleet page; empty = none
  std::optional<PriceList> prices;   // for costs of applications, groups and the fleet
  std::chrono::milliseconds scan_interval{5'000};
  uint64_t max_fetched_bytes = uint64_t{10} << 30;  // size of local copies of remote watched files
  Access access;
  TenantQuotaOptions quotas;
  // Split equally between loaded applications and the state behind Spark's REST API.
  uint64_t max_cache_bytes = uint64_t{512} << 20;
  RetentionOptions retention;
  NotificationOptions notifications;
  std::optional<AutoPolicy> auto_policy;             // for jobs that ask for the settings of their next run
  std::optional<InjectOptions> inject;               // for the Kubernetes admission webhook; nullopt = no such route
  std::function<void(const std::string& line)> log;  // logs the server's own actions
};

// State shared by all routes, which run on several threads.
struct ServerParts {
  ServerOptions options;
  std::unique_ptr<AuditLog> audit;
  std::unique_ptr<ApplicationEntries> entries;
  std::unique_ptr<OpeningMarks> marks;
  std::unique_ptr<FetchedFiles> fetched;
  std::unique_ptr<RecordingDirectory> recordings;
  std::unique_ptr<EventLogDirectory> event_logs;
  std::vector<std::unique_ptr<FolderWatcher>> watchers;
  std::unique_ptr<FleetFolder> fleet;
  std::unique_ptr<StoreReplica> replica;   // null without ServerOptions::store
  std::unique_ptr<Forwarding> forwarding;  // null without a replica
  std::unique_ptr<TenantQuotas> quotas;    // null without quotas; used by `store`
  std::unique_ptr<RecordingStore> store;
  std::unique_ptr<ApplicationCache> cache;
  std::unique_ptr<HistoryCache> histories;
  std::unique_ptr<Catalogue> catalogue;
  std::unique_ptr<Notifications> notifications;
  JobMetrics job_metrics;
  RunningCalls mcp_calls;
  std::unique_ptr<Cataloguer> cataloguer;
  std::unique_ptr<GroupConfigurations> configurations;
  std::unique_ptr<AutoDecisions> automatic;
  std::unique_ptr<RunStore> runs;
  std::unique_ptr<ProofStore> proofs;
  std::unique_ptr<Retention> retention;
  BackgroundTask store_scan{"scan of the store"};
  const HttpServer* http = nullptr;
  std::chrono::system_clock::time_point start = std::chrono::system_clock::now();

  std::atomic<uint64_t> received_blocks = 0, received_bytes = 0, received_samples = 0, duplicate_blocks = 0,
                        renumbered_blocks = 0;
  std::atomic<uint64_t> injected_pods = 0, skipped_pods = 0, malformed_reviews = 0;
  std::atomic<int64_t> malformed_logged_ns = 0;
};

// The collector receives and stores recordings, and answers queries about them (docs/server-api.md).
class Server : private HttpHandler {
 public:
  // The server is listening on return.
  static Result<std::unique_ptr<Server>> Open(ServerOptions options, std::unique_ptr<Catalogue> catalogue);
  ~Server() override;

  std::string Address() const;  // "http://127.0.0.1:8320"
  // Blocks until Stop.
  void Run() { http_->Run(); }
  void Stop() {
    parts_.marks->Close();
    http_->Stop();
  }

 private:
  Server() = default;

  HttpAdmission Admit(const HttpRequest& head) override;
  HttpResponse Answer(const HttpRequest& request) override;
  HttpResponse Refuse(unsigned status, const std::string& message) override;
  std::string NodeUrl() const;
  Result<void> TakeQuery(const Route& route, bool is_passed_on, const std::string& tenant);
  HttpResponse AnswerHere(const HttpRequest& request, const FoundRoute& found);
  void ConsiderNotifications();
  Result<void> OpenFolders();
  Result<void> OpenEntries();
  // Finds earlier contents of the store. Later changes are reported by the store's own writes.
  void ScanStore();
  void ScanStoreOnce();

  ServerParts parts_;
  AnswerBudget answers_;
  std::unique_ptr<HttpServer> http_;
  std::atomic<bool> stop_ = false;
  std::thread store_scan_;
};

}  // namespace sparkprof
