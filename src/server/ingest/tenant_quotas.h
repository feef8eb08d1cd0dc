// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/background_task.h"
#include "base/result.h"
#include "server/folders/application_entries.h"
#include "server/folders/recording_directory.h"

namespace sparkprof {

struct TenantQuota {
  int64_t bytes = 0;  // size of recordings; 0 = unlimited
  int64_t applications = 0;
  int64_t queries = 0;  // per second, and as many at once
};

struct TenantQuotaOptions {
  TenantQuota each;                        // quota of each tenant except the default one
  std::map<std::string, TenantQuota> own;  // overrides by tenant

  bool IsOn() const { return each.bytes > 0 || each.applications > 0 || each.queries > 0 || !own.empty(); }
};

// Limits what the server stores and answers for each tenant. A thread counts the usage every 30 s; later requests are
// added by their size, so concurrent uploads to several nodes, and uploads before the first count, may exceed a quota.
// Thread-safe.
class TenantQuotas {
 public:
  using Clock = std::chrono::steady_clock;

  // The other parts must outlive this.
  TenantQuotas(TenantQuotaOptions options, const RecordingDirectory* recordings, const ApplicationEntries* entries)
      : options_(std::move(options)), recordings_(recordings), entries_(entries) {}
  ~TenantQuotas();
  TenantQuotas(const TenantQuotas&) = delete;
  TenantQuotas& operator=(const TenantQuotas&) = delete;

  // Starts counting, once the recordings are known. Later calls do nothing.
  void Start();
  const BackgroundTask& Task() const { return task_; }
  // Counts now; the thread calls it.
  void Count();

  // Adds blocks of these applications to the usage. Fails without a change if this exceeds the tenant's quota.
  Result<void> Take(const std::string& tenant, const std::vector<std::string>& applications, size_t bytes);
  // Notes the tenant of blocks in a file without an entry, which does not name one. They count while the file exists.
  void NoteUnidentified(const std::string& tenant, const std::string& path, size_t bytes);
  // Counts a query. Fails if the tenant has asked too much within the last second.
  Result<void> TakeQuery(const std::string& tenant, Clock::time_point now = Clock::now());

 private:
  struct Usage {
    int64_t bytes = 0;
    int64_t applications = 0;
  };
  using Usages = std::map<std::string, Usage>;  // by tenant
  struct Queries {
    double left = 0;
    Clock::time_point at;
  };

  TenantQuota QuotaOf(const std::string& tenant) const;
  void Run();

  const TenantQuotaOptions options_;
  const RecordingDirectory* const recordings_;
  const ApplicationEntries* const entries_;
  BackgroundTask task_{"quotas of tenants"};
  std::mutex mutex_;  // guards the following members
  std::condition_variable stopping_;
  bool stop_ = false;
  Usages counted_;                                                      // result of the last count
  Usages uncounted_;                                                    // taken since the last count
  std::map<std::string, std::map<std::string, int64_t>> unidentified_;  // sizes by file and tenant
  std::map<std::string, Queries> queries_;
  std::thread thread_;
};

}  // namespace sparkprof
